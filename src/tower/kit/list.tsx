/** A table of things: each column is its heading, its cell, and what is unusual about it. */

import type { Child } from "../jsx/child.ts";
import { type ColumnOf, DataTable } from "./links.tsx";

interface Unusual extends Omit<ColumnOf<unknown>, "words" | "cell" | "label"> {
  /** What a narrow page repeats before the cell; the heading, unless the cell takes the whole width or has its own words. */
  readonly label?: string | boolean;
}

export type Column<Item> = readonly [
  words: Child,
  cell: (item: Item, place: number) => Child,
  unusual?: Unusual,
];

/** The first column names the rows, unless another does. Rows turn into strips on a narrow page, but for `fold={false}`. */
export function List<Item>(props: {
  /** What they are, for screen readers. */
  of: string;
  items: readonly Item[];
  columns: readonly (Column<Item> | null)[];
  /** In the place of a table without items. */
  empty?: Child;
  /** Lets a live refresh match a row with the one it replaces. */
  id?: (item: Item) => string;
  class?: string | undefined;
  fold?: boolean;
}) {
  const { of, columns, fold = true, ...rest } = props;
  const shown = columns.filter((column) => column !== null);
  const isNamed = shown.some(([, , unusual]) => unusual?.names !== undefined);
  return (
    <DataTable
      {...rest}
      caption={of}
      fold={fold}
      columns={shown.map(([words, cell, unusual = {}], place): ColumnOf<Item> => {
        const names = isNamed ? unusual.names === true : place === 0;
        const isPlain = fold && !names && unusual.unseen !== true && unusual.class !== "all";
        const { label = isPlain, ...more } = unusual;
        return {
          ...more,
          words,
          cell,
          names,
          ...(label !== false && { label: label === true ? String(words) : label }),
        };
      })}
    />
  );
}
