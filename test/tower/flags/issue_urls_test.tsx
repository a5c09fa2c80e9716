import { expect, test } from "bun:test";
import { IssueUrls, issueUrls } from "../../../src/tower/flags/article.tsx";
import { render } from "../../../src/tower/jsx/jsx-runtime.ts";

const flag = (urls: readonly unknown[], url_count: unknown = urls.length) => ({
  rule: "provider-issue",
  rule_inputs: { urls, url_count },
});

function shown(of: ReturnType<typeof flag>): string {
  return String(render(<IssueUrls row={of} urls={issueUrls(of) ?? []} />));
}

test("50 URLs of 73 are listed, with how many there are", () => {
  const html = shown(
    flag(
      Array.from({ length: 50 }, (_, n) => `https://x/${n}`),
      73,
    ),
  );
  expect(html).toContain("the first 50 of 73");
  expect(html.split("<li>")).toHaveLength(51);
});

test("one URL stands alone, and what a crawler met is text and no link", () => {
  const html = shown(flag(["https://x/<script>alert(1)</script>"]));
  expect(html).not.toContain("<script>");
  expect(html).not.toContain("<a ");
});

test("inputs of another release, and flags that are no provider's issue, show no list", () => {
  expect(issueUrls({ rule: "provider-issue", rule_inputs: { urls: "x" } })).toBeUndefined();
  expect(issueUrls({ rule: "provider-issue", rule_inputs: null })).toBeUndefined();
  expect(issueUrls({ rule: "flow-drop", rule_inputs: { urls: [] } })).toBeUndefined();
  expect(issueUrls(flag([1, "https://x/", null]))).toEqual(["https://x/"]);
});
