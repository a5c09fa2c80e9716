import { Safe } from "./safe.ts";

/**
 * Takes text as markup, unescaped. The one door past the escaping; a test lists every file that uses it, so a new
 * use is a decision that shows in review.
 */
export function raw(html: string): Safe {
  return new Safe(html);
}
