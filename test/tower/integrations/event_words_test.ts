/** What happened to an integration is told in sentences. */

import { describe, expect, test } from "bun:test";
import type { HealthEventView } from "../../../src/integrations/integrations.ts";
import { EventHistory, sentenceOf, toldEvents, whomOf } from "../../../src/tower/integrations/events.tsx";
import type { Safe } from "../../../src/tower/jsx/jsx-runtime.ts";
import { renderDocument } from "../../../src/tower/jsx/jsx-runtime.ts";
import { instant } from "../../support/clock.ts";
import { byId, parsed, textOf } from "../../support/html.ts";
import { inPage } from "../../support/tower_data.ts";

const AT = instant("2026-11-20T14:00:00Z");
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

let made = 0;
const event = (given: Partial<HealthEventView>): HealthEventView => {
  made += 1;
  return {
    id: `event-${made}`,
    at: AT,
    capability: "search-console.daily",
    label: "Search console, daily",
    asset: "harbor.example",
    target: "",
    family: "",
    change: "first_failure",
    category: "access",
    categoryBefore: null,
    ...given,
  };
};

/** Each line as it is read, newest first as the events come. */
const lines = (...events: readonly HealthEventView[]): string[] =>
  toldEvents(events).map((told) => {
    const { before, after } = sentenceOf(told);
    const whom = whomOf(told);
    const name =
      whom.kind === "site" ? whom.asset : whom.kind === "sites" ? `${whom.count} sites` : whom.words;
    return `${before}${name}${after}`;
  });

describe("an event is one sentence", () => {
  test("a beginning says what fails, where and why", () => {
    expect(lines(event({}))[0]).toMatch(
      /^Search console \(daily\) began to fail on harbor\.example: search console refused access\.$/,
    );
  });

  test("a change names the category before and the one now", () => {
    expect(lines(event({ change: "category_change", categoryBefore: "network" }))[0]).toStartWith(
      "Search console (daily) on harbor.example changed from network to access: ",
    );
  });

  test("reports of one run that fail of one cause are one line, however long the run took, and each site once", () => {
    const archive = (asset: string, hours: number, report: string) =>
      event({
        capability: "search-console.archive",
        label: "Search console, archive",
        asset,
        at: AT - hours * HOUR,
        family: JSON.stringify([report, "2026-11-18", "", ""]),
        category: "network",
      });
    const all = [archive("a", 0, "page"), archive("a", 1, "query"), archive("b", 5, "page")];
    expect(lines(...all)).toEqual([
      "Search console (archive, 3 reports) began to fail on 2 sites: search console cannot be reached.",
    ]);
    expect(lines(...all, archive("b", 7, "page"))).toHaveLength(2);
  });

  test("an end says how long it lasted, from the beginning of the same target and through its changes", () => {
    const [line] = lines(
      event({ change: "recovery" }),
      event({ at: AT - HOUR, change: "category_change", categoryBefore: "network" }),
      event({ at: AT - 2 * HOUR, asset: "ferry.example" }),
      event({ at: AT - 3 * HOUR, category: "network" }),
    );
    expect(line).toBe("Search console (daily) worked again on harbor.example after 3 h.");
  });

  test("several that lasted seconds were over in under 1 min", () => {
    const both = (of: Parameters<typeof event>[0]) =>
      ["a.example", "b.example"].map((asset) => event({ asset, category: "network", ...of }));
    expect(lines(...both({ change: "recovery" }), ...both({ at: AT - 9_000 }))[0]).toEndWith(
      " worked again on 2 sites after under 1 min.",
    );
  });

  test("an end whose beginning is not told any more says no length", () => {
    expect(lines(event({ change: "recovery" }))).toEqual([
      "Search console (daily) worked again on harbor.example.",
    ]);
  });

  test("what a site sends is told in words of the sender", () => {
    const nightly = { capability: "ingest.nightly", label: "Nightly reports" };
    expect(lines(event({ ...nightly, category: "invalid_report" }))).toEqual([
      "Nightly reports began to fail on harbor.example: the last nightly report breaks the contract, so it is not stored.",
    ]);
  });

  test("a capability that is not built any more is told without a reason", () => {
    expect(lines(event({ capability: "gone.daily", label: "Gone" }))).toEqual([
      "Gone began to fail on harbor.example.",
    ]);
  });
});

describe("what has one cause is one line", () => {
  const outage = (...assets: readonly string[]) =>
    assets.map((asset, place) => event({ asset, at: AT - place * MINUTE, category: "network" }));

  test("an outage that hits several sites within minutes is told once, and so is its end", () => {
    const sites = ["a.example", "b.example", "c.example"];
    const ends = sites.map((asset) =>
      event({ asset, change: "recovery", at: AT + HOUR, category: "network" }),
    );
    expect(lines(...ends, ...outage(...sites))).toEqual([
      "Search console (daily) worked again on 3 sites after up to 1 h.",
      "Search console (daily) began to fail on 3 sites: search console cannot be reached.",
    ]);
  });

  test("other capabilities, categories and times are lines of their own", () => {
    const [first, second] = outage("a.example", "b.example");
    if (first === undefined || second === undefined) throw new Error("no events");
    expect(lines(first, { ...second, category: "access" })).toHaveLength(2);
    expect(lines(first, { ...second, capability: "analytics.daily" })).toHaveLength(2);
    expect(lines(first, { ...second, at: AT - 16 * MINUTE })).toHaveLength(2);
  });

  test("what concerns a channel is told of it, and of no site", () => {
    for (const kind of ["webhook", "webhook.test"])
      expect(lines(event({ capability: `notices.${kind}`, asset: "" }))[0]).toContain(
        " began to fail on a channel: ",
      );
  });

  test("what concerns an account is told of all its sites, also where one of them is told beside it", () => {
    expect(lines(event({ asset: "" }), event({ at: AT - 1 }))[0]).toStartWith(
      "Search console (daily) began to fail on every site of an account: ",
    );
    const check = { capability: "analytics.site-discovery", label: "Analytics, site list", asset: "" };
    expect(lines(event(check))[0]).toStartWith("Analytics (site list) began to fail on an account: ");
    const sender = { capability: "annotations.post", label: "Annotations", asset: "" };
    expect(lines(event(sender))[0]).toStartWith("Annotations began to fail on a sender: ");
  });
});

test("of more than twenty lines the later ones are folded, be it one", () => {
  const events = Array.from({ length: 21 }, (_, hours) =>
    event({ at: AT - hours * HOUR, asset: `${hours}` }),
  );
  const page = parsed(renderDocument(inPage(() => EventHistory({ events }), { now: AT }) as Safe));
  expect(textOf(byId(page, "events-earlier"))).toStartWith("1 earlier line");
});
