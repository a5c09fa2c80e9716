import { Elysia } from "elysia";
import type { Db } from "../db/mod.ts";
import { parseInstant } from "../lib/instant.ts";
import { ListQuery, pageAnswer } from "../platform/lists.ts";
import { Problem } from "../platform/problem.ts";
import { FLAG_KINDS, FLAG_ORIGINS, SERIES_SOURCES, SEVERITIES } from "./contract.ts";
import { readHistory } from "./record_store.ts";
import { findFlag, listFlags } from "./store.ts";

/** Most acts, and most runs, that come with one flag: the newest. */
const MOST_ENTRIES = 500;

/** What reading flags needs. */
export interface FlagReadDeps {
  readonly db: Db;
  readonly authorizeRead: (request: Request) => unknown;
}

/**
 * `GET /api/flags`: open and resolved unless filtered, newest first. `GET /api/flags/{id}`: one flag with its `record`, oldest
 * entry first; `record_more` older entries are left out.
 */
export function flagReads({ db, authorizeRead }: FlagReadDeps) {
  const app = new Elysia({ name: "flag-reads" }).get("/api/flags/:id", ({ request, params: { id } }) => {
    authorizeRead(request);
    const row = findFlag(db, id);
    if (row === undefined) throw new Problem("not-found", "No such flag.");
    const { record, more } = readHistory(db, id, MOST_ENTRIES);
    return Response.json({ ...row, record, record_more: more });
  });
  return app.get("/api/flags", ({ request }) => {
    authorizeRead(request);
    const query = new ListQuery(request, [
      "asset",
      "from",
      "to",
      "status",
      "rule",
      "severity",
      "kind",
      "origin",
      "metric",
      "subject",
      "source",
    ]);
    const after = query.cursor(["number", "string"] as const);
    const rows = listFlags(
      db,
      {
        asset: query.text("asset"),
        status: query.oneOf("status", ["open", "resolved"] as const),
        rule: query.text("rule"),
        severity: query.oneOf("severity", SEVERITIES),
        kind: query.oneOf("kind", FLAG_KINDS),
        origin: query.oneOf("origin", FLAG_ORIGINS),
        metric: query.text("metric"),
        subject: query.text("subject"),
        source: query.oneOf("source", SERIES_SOURCES),
        ...query.instants(),
      },
      query.limit + 1,
      after === undefined ? undefined : { raised_at: after[0], id: after[1] },
    );
    return pageAnswer(rows, {
      limit: query.limit,
      toText: JSON.stringify,
      cursorOf: (row) => [parseInstant(row.raised_at) ?? 0, row.id],
    });
  });
}
