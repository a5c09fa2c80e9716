import { describe, expect, test } from "bun:test";
import { parseProperties, parseTimeZone } from "../../src/providers/analytics_properties.ts";

const account = (...propertySummaries: readonly object[]) => ({
  name: "accountSummaries/100",
  account: "accounts/100",
  displayName: "Acme",
  ...(propertySummaries.length === 0 ? {} : { propertySummaries }),
});
const property = (id: string, displayName?: string) => ({
  property: `properties/${id}`,
  ...(displayName === undefined ? {} : { displayName }),
  propertyType: "PROPERTY_TYPE_ORDINARY",
  parent: "accounts/100",
});

describe("a page of properties", () => {
  test("lists those of every account, by the id that reports are asked with", () => {
    const json = {
      accountSummaries: [
        account(property("1000", "Harbor"), property("1001")),
        account(),
        account(property("7", "")),
      ],
      nextPageToken: "next",
    };
    const read = parseProperties(json);
    expect(read.ok && read.value.nextPageToken).toBe("next");
    expect(read.ok && read.value.items.map(({ property: id, name }) => [id, name])).toEqual([
      ["1000", "Harbor"],
      ["1001", "1001"],
      ["7", "7"],
    ]);
    expect(
      read.ok && read.value.items.every(({ usable, timeZone }) => usable && timeZone === undefined),
    ).toBe(true);
  });

  test("is `{}` for who has access to nothing; what is no list is none", () => {
    expect(parseProperties({})).toEqual({ ok: true, value: { items: [], nextPageToken: undefined } });
    expect(parseProperties({ accountSummaries: [], nextPageToken: "" })).toMatchObject({ ok: true });
    for (const json of [
      null,
      [],
      "x",
      { summaries: [] },
      { accountSummaries: null },
      { accountSummaries: {} },
      { accountSummaries: [{}] },
      { accountSummaries: [[]] },
      { accountSummaries: [account({ displayName: "x" })] },
      { accountSummaries: [account(property("abc"))] },
      { accountSummaries: [account(property("1/../2"))] },
      { accountSummaries: [account(property("1000"))], nextPageToken: 7 },
    ])
      expect([json, parseProperties(json)]).toMatchObject([
        json,
        { ok: false, fault: { category: "invalid_report" } },
      ]);
  });
});

test("a property's settings tell its time zone, if they are its own and this machine knows it", () => {
  const settings = { name: "properties/1000", timeZone: "America/Los_Angeles", currencyCode: "USD" };
  expect(parseTimeZone(settings, "1000")).toBe("America/Los_Angeles");
  expect(parseTimeZone(settings, "1001")).toBeUndefined();
  for (const json of [{}, null, [], { ...settings, timeZone: "Mars/Olympus" }, { ...settings, timeZone: 7 }])
    expect(parseTimeZone(json, "1000")).toBeUndefined();
});
