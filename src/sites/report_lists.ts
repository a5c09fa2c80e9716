/** Lists of the reports of a site, as they were sent: the description and the route that every kind of report shares. */

import { Elysia } from "elysia";
import { listEndpoint, type ReadDeps } from "../access/access.ts";
import { assetId, date, instant, object, ref, revision } from "../base/api_description.ts";
import { Semaphore } from "../base/concurrency.ts";
import { compressed } from "../base/http_handler.ts";
import { Problem } from "../base/problem.ts";
import { DAYS, inSteps, ListQuery, ofSite, oneOf, pageAnswer } from "../base/query.ts";
import { formatInstant, type UtcDay } from "../base/time.ts";
import type { Db } from "../store/store.ts";
import { hasAsset } from "./sites.ts";

/** What a list of a site's reports may be narrowed to, and where a page goes on. */
export interface ReportFilter {
  readonly asset: string;
  readonly from?: UtcDay | undefined;
  readonly to?: UtcDay | undefined;
  /** Superseded revisions too; otherwise the current view. */
  readonly allRevisions: boolean;
  readonly after?: { readonly date: UtcDay; readonly revision: number } | undefined;
}

/** A report as it was sent, with where it lies. */
interface SentRow {
  readonly date: UtcDay;
  readonly revision: number;
  /** Milliseconds since the epoch. */
  readonly receivedAt: number;
  readonly body: string;
}

/** Rows read in one step: what lies in memory beside the page itself. */
const STEP = 16;
/** Pages made and compressed at once, over all lists of reports. */
const AT_ONCE = 2;
const semaphore = new Semaphore(AT_ONCE);

/** What a list of a site's reports may be narrowed to. */
const FILTERS = {
  asset: ofSite("The site again: with another one the list is empty."),
  revisions: oneOf(["all", "current"], "`all` shows superseded revisions too."),
  ...DAYS,
} as const;

/** The description of the reports of one kind, each a `body` as it was sent with where it lies. */
export function reportList<const K extends string>(
  kind: K,
  of: { readonly id: string; readonly summary: string; readonly body: string; readonly example: object },
) {
  const { id, summary, body, example } = of;
  const place = { date: "2026-11-21", revision: 1, receivedAt: "2026-11-21T02:17:03.402Z" };
  return listEndpoint({
    id,
    path: `/api/assets/:asset/${kind}` as const,
    summary,
    description:
      "Each report as it was sent, with its UTC day, its revision and when it was received; the newest day first. Of a day the last revision counts.",
    segments: { asset: { schema: assetId, description: "The site." } },
    filters: FILTERS,
    row: { allOf: [ref(body), object({ date, revision, receivedAt: instant })] },
    example: { ...example, ...place },
    refuses: ["not-found"],
  });
}

/**
 * `GET /api/assets/{asset}/<kind>`: the reports of one kind. Rows come back as they were sent, plus date, revision and
 * receivedAt, newest first by date then revision.
 */
export function reportReads(
  { path }: { readonly path: `/api/assets/:asset/${string}` },
  deps: ReadDeps,
  list: (db: Db, filter: ReportFilter, limit: number) => readonly SentRow[],
) {
  return new Elysia().get(path, ({ request, params: { asset } }) => {
    deps.authorizeRead(request);
    if (!hasAsset(deps.db, asset)) throw new Problem("not-found", "No such site.");
    const query = new ListQuery(request, FILTERS);
    const after = query.cursor(["string", "number"] as const);
    const filter: ReportFilter = {
      asset,
      from: query.value("from"),
      to: query.value("to"),
      allRevisions: query.value("revisions") === "all",
      after: after === undefined ? undefined : { date: after[0] as UtcDay, revision: after[1] },
    };
    const isOther = (query.value("asset") ?? asset) !== asset;
    const rows = inSteps<SentRow>(STEP, (last, limit) =>
      isOther ? [] : list(deps.db, last === undefined ? filter : { ...filter, after: last }, limit),
    );
    const shape = {
      query,
      toText: textOf,
      cursorOf: (row: SentRow) => [row.date, row.revision],
    };
    return semaphore.run(() => compressed(request, pageAnswer(rows, shape)));
  });
}

/** The report as it was sent: its own text, since reading and writing it anew costs most of the answer. */
function textOf({ body, date, revision, receivedAt }: SentRow): string {
  const place = JSON.stringify({ date, revision, receivedAt: formatInstant(receivedAt) });
  return `${body.slice(0, body.lastIndexOf("}"))},${place.slice(1)}`;
}
