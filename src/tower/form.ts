/** Largest form of someone who is not signed in yet, in bytes: whoever fills these costs nothing but connections. */

import type { BrokenRule } from "../base/contract.ts";
import { Problem } from "../base/problem.ts";
import { readBody } from "../base/receive.ts";

export const DOOR_BYTES = 8 * 1024;
/** Largest form of a signed-in operator, in bytes: the longest note, or 200 ticked flags, percent-encoded. */
const FORM_BYTES = 64 * 1024;

/**
 * Reads an urlencoded form of at most `maxBytes` bytes; where a route takes files, also one in parts, a file being its text. Throws a
 * `Problem`.
 */
export async function readForm(
  request: Request,
  { maxBytes = FORM_BYTES, takesFiles = false }: FormBounds = {},
): Promise<URLSearchParams> {
  const said = request.headers.get("content-type");
  const type = said?.split(";")[0]?.trim().toLowerCase();
  if (takesFiles && type === "multipart/form-data")
    return readParts(said ?? "", await readBody(request, maxBytes));
  if (type !== "application/x-www-form-urlencoded") {
    if (type === undefined && request.body === null) return new URLSearchParams();
    throw new Problem("unsupported-media-type", "Send the form as application/x-www-form-urlencoded.");
  }
  return new URLSearchParams(Buffer.from(await readBody(request, maxBytes)).toString("utf8"));
}

/** What a form may be. */
export interface FormBounds {
  /** Largest form, in bytes; that of a signed-in operator when absent. */
  readonly maxBytes?: number | undefined;
  /** Whether it may hold files. */
  readonly takesFiles?: boolean | undefined;
}

async function readParts(type: string, body: Uint8Array): Promise<URLSearchParams> {
  const form = new URLSearchParams();
  try {
    const parts = await new Response(Uint8Array.from(body), { headers: { "content-type": type } }).formData();
    for (const [name, value] of parts)
      form.append(name, typeof value === "string" ? value : await value.text());
  } catch {
    throw new Problem("incomplete-body", "The form is not in parts as it says, or ends before the last one.");
  }
  return form;
}

/**
 * What was typed into each of the fields, without the space around it; a field that was not sent is as in `otherwise`. What stands
 * in a field of `asSent`, a choice or a text of several lines, keeps its space.
 */
export function typedInto<Fields extends Readonly<Record<string, string>>>(
  form: URLSearchParams,
  otherwise: Fields,
  asSent: readonly (keyof Fields)[] = [],
): { readonly [name in keyof Fields]: string } {
  const typed = Object.entries(otherwise).map(([name, value]) => {
    const sent = form.get(name) ?? value;
    return [name, asSent.includes(name) ? sent : sent.trim()];
  });
  return Object.fromEntries(typed);
}

/** A sentence for each field that a contract refuses, the first of several, by the field that a pointer ends on. */
export function refusedFields(errors: readonly BrokenRule[]): { [name: string]: string } {
  const refused: { [name: string]: string } = {};
  for (const { pointer, message } of errors) refused[pointer.split("/").at(-1) ?? ""] ??= `It ${message}.`;
  return refused;
}
