/**
 * Tables. Those that fold into strips on a narrow page change their display, which drops their meaning for
 * assistive technology, so every part states its role.
 */
import type { Child } from "../jsx/jsx-runtime.ts";
import { Unseen } from "./text.tsx";

/** One column: its heading, and its cell of each item. */
export interface ColumnOf<Item> extends Column {
  readonly cell: (item: Item, place: number) => Child;
  /** Its cells name their rows. */
  readonly names?: boolean;
  /** Repeats the heading where a narrow page has folded the headings away; `true` for the very words. */
  readonly label?: string | true;
  readonly class?: string | undefined;
}

interface TableProps {
  readonly caption: string;
  readonly class?: string | undefined;
  /** Turns rows into strips on a narrow page. */
  readonly fold?: boolean;
  readonly showCaption?: boolean;
}

/** A table of items, one row each. Columns that are null are left out. */
export function DataTable<Item>(
  props: TableProps & {
    readonly columns: readonly (ColumnOf<Item> | null)[];
    readonly items: readonly Item[];
    /** Stands in the place of a table without rows. */
    readonly empty?: Child;
    /** Lets a live refresh match a row with the one it replaces. */
    readonly id?: (item: Item) => string;
  },
) {
  const { items, id, empty, ...table } = props;
  if (items.length === 0 && empty !== undefined) return <>{empty}</>;
  const columns = props.columns.filter((column) => column !== null);
  return (
    <Table {...table} columns={columns}>
      {items.map((item, place) => (
        <Row id={id?.(item)}>
          {columns.map((column) => (
            <CellOf column={column}>{column.cell(item, place)}</CellOf>
          ))}
        </Row>
      ))}
    </Table>
  );
}

function CellOf<Item>({ column, children }: { readonly column: ColumnOf<Item>; readonly children: Child }) {
  const { names = false, numeric = false, label, words, class: name } = column;
  if (names) return <RowHead class={name}>{children}</RowHead>;
  return (
    <Cell numeric={numeric} class={name} label={label === true ? String(words) : label}>
      {children}
    </Cell>
  );
}

/** A heading cell: plain words, or a link that sorts. */
export interface Column {
  readonly words: Child;
  /** A column of numbers, aligned at its end. */
  readonly numeric?: boolean;
  readonly sorted?: "ascending" | "descending" | undefined;
  /** The words are for screen readers only. */
  readonly unseen?: boolean;
}

/** A table with a caption and headings. */
export function Table(props: TableProps & { readonly columns: readonly Column[]; readonly children: Child }) {
  return (
    <table class={classOf(props.fold === true ? "fold" : undefined, props.class)} role="table">
      <caption class={props.showCaption === true ? undefined : "vh"}>{props.caption}</caption>
      <thead role="rowgroup">
        <tr role="row">
          {props.columns.map(({ words, numeric, sorted, unseen }) => (
            <th scope="col" role="columnheader" class={numeric === true ? "n" : undefined} aria-sort={sorted}>
              {unseen === true ? <Unseen>{words}</Unseen> : words}
            </th>
          ))}
        </tr>
      </thead>
      <tbody role="rowgroup">{props.children}</tbody>
    </table>
  );
}

export function Row({ id, children }: { readonly id?: string | undefined; readonly children: Child }) {
  return (
    <tr role="row" id={id}>
      {children}
    </tr>
  );
}

/** The cell that names its row. */
export function RowHead(props: { readonly children: Child; readonly class?: string | undefined }) {
  return (
    <th scope="row" role="rowheader" class={props.class}>
      {props.children}
    </th>
  );
}

/** A cell. `label` repeats the heading where a narrow page has folded the headings away. */
export function Cell(props: {
  readonly children?: Child;
  readonly label?: string | undefined;
  readonly numeric?: boolean;
  readonly class?: string | undefined;
}) {
  return (
    <td
      role="cell"
      class={classOf(props.numeric === true ? "n" : undefined, props.class)}
      data-l={props.label}
    >
      {props.children}
    </td>
  );
}

function classOf(...names: readonly (string | undefined)[]): string | undefined {
  const given = names.filter((name) => name !== undefined && name !== "");
  return given.length === 0 ? undefined : given.join(" ");
}
