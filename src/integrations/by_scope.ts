/** Rows by what they are about. Pure. Keys of several parts are never put together as text: that costs more than all the rest of a read. */

/** Rows by two names, such as a capability and a site; few rows share both. */
export class ByTwo<Row> {
  readonly #rows = new Map<string, Map<string, Row[]>>();

  add(one: string, other: string, row: Row): void {
    let rows = this.#rows.get(one);
    if (rows === undefined) {
      rows = new Map();
      this.#rows.set(one, rows);
    }
    const same = rows.get(other);
    if (same === undefined) rows.set(other, [row]);
    else same.push(row);
  }

  get(one: string, other: string): readonly Row[] {
    return this.#rows.get(one)?.get(other) ?? NONE;
  }
}

const NONE: readonly never[] = [];
