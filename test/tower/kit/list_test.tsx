import { expect, test } from "bun:test";
import { type Column, changeColumn, inOrder, sortOf } from "../../../src/tower/kit/list.tsx";
import { recordEach } from "../../support/mixtures.ts";
import { texts } from "../../support/words.ts";

interface Row {
  readonly name: string;
  readonly clicks: number | null;
  readonly before: number | null;
}

const ROWS: readonly Row[] = [
  { name: "b", clicks: 9, before: null },
  { name: "a", clicks: null, before: 4 },
  { name: "d", clicks: 10, before: 20 },
  { name: "c", clicks: 9, before: 3 },
  { name: "e", clicks: 5, before: 0 },
];
const COLUMNS: readonly (Column<Row> | null)[] = [
  null,
  ["Name", ({ name }) => name, { sort: ["name", ({ name }) => name] }],
  ["Clicks", ({ clicks }) => clicks, { numeric: true, sort: ["clicks", ({ clicks }) => clicks] }],
  changeColumn("Change", ({ clicks, before }) => ({ now: clicks, before }), "change"),
  ["Unsorted", ({ before }) => before],
];

test("rows are in order: numbers from the largest, names from A, absent ones last, ties as they were; recorded", () => {
  recordEach(texts("clicks|-clicks|name|-name|change|-change|no such column"), (by) =>
    inOrder(ROWS, COLUMNS, by).map(({ name }) => name),
  );
});

test("an order that no column has reads as the usual one", () => {
  const { read } = sortOf(["name", "clicks"], "clicks");
  expect(["clicks", "-name", "--name", "cost", ""].map(read)).toMatchSnapshot();
});
