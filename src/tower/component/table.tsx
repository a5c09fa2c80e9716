/**
 * Tables. Those that fold into strips on a narrow page change their display, which drops their meaning for
 * assistive technology, so every part states its role.
 */
import type { Child } from "../jsx/jsx-runtime.ts";
import { Unseen } from "./text.tsx";

/** One column: its heading, and its cell of each item. */
export interface ColumnOf<Item> {
  /** The heading: plain words, or a link that sorts. */
  readonly words: Child;
  readonly cell: (item: Item, place: number) => Child;
  /** Its cells name their rows. */
  readonly names?: boolean;
  /** Repeats the heading where a narrow page has folded the headings away; `true` for the very words. */
  readonly label?: string | true;
  /** A column of numbers, aligned at its end. */
  readonly numeric?: boolean;
  readonly class?: string | undefined;
  readonly sorted?: "ascending" | "descending" | undefined;
  /** The heading is for screen readers only. */
  readonly unseen?: boolean;
}

/** A table of items, one row each. Columns that are null are left out. */
export function DataTable<Item>(props: {
  readonly caption: string;
  readonly columns: readonly (ColumnOf<Item> | null)[];
  readonly items: readonly Item[];
  /** What stands in the place of a table without items. */
  readonly empty?: Child;
  /** Lets a live refresh match a row with the one it replaces. */
  readonly id?: (item: Item) => string;
  readonly class?: string | undefined;
  /** Turns rows into strips on a narrow page. */
  readonly fold?: boolean;
  readonly showCaption?: boolean;
}) {
  if (props.items.length === 0 && props.empty !== undefined) return <>{props.empty}</>;
  const columns = props.columns.filter((column) => column !== null);
  return (
    <table class={classOf(props.fold === true && "fold", props.class)} role="table">
      <caption class={props.showCaption === true ? undefined : "vh"}>{props.caption}</caption>
      <thead role="rowgroup">
        <tr role="row">
          {columns.map(({ words, numeric, sorted, unseen }) => (
            <th scope="col" role="columnheader" class={classOf(numeric === true && "n")} aria-sort={sorted}>
              {unseen === true ? <Unseen>{words}</Unseen> : words}
            </th>
          ))}
        </tr>
      </thead>
      <tbody role="rowgroup">
        {props.items.map((item, place) => (
          <tr role="row" id={props.id?.(item)}>
            {columns.map((column) => (
              <Cell column={column}>{column.cell(item, place)}</Cell>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Cell<Item>({ column, children }: { readonly column: ColumnOf<Item>; readonly children: Child }) {
  const { names, numeric, label, words, class: name } = column;
  if (names === true) {
    return (
      <th scope="row" role="rowheader" class={name}>
        {children}
      </th>
    );
  }
  return (
    <td
      role="cell"
      class={classOf(numeric === true && "n", name)}
      data-l={label === true ? String(words) : label}
    >
      {children}
    </td>
  );
}

function classOf(...names: readonly (string | false | undefined)[]): string | undefined {
  const given = names.filter((name) => name !== undefined && name !== false);
  return given.length === 0 ? undefined : given.join(" ");
}
