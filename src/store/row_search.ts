/**
 * Looking for few rows among very many, the newest first: a piece at a time, so that it never holds the event loop, and only so far in one
 * go.
 */

/** Rows, and the id before which the list goes on after them; undefined at its end. There may be fewer rows than asked for, and more to come. */
export interface Stretch<Row> {
  readonly rows: readonly Row[];
  readonly next: number | undefined;
}

/** How much is looked for, and how far. */
export interface Page {
  readonly limit: number;
  /** Only rows with lesser ids. */
  readonly before?: number | undefined;
  readonly turns?: number;
  readonly turnMs?: number;
}

/** How long one turn of the event loop may be taken up, in milliseconds, and how many turns one stretch may take. */
const TURN_MS = 4;
const MOST_TURNS = 100;

/** The first rows of the pieces, each as it is told: at once where one turn of the event loop is enough, so that a page is of one moment. */
export function searchRows<Row extends { readonly id: number }, Told>(
  piecesBefore: (before: number) => Iterator<Stretch<Row>>,
  { limit, before = Number.MAX_SAFE_INTEGER, turns = MOST_TURNS, turnMs = TURN_MS }: Page,
  told: (row: Row) => Told,
): Stretch<Told> | Promise<Stretch<Told>> {
  const pieces = piecesBefore(before);
  const rows: Told[] = [];
  let [next, left]: [number | undefined, number] = [before, turns];
  /** Looks through pieces for as long as a turn may take; one in any case. Says whether that was the last turn. */
  const isOver = (): boolean => {
    const [startedAt, from] = [performance.now(), next];
    do {
      const piece = pieces.next();
      next = piece.done === true ? undefined : piece.value.next;
      for (const row of piece.done === true ? [] : piece.value.rows) {
        rows.push(told(row));
        if (rows.length < limit) continue;
        next = row.id;
        return true;
      }
    } while (next !== undefined && performance.now() - startedAt < turnMs);
    // Before anything was seen there is nowhere to go on from.
    if (next !== from) left--;
    return next === undefined || left <= 0;
  };
  if (isOver()) return { rows, next };
  return (async () => {
    do await new Promise(setImmediate);
    while (!isOver());
    return { rows, next };
  })();
}
