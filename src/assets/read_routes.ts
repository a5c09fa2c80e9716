import { Elysia } from "elysia";
import type { Db } from "../db/mod.ts";
import { formatInstant } from "../lib/instant.ts";
import { ListQuery, pageAnswer } from "../platform/lists.ts";
import { LIFECYCLES } from "./contract.ts";
import { listAssets } from "./store.ts";

/** What reading the portfolio needs. */
export interface AssetReadDeps {
  readonly db: Db;
  readonly authorizeRead: (request: Request) => unknown;
}

/** `GET /api/assets`: the portfolio, newest first. */
export function assetReads({ db, authorizeRead }: AssetReadDeps) {
  return new Elysia({ name: "asset-reads" }).get("/api/assets", ({ request }) => {
    authorizeRead(request);
    const query = new ListQuery(request, ["asset", "lifecycle"]);
    const after = query.cursor(["number", "string"] as const);
    const rows = listAssets(
      db,
      { lifecycle: query.oneOf("lifecycle", LIFECYCLES), id: query.text("asset") },
      query.limit + 1,
      after === undefined ? undefined : { addedAt: after[0], id: after[1] },
    );
    return pageAnswer(rows, {
      limit: query.limit,
      toText: (row) =>
        JSON.stringify({
          id: row.id,
          asset: row.id,
          url: row.url,
          lifecycle: row.lifecycle,
          families: row.families,
          added_at: formatInstant(row.addedAt),
          added_by: row.addedBy,
        }),
      cursorOf: (row) => [row.addedAt, row.id],
    });
  });
}
