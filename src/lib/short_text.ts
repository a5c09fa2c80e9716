/** A text of at most `longest` characters: what lies beyond is cut off, which a last "…" shows. Never half a character. */
export function shortText(text: string, longest: number): string {
  return text.length <= longest ? text.toWellFormed() : `${text.slice(0, longest - 1).toWellFormed()}…`;
}
