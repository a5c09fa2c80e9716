/** What happened to an integration is told in sentences. */

import { expect, test } from "bun:test";
import type { HealthEventView } from "../../../src/integrations/integrations.ts";
import { EventHistory, sentenceOf, toldEvents, whomOf } from "../../../src/tower/integrations/events.tsx";
import type { Safe } from "../../../src/tower/jsx/jsx-runtime.ts";
import { renderDocument } from "../../../src/tower/jsx/jsx-runtime.ts";
import { instant } from "../../support/clock.ts";
import { byId, parsed, textOf } from "../../support/html.ts";
import { recordEach, seeded } from "../../support/mixtures.ts";
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

/** Capabilities of each kind, one of which is not built any more. */
const CAPABILITIES =
  "search-console.daily search-console.archive analytics.daily analytics.site-discovery ingest.nightly annotations.post notices.webhook notices.webhook.test gone.daily".split(
    " ",
  );

test("of 150 mixtures of events, recorded", () => {
  recordEach(
    Array.from({ length: 150 }, (_, seed) => seed + 1),
    (seed) => {
      const next = seeded(seed);
      const one = <T>(...of: readonly T[]) => of[Math.floor(next() * of.length)] as T;
      let at = AT;
      const events = Array.from({ length: 1 + Math.floor(next() * 7) }, () => {
        at -= one(0, 1, 9_000, 5 * MINUTE, 14 * MINUTE, 16 * MINUTE, 3 * HOUR, 7 * HOUR);
        const capability = next() < 0.7 ? "search-console.daily" : one(...CAPABILITIES);
        const isArchive = capability.endsWith("archive");
        return event({
          ...{ at, capability, label: capability.replace(".", ", "), asset: one("a", "a", "b", "c", "") },
          ...{
            change: one("first_failure", "recovery", "category_change"),
            category: one("network", "access", "invalid_report"),
          },
          ...{
            categoryBefore: one("network", null),
            family: isArchive ? JSON.stringify([one("page", "query"), "2026-11-18", "", ""]) : "",
          },
        });
      });
      return lines(...events);
    },
  );
});

test("reports of one run that fail of one cause are one line, however long the run took", () => {
  const failed = [0, 1, 5, 7].map((hours) => {
    const of = { capability: "search-console.archive", label: "Search console, archive" };
    return event({ ...of, at: AT - hours * HOUR, family: JSON.stringify(["page", "2026-11-18", "", ""]) });
  });
  expect([failed.slice(0, 3), failed].map((events) => lines(...events).length)).toEqual([1, 2]);
});

test("of more than twenty lines the later ones are folded, be it one", () => {
  const events = Array.from({ length: 21 }, (_, hours) =>
    event({ at: AT - hours * HOUR, asset: `${hours}` }),
  );
  const page = parsed(renderDocument(inPage(() => EventHistory({ events }), { now: AT }) as Safe));
  expect(textOf(byId(page, "events-earlier"))).toStartWith("1 earlier line");
});
