/** The portfolio through the API: `GET /api/assets`. */

import { Elysia } from "elysia";
import { listEndpoint, type ReadDeps } from "../access/access.ts";
import { assetId, instant, list, object, orNull, ref, text } from "../base/api_description.ts";
import { anyText, ListQuery, ofSite, oneOf, pageAnswer } from "../base/query.ts";
import { formatInstant } from "../base/time.ts";
import { LIFECYCLES, listAssets, STORAGE_KINDS } from "./sites.ts";

const ASSET = object({
  id: assetId,
  asset: { ...assetId, description: "The same as `id`." },
  url: orNull({ type: "string", format: "uri", maxLength: 2_048 }),
  lifecycle: { enum: LIFECYCLES },
  group: orNull(text),
  families: list(object({ family: text, storage: { enum: STORAGE_KINDS } })),
  added_at: instant,
  added_by: text,
});

const EXAMPLE = {
  id: "shop.example",
  asset: "shop.example",
  url: "https://shop.example",
  lifecycle: "live",
  group: "Northwind",
  families: [{ family: "signups", storage: "d1" }],
  added_at: "2026-03-01T09:12:44.180Z",
  added_by: "operator:ada",
};

export const LIST_ASSETS = listEndpoint({
  id: "listSites",
  path: "/api/assets",
  summary: "List the sites of the portfolio",
  description:
    "Every site with its lifecycle, the group that it is in and the metric families that it declares, the one added last first.",
  filters: {
    asset: ofSite("One site."),
    lifecycle: oneOf(LIFECYCLES, "One lifecycle."),
    group: anyText("The sites of one group."),
  },
  row: ref("Asset"),
  example: EXAMPLE,
  shapes: { Asset: ASSET },
});

/** `GET /api/assets`: the portfolio, newest first. */
export function assetReads({ db, authorizeRead }: ReadDeps) {
  return new Elysia({ name: "asset-reads" }).get(LIST_ASSETS.path, ({ request }) => {
    authorizeRead(request);
    const query = new ListQuery(request, LIST_ASSETS.filters);
    const after = query.cursor(["number", "string"] as const);
    const rows = listAssets(
      db,
      { lifecycle: query.value("lifecycle"), id: query.value("asset"), group: query.value("group") },
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
          group: row.group,
          families: row.families,
          added_at: formatInstant(row.addedAt),
          added_by: row.addedBy,
        }),
      cursorOf: (row) => [row.addedAt, row.id],
    });
  });
}
