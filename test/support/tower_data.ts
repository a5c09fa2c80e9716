/** Canned data for the Tower's pages: fixed. */

import { addDays, startOfDay, type UtcDay } from "../../src/base/time.ts";
import { REPORT_ROUTES, type RefusedReport } from "../../src/health/refusals.ts";
import type { CodebaseReport } from "../../src/reports/measures.ts";
import type { FreshToken } from "../../src/tower/fresh_tokens.ts";
import { NAV, type Shell } from "../../src/tower/keyboard.tsx";
import { within } from "../../src/tower/kit/here.ts";
import type { Destination } from "../../src/tower/site/ways.tsx";
import type { SiteRow } from "../../src/tower/sites/portfolio.ts";

export const TODAY = "2026-11-20" as UtcDay;
/** 14:02:10 UTC on that day. */
export const NOW = startOfDay(TODAY) + 50_530_000;

/** The shell of a signed-in operator's page. */
export function shellOf(changes: Partial<Shell> = {}): Shell {
  return {
    addressOf: (file) => `/static/${file}`,
    nav: NAV.map((item) => (item.id === "flags" ? { ...item, count: 23 } : item)),
    operator: "ada",
    version: "0.1.0",
    here: "/",
    notice: null,
    answersForm: false,
    ...changes,
  };
}

/** Renders as the page of a request does, at NOW unless it says another moment. */
export function inPage<Made>(
  make: () => Made,
  { now = NOW, ...shell }: Partial<Shell> & { readonly now?: number } = {},
): Made {
  return within({ now, shell: shellOf(shell) }, make);
}

/** Nothing needs attention. */
export const CALM = {
  entries: [],
  serviceAsset: "tower",
  pictures: new Map(),
  coverage: {
    state: "complete",
    reason: null,
    configured: 0,
    monitored: 0,
    unmonitored: 0,
    more: { archive: 0, operations: 0 },
  },
  unknown: 0,
  unwatched: [],
  unjudged: { sites: [], backlog: { reports: 0, since: undefined } },
  isUnheard: false,
} as const;

export const DESTINATION: Destination = {
  asset: "trailledger",
  ingest: "http://127.0.0.1:4610",
  here: "http://127.0.0.1:4610",
  container: null,
  token: null,
  loopback: true,
};

/** A report as it was sent, with its required fields. */
export function sentReport(changes: Partial<CodebaseReport> = {}): CodebaseReport {
  return { asset: "trailledger", generatedAt: "2026-11-18T06:12:00Z", measures: {}, ...changes };
}

/** `count` sites of every kind. */
export function siteRows(count: number): SiteRow[] {
  return Array.from({ length: count }, (_, index) => {
    const date = addDays(TODAY, -(index % 9));
    return {
      asset: `site-${String(index).padStart(4, "0")}`,
      url: index % 11 === 5 ? null : `https://site-${index}.example`,
      group: index % 3 === 0 ? null : `Group ${index % 3}`,
      lifecycle: index % 17 === 3 ? "pre-launch" : index % 23 === 7 ? "retired" : "live",
      openFlags: {
        error: index % 31 === 1 ? 1 : 0,
        warn: index % 13 === 2 ? 2 : 0,
        info: index % 7 === 4 ? 1 : 0,
      },
      snoozed: index % 19 === 6 ? 2 : 0,
      ...(index % 8 !== 6 && {
        codebase: {
          date,
          receivedAt: startOfDay(date),
          codeLines: index % 10 === 9 ? null : 1_000 + index * 317,
        },
      }),
      standing: standingOf(index),
    };
  });
}

function standingOf(index: number): SiteRow["standing"] {
  const receivedAt = index % 6 === 5 ? null : NOW - (index % 30) * 3_600_000;
  const state =
    index % 23 === 7
      ? "retired"
      : index % 17 === 3
        ? "pre_launch"
        : receivedAt === null
          ? "never_reported"
          : index % 30 > 26
            ? "silent"
            : index % 29 === 8
              ? "paused"
              : "reporting";
  return { state, receivedAt, pausedUntil: state === "paused" ? NOW + 86_400_000 : null };
}

/** Refusals of a nightly report for one reason; `text` stands where the sender wrote. */
export function refusedReport(text = "/metrics/signups/last24h", count = 7): RefusedReport {
  return {
    asset: "harbor",
    route: REPORT_ROUTES.nightly,
    status: 422,
    code: "broken-contract",
    faults: [{ pointer: text, rule: "count", message: "must be a whole number of 0 or more" }],
    more: 2,
    firstAt: NOW - 9 * 86_400_000,
    lastAt: NOW,
    count,
  };
}

/** A token that may still be shown. */
export const FRESH: FreshToken = {
  kind: "site",
  name: "kilnandclay",
  token: "smt_3fq9mwc2_VbX7uLhYtE0aZrK1d",
  until: NOW + 1_800_000,
  operatorAdded: false,
};
