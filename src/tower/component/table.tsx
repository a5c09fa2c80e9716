/**
 * Tables. Those that fold into strips on a narrow page change their display, which drops their meaning for
 * assistive technology, so every part states its role.
 */
import type { Child } from "../jsx/jsx-runtime.ts";
import { Unseen } from "./text.tsx";

/** A heading cell: plain words, or a link that sorts. */
export interface Column {
  readonly words: Child;
  /** A column of numbers, aligned at its end. */
  readonly numeric?: boolean;
  readonly sorted?: "ascending" | "descending" | undefined;
  /** The words are for screen readers only. */
  readonly unseen?: boolean;
}

/** A table with a caption and headings. `fold` turns rows into strips on a narrow page. */
export function Table(props: {
  readonly caption: string;
  readonly columns: readonly Column[];
  readonly class?: string;
  readonly fold?: boolean;
  readonly showCaption?: boolean;
  readonly children: Child;
}) {
  const names = [props.fold === true ? "fold" : "", props.class ?? ""]
    .filter((name) => name !== "")
    .join(" ");
  return (
    <table class={names === "" ? undefined : names} role="table">
      <caption class={props.showCaption === true ? undefined : "vh"}>{props.caption}</caption>
      <thead role="rowgroup">
        <tr role="row">
          {props.columns.map((column) => (
            <th
              scope="col"
              role="columnheader"
              class={column.numeric === true ? "n" : undefined}
              aria-sort={column.sorted}
            >
              {column.unseen === true ? <Unseen>{column.words}</Unseen> : column.words}
            </th>
          ))}
        </tr>
      </thead>
      <tbody role="rowgroup">{props.children}</tbody>
    </table>
  );
}

/** A row; `id` lets a live refresh match it with the row it replaces. */
export function Row({ id, children }: { readonly id?: string; readonly children: Child }) {
  return (
    <tr role="row" id={id}>
      {children}
    </tr>
  );
}

/** The cell that names its row. */
export function RowHead({ children, class: name }: { readonly children: Child; readonly class?: string }) {
  return (
    <th scope="row" role="rowheader" class={name}>
      {children}
    </th>
  );
}

/** A cell. `label` repeats the heading where a narrow page has folded the headings away. */
export function Cell(props: {
  readonly children?: Child;
  readonly label?: string;
  readonly numeric?: boolean;
  readonly class?: string;
}) {
  const names = [props.numeric === true ? "n" : "", props.class ?? ""]
    .filter((name) => name !== "")
    .join(" ");
  return (
    <td role="cell" class={names === "" ? undefined : names} data-l={props.label}>
      {props.children}
    </td>
  );
}
