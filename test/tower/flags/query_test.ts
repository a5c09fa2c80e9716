import { expect, test } from "bun:test";
import { inboxAddress, listHref, sitePlace } from "../../../src/tower/flags/inbox.ts";

test("the tab of a site names the site in its path alone", () => {
  expect(listHref(sitePlace("a b"), { ...inboxAddress.usual, asset: "a b", severity: "warn" })).toBe(
    "/sites/a%20b/flags?severity=warn",
  );
});
