import type { BrokenRule } from "../lib/contract.ts";
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

/**
 * A sentence for each field that a contract refuses, the first of several, by the field that a pointer ends on. A field that stands
 * for a list is named in `lists`, with how the sentence calls its items.
 */
export function refusedFields(
  errors: readonly BrokenRule[],
  lists: Readonly<Record<string, string>> = {},
): { [name: string]: string } {
  const refused: { [name: string]: string } = {};
  for (const { pointer, message } of errors) {
    const names = pointer.split("/");
    const list = names.find((name) => Object.hasOwn(lists, name));
    refused[list ?? names.at(-1) ?? ""] ??= `${list === undefined ? "It" : lists[list]} ${message}.`;
  }
  return refused;
}
