import { expect, test } from "bun:test";
import { renderDocument } from "../../../src/tower/jsx/jsx-runtime.ts";
import { Page } from "../../../src/tower/layout.tsx";
import { elements, parsed, textOf } from "../../support/html.ts";
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

test("a page that is worked on, or answers a form, never asks and says as of when it is", () => {
  for (const html of [page({ still: true }), page({}, true)]) {
    const still = body(html);
    expect(still === undefined ? ["none"] : still.attrs.map(({ name }) => name)).toStrictEqual([]);
    expect(textOf(parsed(html))).toContain("As of 14:02:10");
  }
});
