/** Reading flags through the API, and the title that a flag has today. */

import { toJsonSchema } from "@valibot/to-json-schema";
import { Elysia } from "elysia";
import { listEndpoint, READ_REFUSALS, type ReadDeps } from "../access/access.ts";
import {
  count,
  type Endpoint,
  instant,
  type Json,
  list,
  object,
  ref,
  text,
} from "../base/api_description.ts";
import type { Clock } from "../base/base.ts";
import { orNotFound } from "../base/problem.ts";
import { anyText, DAYS, instantsOf, ListQuery, ofSite, oneOf, pageAnswer } from "../base/query.ts";
import { flowRuleId, STALE_INGEST, seriesName, titleFrom } from "../sites/rule_catalogue.ts";
import {
  FLAG_KINDS,
  FLAG_ORIGINS,
  FLAG_STATUSES,
  type FlagRow,
  FlagSchema,
  SERIES_SOURCES,
  SEVERITIES,
} from "./flags.ts";
import { findFlag, listFlags } from "./queries.ts";
import { readHistory } from "./store.ts";

/**
 * What a flag says to a reader of today: its rule's words for the inputs it keeps, so that flags which earlier releases raised read
 * as those of this one. Where there are none it is what was stored, and what was stored stays as it is.
 */
export function titleOf(
  flag: Pick<FlagRow, "rule" | "source" | "metric" | "subject" | "message" | "rule_inputs">,
  now: number,
): string {
  const { rule, source, metric, subject, message, rule_inputs } = flag;
  const title = titleFrom(rule, seriesName(metric ?? subject, source), rule_inputs, now) ?? message;
  // A site may send a flag whose text is blank: a line and its link must still have a name.
  return title.trim() === "" ? `${metric?.trim() || "Flag"} (no message)` : title;
}

/** The same where the site's name stands beside it. */
export const newsOf = (flag: Parameters<typeof titleOf>[0], now: number): string =>
  titleOf(flag.rule === STALE_INGEST ? { ...flag, subject: "" } : flag, now);

/** Most acts, and most runs, that come with one flag: the newest. */
const MOST_ENTRIES = 500;

const { $schema: _, ...FLAG } = toJsonSchema(FlagSchema, { errorMode: "ignore" }) as Json;

const EXAMPLE = {
  id: "b1e8a7c2-51d4-4f0e-8a3b-7c6d5e4f3a21",
  asset: "shop.example",
  rule: flowRuleId("drop"),
  subject: "signups",
  origin: "rule",
  severity: "warn",
  kind: "anomaly",
  metric: "signups",
  message: "Signups down 79% (3 on 20 Nov, normally about 14)",
  status: "open",
  rule_inputs: {
    day: "2026-11-20",
    expected: 14,
    observed: { from: "2026-11-20", to: "2026-11-20", count: 3 },
  },
  raised_at: "2026-11-21T02:17:03.611Z",
  resolved_at: null,
  resolution: null,
  acked_at: null,
  acked_by: null,
  snoozed_until: null,
  tuned_at: null,
  incident: null,
  hypothesis: null,
  source: "pulse",
  renews: null,
};

const RECORD = object({
  at: instant,
  type: { type: "string", enum: ["raised", "evidence", "resolved", "renewed", "act"] },
  actor: text,
  data: { type: "object" },
});

export const READ_FLAG = {
  id: "readFlag",
  tag: "Reading",
  method: "GET",
  path: "/api/flags/:id",
  listeners: ["tower"],
  summary: "Read one flag with its record",
  description:
    "The flag and what happened to it, oldest first: raised, every run's reading, resolved, renewed by a later flag, and each act.",
  open: "reader",
  segments: { id: { schema: text, description: "The flag's id." } },
  answers: {
    200: {
      description: "The flag.",
      shape: {
        allOf: [
          ref("Flag"),
          object({
            record_more: { ...count, description: "Entries left out, older than those given." },
            record: list(RECORD, MOST_ENTRIES),
          }),
        ],
      },
      example: {
        ...EXAMPLE,
        record_more: 0,
        record: [
          { at: EXAMPLE.raised_at, type: "raised", actor: "rule", data: { rule: flowRuleId("drop") } },
        ],
      },
    },
  },
  shapes: { Flag: FLAG },
  refuses: [...READ_REFUSALS, "not-found"],
} as const satisfies Endpoint;

export const LIST_FLAGS = listEndpoint({
  id: "listFlags",
  path: "/api/flags",
  summary: "List flags",
  description:
    "Open and resolved ones unless filtered, the one raised last first. A lasting thing has a row for each report that told it: of these `status=open` gives the last.",
  filters: {
    asset: ofSite("One site."),
    rule: anyText("One rule."),
    origin: oneOf(FLAG_ORIGINS, "One origin."),
    metric: anyText("One metric."),
    subject: anyText("One subject."),
    source: oneOf(SERIES_SOURCES, "Where the judged series comes from."),
    status: oneOf(FLAG_STATUSES, "One status."),
    severity: oneOf(SEVERITIES, "One severity."),
    kind: oneOf(FLAG_KINDS, "One kind."),
    ...DAYS,
  },
  row: ref("Flag"),
  example: EXAMPLE,
  shapes: { Flag: FLAG },
});

/**
 * `GET /api/flags`: open and resolved unless filtered, newest first. `GET /api/flags/{id}`: one flag with its `record`, oldest
 * entry first; `record_more` older entries are left out.
 */
export function flagReads({ db, authorizeRead, clock }: ReadDeps & { readonly clock: Clock }) {
  const app = new Elysia().get(READ_FLAG.path, ({ request, params: { id } }) => {
    authorizeRead(request);
    const row = orNotFound(findFlag(db, id), "No such flag.");
    const { record, more } = readHistory(db, id, MOST_ENTRIES);
    return Response.json({ ...titled(row, clock.now()), record, record_more: more });
  });
  return app.get(LIST_FLAGS.path, ({ request }) => {
    authorizeRead(request);
    const query = new ListQuery(request, LIST_FLAGS.filters);
    const after = query.cursor(["number", "string"] as const);
    const rows = listFlags(
      db,
      { ...query.values(), ...instantsOf(query) },
      query.limit + 1,
      after === undefined ? undefined : { raised_at: after[0], id: after[1] },
    );
    const now = clock.now();
    return pageAnswer(rows, {
      query,
      toText: (row) => JSON.stringify(titled(row, now)),
      cursorOf: (row) => [Date.parse(row.raised_at), row.id],
    });
  });
}

/** A flag with the words that the Tower shows; what was stored as it was raised stands in its record. */
function titled(row: FlagRow, now: number): FlagRow {
  return { ...row, message: titleOf(row, now) };
}
