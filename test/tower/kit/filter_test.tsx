import { describe, expect, test } from "bun:test";
import { render } from "../../../src/tower/jsx/jsx-runtime.ts";
import {
  address,
  DAY,
  FilterForm,
  Filters,
  named,
  oneOf,
  PAGE,
  sought,
} from "../../../src/tower/kit/address.tsx";
import { attribute, parsed, tagged, textOf } from "../../support/html.ts";

const list = address({
  status: oneOf(["open", "shut"], "open"),
  kind: oneOf(["drop", "rise"], null),
  rule: named(20, null),
  q: sought(20),
  from: DAY,
  page: PAGE,
});
const read = (query: string) => list.read(new URLSearchParams(query));
const filter = (query: string) => ({
  path: "/list",
  address: list,
  query: read(query),
  words: { kind: "Kind", rule: "Rule", q: "Text", from: "From" },
});

describe("a filter made from an address", () => {
  test("has a control for each parameter, of its kind, with what is asked for in it", () => {
    const form = parsed(render(<FilterForm {...filter("kind=rise&rule=a%22b&from=2026-03-01")} />));
    const controls = tagged(form, "input").map((input) => [
      attribute(input, "name"),
      attribute(input, "type") ?? "text",
      attribute(input, "value"),
    ]);
    expect(controls).toEqual([
      ["rule", "text", 'a"b'],
      ["q", "search", ""],
      ["from", "date", "2026-03-01"],
    ]);
    const options = tagged(form, "option");
    expect(options.map(textOf)).toEqual(["any", "drop", "rise"]);
    expect(options.map((option) => attribute(option, "selected") !== undefined)).toEqual([
      false,
      false,
      true,
    ]);
  });

  test("keeps the rest of the view, and begins its list anew", () => {
    const form = parsed(render(<FilterForm {...filter("status=shut&page=4&q=x")} />));
    const hidden = tagged(form, "input").filter((input) => attribute(input, "type") === "hidden");
    expect(hidden.map((input) => [attribute(input, "name"), attribute(input, "value")])).toEqual([
      ["status", "shut"],
    ]);
  });

  test("shows what is on as chips that take it off, and nothing when nothing is", () => {
    const chips = tagged(parsed(render(<Filters {...filter("status=shut&kind=drop&q=x&page=4")} />)), "a");
    expect(chips.map((chip) => [textOf(chip).replace(/\s*×\s*$/, ""), attribute(chip, "href")])).toEqual([
      ["Kind: drop", "/list?status=shut&q=x"],
      ["Text: x", "/list?status=shut&kind=drop"],
    ]);
    expect(tagged(parsed(render(<Filters {...filter("status=shut")} />)), "a")).toEqual([]);
  });
});
