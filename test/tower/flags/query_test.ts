import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import {
  INBOX,
  type InboxQuery,
  inboxAddress,
  listHref,
  NARROWINGS,
  sitePlace,
} from "../../../src/tower/flags/why_empty.ts";

const read = (search: string): InboxQuery => inboxAddress.read(new URLSearchParams(search));

describe("every view of the inbox is a link", () => {
  test("an address leads to the query it was made from", () => {
    const query = fc.record({
      status: fc.constantFrom("open", "snoozed", "resolved"),
      sort: fc.constantFrom("worst", "newest"),
      page: fc.integer({ min: 1, max: 999_999 }),
      severity: fc.constantFrom("info", "warn", "error", undefined),
      kind: fc.constantFrom("anomaly", "opportunity", "milestone", undefined),
      rule: fc.option(fc.string({ minLength: 1, maxLength: 40 }), { nil: undefined }),
      asset: fc.option(fc.string({ minLength: 1, maxLength: 40 }), { nil: undefined }),
      origin: fc.constantFrom("site", "rule", "provider", undefined),
      mark: fc.constantFrom("unread", "acknowledged", "incident", "hypothesis", undefined),
    }) as fc.Arbitrary<InboxQuery>;
    fc.assert(fc.property(query, (one) => expect(read(inboxAddress.search(one))).toEqual(one)));
  });

  test("the inbox as it is at first needs no query", () => {
    expect(inboxAddress.search(INBOX)).toBe("");
    expect(read("")).toEqual({
      ...INBOX,
      ...Object.fromEntries(NARROWINGS.map((name) => [name, undefined])),
    });
  });

  for (const search of [
    "status=gone&page=0",
    "page=-1",
    "page=1e9",
    "severity=loud&sort=up",
    "rule=&asset=",
  ]) {
    test(`${search} is left out: an old link still opens`, () => {
      expect(inboxAddress.search(read(search))).toBe("");
    });
  }

  test("the tab of a site names the site in its path alone", () => {
    expect(listHref(sitePlace("a b"), { ...INBOX, asset: "a b", severity: "warn" })).toBe(
      "/sites/a%20b/flags?severity=warn",
    );
  });
});
