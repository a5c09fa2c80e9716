import { describe, expect, test } from "bun:test";
import { renderDocument } from "../../../src/tower/jsx/jsx-runtime.ts";
import { Page } from "../../../src/tower/layout.tsx";
import { attribute, elements, parsed, textOf } from "../../support/html.ts";
import { inPage } from "../../support/tower_data.ts";

const body = (html: string) => elements(parsed(html), ({ tagName }) => tagName === "body")[0];

const page = (props: { still?: boolean }, answersForm = false) =>
  renderDocument(
    inPage(
      () => (
        <Page title="Sites" current="sites" {...props}>
          <p>x</p>
        </Page>
      ),
      { answersForm },
    ),
  );

describe("a page", () => {
  test("asks for itself every minute, at its own address", () => {
    const own = body(page({}));
    expect(own === undefined ? [] : [attribute(own, "data-every"), attribute(own, "data-ask")]).toEqual([
      "60",
      undefined,
    ]);
    expect(textOf(parsed(page({})))).toContain("Read 14:02:10");
  });

  test("renews its navigation, its day and its content together, each under an id", () => {
    const fresh = elements(parsed(page({})), (element) => attribute(element, "data-fresh") !== undefined);
    expect(fresh.map((element) => attribute(element, "id"))).toEqual(["nav", "main"]);
  });

  test("that is worked on, or answers a form, never asks and says as of when it is", () => {
    for (const html of [page({ still: true }), page({}, true)]) {
      const still = body(html);
      expect(still === undefined ? ["none"] : still.attrs.map(({ name }) => name)).toEqual([]);
      expect(textOf(parsed(html))).toContain("As of 14:02:10");
    }
  });
});
