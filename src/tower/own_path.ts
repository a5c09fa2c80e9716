import { paths } from "./paths.ts";

/** Longest address a page is asked to come back to. */
const LONGEST = 1_000;
const DOORS: readonly string[] = [paths.signIn, paths.signOut, paths.setup];

/**
 * An address to go on to, when it is one of ours: a path with its query. Anything else (another host, `//host`, a backslash
 * that browsers read as a slash, a control character) becomes the portfolio, and so do the doors themselves.
 */
export function ownPath(text: string | null | undefined): string {
  if (text === null || text === undefined || text.length > LONGEST) return paths.portfolio;
  if (!/^\/(?![/\\])[\x21-\x7e]*$/.test(text) || text.includes("\\")) return paths.portfolio;
  const url = new URL(text, "http://tower.invalid");
  if (url.host !== "tower.invalid" || url.pathname.startsWith("//") || DOORS.includes(url.pathname))
    return paths.portfolio;
  return `${url.pathname}${url.search}`;
}
