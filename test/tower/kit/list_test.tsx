import { expect, test } from "bun:test";
import { render } from "../../../src/tower/jsx/jsx-runtime.ts";
import { Change, type Column, changeColumn, inOrder, List, sortOf } from "../../../src/tower/kit/list.tsx";
import { attribute, elements, parsed, tagged, textOf } from "../../support/html.ts";

/** Each cell of the one row: its role, and what a narrow page repeats before it. */
function cells(columns: readonly (Column<string> | null)[], fold = true) {
  const html = parsed(render(<List of="Things" items={["a"]} columns={columns} fold={fold} />));
  return elements(
    html,
    ({ tagName, attrs }) => attrs.some(({ value }) => /^(?:cell|rowheader)$/.test(value)) && tagName !== "tr",
  ).map((cell) => [attribute(cell, "role"), attribute(cell, "data-l")]);
}

test("the first column names the row; others repeat their heading, but for those over the whole width or unseen", () => {
  const cell = (item: string) => item;
  expect(
    cells([
      ["Name", cell],
      null,
      ["Plain", cell],
      ["Other words", cell, { label: "Words" }],
      ["Bare", cell, { label: false }],
      ["Wide", cell, { class: "all" }],
      ["Wide too", cell, { class: "all", label: true }],
      ["Act", cell, { unseen: true }],
    ]),
  ).toEqual([
    ["rowheader", undefined],
    ["cell", "Plain"],
    ["cell", "Words"],
    ["cell", undefined],
    ["cell", undefined],
    ["cell", "Wide too"],
    ["cell", undefined],
  ]);
});

test("another column may name the row, or none; a table that does not fold repeats nothing", () => {
  const cell = (item: string) => item;
  expect(
    cells([
      ["State", cell],
      ["Name", cell, { names: true }],
    ]),
  ).toEqual([
    ["cell", "State"],
    ["rowheader", undefined],
  ]);
  expect(cells([["When", cell, { names: false }]])).toEqual([["cell", "When"]]);
  expect(
    cells(
      [
        ["Name", cell],
        ["Count", cell],
      ],
      false,
    ),
  ).toEqual([
    ["rowheader", undefined],
    ["cell", undefined],
  ]);
});

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

/** Each heading: its words, where its link leads, and the order it says the rows are in. */
function headings(by: string) {
  const items = inOrder(ROWS, COLUMNS, by);
  const sort = { by, href: (key: string) => `?sort=${key}` };
  const html = parsed(render(<List of="Things" items={items} columns={COLUMNS} sort={sort} />));
  return tagged(html, "th")
    .filter((th) => attribute(th, "scope") === "col")
    .map((th) => [
      textOf(th),
      tagged(th, "a")
        .map((a) => attribute(a, "href"))
        .join(),
      attribute(th, "aria-sort"),
    ]);
}

test("a heading sorts by its column, and the one that is sorted by turns the order round and says which way it goes", () => {
  expect(headings("clicks")).toEqual([
    ["Name", "?sort=name", undefined],
    ["Clicks", "?sort=-clicks", "descending"],
    ["Change", "?sort=change", undefined],
    ["Unsorted", "", undefined],
  ]);
  const sorted = (by: string) => headings(by).filter(([, , order]) => order !== undefined);
  expect(sorted("-clicks")).toEqual([["Clicks", "?sort=clicks", "ascending"]]);
  expect(sorted("name")).toEqual([["Name", "?sort=-name", "ascending"]]);
  expect(sorted("-name")).toEqual([["Name", "?sort=name", "descending"]]);
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
