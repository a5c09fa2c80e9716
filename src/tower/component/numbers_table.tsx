import { type ColumnOf, DataTable } from "./table.tsx";

/** The numbers of a chart for who would rather read them: a table behind a summary, which scrolls by itself. */
export function NumbersTable<Item>(props: {
  readonly caption: string;
  readonly items: readonly Item[];
  readonly columns: readonly ColumnOf<Item>[];
}) {
  return (
    <details class="as-table">
      <summary>Show the numbers as a table</summary>
      <div tabindex={0} role="region" aria-label="The numbers of the charts">
        <DataTable showCaption {...props} />
      </div>
    </details>
  );
}
