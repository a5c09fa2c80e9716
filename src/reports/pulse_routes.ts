/** `POST /api/pulse` and its list: a nightly report is checked, stored as the next revision of its UTC day, and answered. */

import { Elysia } from "elysia";
import type { ReadDeps } from "../access/access.ts";
import {
  assetId,
  date,
  type Endpoint,
  instant,
  list,
  object,
  pointers,
  revision,
  text,
} from "../base/api_description.ts";
import type { Problem } from "../base/problem.ts";
import { brokenContract, RECEIVE_REFUSALS } from "../base/receive.ts";
import { dayNumber, parseInstant, type UtcDay, utcDayOf } from "../base/time.ts";
import { applySiteFlags } from "../flags/site_flags.ts";
import { reportList, reportReads } from "../sites/report_lists.ts";
import {
  type ReportSenderDeps,
  SENDER_REFUSALS,
  type TakenReport,
  takeReport,
} from "../sites/report_sender.ts";
import { SENT } from "../sites/rule_catalogue.ts";
import type { Core } from "../store/core.ts";
import type { Tx } from "../store/store.ts";
import { appendPulse, listPulses, MAX_PULSE_BYTES, type Pulse, PulseSchema } from "./pulse.ts";
import { keptIgnored } from "./reports.ts";
import { countNoted, findKnown, LAG_DAYS, noteMetrics } from "./series.ts";

// The names of a site's metrics, and the bound on them (decided: 1,000 that had a reading in the last 400 days).

/** Most names of metrics that a site may hold. */
export const MAX_NAMES = 1_000;
/** Days after its last reading on which a name still counts. */
const NAME_DAYS = 400;

/** What a report says of names. */
interface SentNames {
  readonly asset: string;
  readonly names: readonly string[];
  /** The report's day, and the day it is received on. */
  readonly date: UtcDay;
  readonly today: UtcDay;
}

/**
 * Notes that the names had a reading on the report's day. Answers how many names the site would hold, and notes nothing, when the
 * report brings new ones and the site would hold more than `most`: names it holds already it may always send, and a day that lies
 * back further than names are counted holds none.
 */
function holdNames(tx: Tx, sent: SentNames, most: number): number | undefined {
  const { asset, names, date, today } = sent;
  if (names.length === 0) return undefined;
  const of = { asset, source: SENT };
  const [day, from] = [dayNumber(date), dayNumber(today) - NAME_DAYS];
  const { known, oldest } = findKnown(tx, of, names);
  const allKnown = known === names.length && oldest !== null;
  if (allKnown && oldest >= day - LAG_DAYS) return undefined;
  if (day >= from && !(allKnown && oldest >= from)) {
    const fresh = names.length - countNoted(tx, of, from, names);
    const all = countNoted(tx, of, from) + fresh;
    if (fresh > 0 && all > most) return all;
  }
  noteMetrics(tx, of, names, day);
  return undefined;
}

/**
 * Stores a nightly report as the next revision of its UTC day with the flags it carries, in the caller's transaction. The flow
 * rules follow off the path of the answer. Throws a `Problem` when the site would hold more names of metrics than it may.
 */
export function acceptPulse(
  tx: Tx,
  accepted: TakenReport<Pulse> & {
    readonly newId: () => string;
    /** Most names of metrics that the site may hold; without a bound for the service's own report, which has one for each site. */
    readonly mostNames?: number;
  },
) {
  const { report, body, receivedAt, newId, ignored = [], mostNames = Number.POSITIVE_INFINITY } = accepted;
  const { asset } = report;
  const generatedAt = parseInstant(report.generatedAt);
  if (generatedAt === undefined)
    throw new TypeError("a report without a readable generatedAt passed the contract");
  const date = utcDayOf(generatedAt);
  const valued = Object.entries(report.metrics).filter(([, figures]) => Object.keys(figures).length > 0);
  const names = { asset, names: valued.map(([name]) => name), date, today: utcDayOf(receivedAt) };
  const held = holdNames(tx, names, mostNames);
  if (held !== undefined) throw tooManyNames(held, mostNames);
  const { revision, isLatest } = appendPulse(tx, {
    asset,
    date,
    receivedAt,
    generatedAt,
    ignored: keptIgnored(ignored),
    body,
  });
  /** Ids of the flags it carried, in the order sent. */
  const flags = applySiteFlags(tx, {
    asset,
    date,
    revision,
    isNewestDay: isLatest,
    flags: report.flags ?? [],
    now: receivedAt,
    newId,
  });
  return { date, revision, flags };
}

function tooManyNames(held: number, most: number): Problem {
  const message = `must not bring the site to more than ${most} metric names in ${NAME_DAYS} days; with this report they are ${held}`;
  return brokenContract([{ pointer: "/metrics", rule: "max-names", message }]);
}

/**
 * A milestone is always info (spec, Flag). One that was sent with another severity is kept as info rather than costing the site
 * its whole report, and the answer names the severity among what was ignored, by its JSON Pointer.
 */

function milestonesAsInfo(report: Pulse) {
  const ignored = (report.flags ?? []).flatMap(({ kind, severity }, index) =>
    kind === "milestone" && severity !== "info" ? [`/flags/${index}/severity`] : [],
  );
  if (report.flags === undefined || ignored.length === 0) return { report, ignored };
  const flags = report.flags.map((flag) =>
    flag.kind === "milestone" ? { ...flag, severity: "info" as const } : flag,
  );
  return { report: { ...report, flags }, ignored };
}

// What the ingest of nightly reports needs.

interface PulseIngestDeps extends ReportSenderDeps, Core {
  /** Told that a report was accepted, so that the flow rules follow soon. */
  readonly onAccepted: () => void;
}

const EXAMPLE = {
  asset: "shop.example",
  generatedAt: "2026-11-21T02:17:00Z",
  capabilities: ["signups", "errors"],
  metrics: {
    signups: { last24h: 3, avg7d: 2.4, total: 120 },
    "errors.5xx": { last24h: 0 },
  },
  negativeByPage: [{ page: "/checkout", count: 2 }],
  flags: [{ severity: "warn", kind: "anomaly", metric: "signups", msg: "No sign-up since noon." }],
};

export const SEND_PULSE = {
  id: "sendNightlyReport",
  tag: "Reports",
  method: "POST",
  path: "/api/pulse",
  listeners: ["ingest"],
  summary: "Send a nightly report",
  description:
    "What a site counted in the 24 hours before `generatedAt`, which must not be more than 5 minutes ahead of the service's clock. Its UTC day is the report's day; another one of the same day takes its place. A body has at most 256 KiB, and a site at most 1,000 metric names in 400 days.",
  open: "site",
  takes: { name: "Pulse", schema: PulseSchema, example: EXAMPLE },
  answers: {
    201: {
      description: "Stored as the next revision of its UTC day; the flow rules follow within a second.",
      shape: object({
        asset: assetId,
        date,
        revision,
        receivedAt: instant,
        flags: {
          ...list(object({ id: text })),
          description: "The open flags that the report's own `flags` became or are.",
        },
        ignored: pointers,
      }),
      example: {
        asset: "shop.example",
        date: "2026-11-21",
        revision: 1,
        receivedAt: "2026-11-21T02:17:03.402Z",
        flags: [{ id: "b1e8a7c2-51d4-4f0e-8a3b-7c6d5e4f3a21" }],
        ignored: [],
      },
    },
  },
  refuses: [...SENDER_REFUSALS, ...RECEIVE_REFUSALS],
} as const satisfies Endpoint;

/** `POST /api/pulse`. */
export function pulseIngest(deps: PulseIngestDeps) {
  const { ids, onAccepted } = deps;
  return new Elysia().post(
    SEND_PULSE.path,
    ({ request }) =>
      takeReport(request, deps, {
        schema: PulseSchema,
        maxBytes: MAX_PULSE_BYTES,
        kept: milestonesAsInfo,
        store: (tx, taken) => acceptPulse(tx, { ...taken, newId: ids.uuid, mostNames: MAX_NAMES }),
        told: ({ flags }) => {
          onAccepted();
          return { flags: flags.map((id) => ({ id })) };
        },
      }),
    { parse: "none" },
  );
}

export const LIST_PULSES = reportList("pulses", {
  id: "listNightlyReports",
  summary: "List the nightly reports of a site",
  body: "Pulse",
  example: SEND_PULSE.takes.example,
});

/** `GET /api/assets/{asset}/pulses`. */
export function pulseReads(deps: ReadDeps) {
  return reportReads(LIST_PULSES, deps, listPulses);
}
