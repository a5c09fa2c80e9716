import { expect, test } from "bun:test";
import { render } from "../../../src/tower/jsx/jsx-runtime.ts";
import { Change, type Column, changeColumn, inOrder, sortOf } from "../../../src/tower/kit/list.tsx";
import { parsed, textOf } from "../../support/html.ts";

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

test.each([
  ["clicks", "dbcea"],
  ["-clicks", "ebcda"],
  ["name", "abcde"],
  ["-name", "edcba"],
  ["change", "ecdba"],
  ["-change", "dceba"],
  ["no such column", "badce"],
])(
  "sorted by %s the rows are %s: numbers from the largest, names from A, absent ones last, ties as they were",
  (by, names) => {
    expect(
      inOrder(ROWS, COLUMNS, by)
        .map(({ name }) => name)
        .join(""),
    ).toBe(names);
  },
);

test("an order that no column has reads as the usual one", () => {
  const { read } = sortOf(["name", "clicks"], "clicks");
  expect(["clicks", "-name", "--name", "cost", ""].map(read)).toEqual([
    "clicks",
    "-name",
    undefined,
    undefined,
    undefined,
  ]);
});

test.each([
  [112, 100, "+12%"],
  [36, 100, "−64%"],
  [1011, 1000, "+1.1%"],
  [100, 100, "0%"],
  [0, 0, "0%"],
  [100_001, 100_000, "0%"],
  [110, 10, "+1,000%"],
  [0, 8, "−100%"],
  [-5, -10, "+50%"],
  [3, 0, "new"],
  [3, null, "–No earlier data to compare"],
  [null, 3, "–No data"],
])("%p after %p is a change of %p", (now, before, words) => {
  expect(textOf(parsed(`<p>${render(<Change now={now} before={before} />)}</p>`))).toBe(words);
});
