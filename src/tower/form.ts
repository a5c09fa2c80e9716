import { readBody } from "../platform/body.ts";
import { Problem } from "../platform/problem.ts";

/** Largest form of someone who is not signed in yet, in bytes: whoever fills these costs nothing but connections. */
export const DOOR_BYTES = 8 * 1024;
/** Largest form of a signed-in operator, in bytes: the longest note, or 200 ticked flags, percent-encoded. */
const FORM_BYTES = 64 * 1024;

/** Reads an urlencoded form of at most `maxBytes` bytes. Throws a `Problem`. */
export async function readForm(request: Request, maxBytes = FORM_BYTES): Promise<URLSearchParams> {
  const type = request.headers.get("content-type")?.split(";")[0]?.trim().toLowerCase();
  if (type !== "application/x-www-form-urlencoded") {
    if (type === undefined && request.body === null) return new URLSearchParams();
    throw new Problem("unsupported-media-type", "Send the form as application/x-www-form-urlencoded.");
  }
  return new URLSearchParams(Buffer.from(await readBody(request, maxBytes)).toString("utf8"));
}
