/** Reading what was thrown, which may be anything. */

/** What an error says, whatever was thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** An error whose message is for people, in words of our own: nothing that another said is in it, and no secret. */
export class PlainError extends Error {}

/** The code that the system or SQLite gave an error, such as `ENOSPC`; "" where it has none. */
export function codeOf(error: unknown): string {
  const code = (error as { readonly code?: unknown } | null | undefined)?.code;
  return typeof code === "string" ? code : "";
}
