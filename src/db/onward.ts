/**
 * The next place of a walk in pages, which begins each page after the last row of the one before. In a damaged index rows stand out
 * of order, and such a walk would go round for ever: it throws instead. Texts are compared as SQLite does where they are ASCII.
 */
export function onward<Place extends string | number>(what: string, last: Place, next: Place): Place {
  if (next > last) return next;
  throw new Error(`${what} is out of order: after ${last} comes ${next}`);
}
