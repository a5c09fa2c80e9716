import { expect, test } from "bun:test";
import { render } from "../../../src/tower/jsx/jsx-runtime.ts";
import { type Column, List } from "../../../src/tower/kit/list.tsx";
import { attribute, elements, parsed } from "../../support/html.ts";

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
