import { Elysia } from "elysia";
import { hasAsset } from "../assets/mod.ts";
import type { Db } from "../db/mod.ts";
import { formatInstant } from "../lib/instant.ts";
import type { UtcDay } from "../lib/utc_day.ts";
import { ListQuery, pageOf } from "../platform/lists.ts";
import { Problem } from "../platform/problem.ts";
import { listSentReports } from "./store.ts";

/** What reading codebase reports needs. */
export interface CodebaseReadDeps {
  readonly db: Db;
  readonly authorizeRead: (request: Request) => unknown;
}

/** `GET /api/assets/{asset}/codebase-reports`: rows come back as they were sent, plus date, revision and receivedAt. */
export function codebaseReads({ db, authorizeRead }: CodebaseReadDeps) {
  return new Elysia({ name: "codebase-reads" }).get(
    "/api/assets/:asset/codebase-reports",
    ({ request, params: { asset } }) => {
      authorizeRead(request);
      if (!hasAsset(db, asset)) throw new Problem("not-found", "No such site.");
      const query = new ListQuery(request, ["asset", "from", "to", "revisions"]);
      const after = query.cursor(["string", "number"] as const);
      const rows = listSentReports(
        db,
        {
          asset,
          from: query.day("from"),
          to: query.day("to"),
          allRevisions: query.oneOf("revisions", ["all", "current"] as const) === "all",
          after: after === undefined ? undefined : { date: after[0] as UtcDay, revision: after[1] },
        },
        query.limit + 1,
      );
      return Response.json(
        pageOf(
          rows,
          query.limit,
          (row) => ({
            ...(JSON.parse(row.body) as object),
            date: row.date,
            revision: row.revision,
            receivedAt: formatInstant(row.receivedAt),
          }),
          (row) => [row.date, row.revision],
        ),
      );
    },
  );
}
