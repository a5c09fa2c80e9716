import { expect, test } from "bun:test";
import { INBOX, listHref, sitePlace } from "../../../src/tower/flags/inbox.ts";

test("the tab of a site names the site in its path alone", () => {
  expect(listHref(sitePlace("a b"), { ...INBOX, asset: "a b", severity: "warn" })).toBe(
    "/sites/a%20b/flags?severity=warn",
  );
});
