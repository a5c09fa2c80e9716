import { Problem } from "../platform/problem.ts";

/** Largest form, in bytes: the constants document is the longest text a form carries. */
const MAX_FORM_BYTES = 512 * 1024;

/** Reads an urlencoded form. Throws a `Problem`. */
export async function readForm(request: Request): Promise<URLSearchParams> {
  const type = request.headers.get("content-type")?.split(";")[0]?.trim().toLowerCase();
  if (type !== "application/x-www-form-urlencoded") {
    if (type === undefined && request.body === null) return new URLSearchParams();
    throw new Problem("unsupported-media-type", "Send the form as application/x-www-form-urlencoded.");
  }
  const declared = Number(request.headers.get("content-length") ?? 0);
  if (declared > MAX_FORM_BYTES) throw tooLarge();
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of request.body ?? []) {
    size += chunk.byteLength;
    if (size > MAX_FORM_BYTES) throw tooLarge();
    chunks.push(chunk);
  }
  return new URLSearchParams(Buffer.concat(chunks).toString("utf8"));
}

function tooLarge(): Problem {
  return new Problem("body-too-large", `A form may have at most ${MAX_FORM_BYTES} bytes.`);
}
