/** What reading the manifest needs. */

import { Elysia } from "elysia";
import { READ_REFUSALS } from "../access/access.ts";
import {
  assetId,
  count,
  date,
  type Endpoint,
  instant,
  list,
  object,
  orNull,
  ref,
  text,
} from "../base/api_description.ts";
import {
  anyText,
  DAYS,
  ListQuery,
  ofSite,
  oneOf,
  pageAnswer,
  QUERY_REFUSALS,
  readList,
  textThat,
} from "../base/query.ts";
import { dayNumber } from "../base/time.ts";
import { PROVIDERS } from "../providers/adapter.ts";
import { FAILURE_CATEGORIES } from "../providers/faults.ts";
import { REPORT_FAMILIES } from "../providers/report_families.ts";
import { findRun } from "../store/job_runs.ts";
import { isObjectName } from "../store/objects.ts";
import type { Db } from "../store/store.ts";
import { manifestJson } from "./manifest_copy.ts";
import { listManifest } from "./manifest_list.ts";
import { ARCHIVE_NOTES, ARCHIVE_OUTCOMES } from "./manifest_row.ts";

export interface ManifestReadDeps {
  readonly db: Db;
  readonly authorizeRead: (request: Request) => unknown;
}

const OBJECT_NAME = { ...text, pattern: "^[0-9a-f]{64}$" };
const FAMILY_NAMES = REPORT_FAMILIES.map(({ name }) => name);

const ARCHIVED_REPORT = object({
  id: { ...count, description: "Later attempts have greater ones." },
  run: { ...text, description: "The run of the job, as `job run` prints it." },
  asset: assetId,
  provider: { type: "string", enum: PROVIDERS },
  connection_revision: { ...text, description: "Opaque: another one with every new secret of a credential." },
  family: { ...text, description: "The report's name, such as `page-query`." },
  date: {
    ...date,
    description:
      "The day of the provider's own calendar that it is of; of a report over days the last one, of a snapshot the UTC day of the attempt.",
  },
  range: {
    ...orNull(object({ from: date, to: date })),
    description: "The days of a report over days, such as `events-28d`; null elsewhere.",
  },
  attempted_at: instant,
  outcome: { type: "string", enum: ARCHIVE_OUTCOMES },
  category: {
    ...orNull({ type: "string", enum: FAILURE_CATEGORIES }),
    description: "Null where it did not fail.",
  },
  failure_code: { ...orNull(text), description: "Why it failed; null where it did not." },
  object: {
    ...orNull(OBJECT_NAME),
    description:
      "SHA-256 of what the provider answered, by which it is read; null where nothing is stored of it.",
  },
  bytes: { ...orNull(count), description: "Of the object; null without one." },
  stored_bytes: { ...orNull(count), description: "Of the object as it is stored, packed; null without one." },
  rows: { ...orNull(count), description: "Of the object; null without one." },
  complete: { type: "boolean", description: "Whether the object is all of the report." },
  annotations: {
    ...list({ type: "string", enum: ARCHIVE_NOTES }, ARCHIVE_NOTES.length),
    description: "What is known of it beside its rows.",
  },
});

const EXAMPLE = {
  id: 90_412,
  run: "019aa5f2-64c8-7e51-9d3e-0c8b5b7f6a10",
  asset: "shop.example",
  provider: "search-console",
  connection_revision: "5b0f2d1c-7b1e-4a83-9c55-d2a4c4f0e6b7",
  family: "page-query",
  date: "2026-11-18",
  range: null,
  attempted_at: "2026-11-21T12:15:04.118Z",
  outcome: "stored",
  category: null,
  failure_code: null,
  object: "b94d27b9934d3e08a52e52d7da7dabfac484efe37a5380ee9088f7ace2efcde9",
  bytes: 184_220,
  stored_bytes: 21_906,
  rows: 1_204,
  complete: true,
  annotations: ["top_rows"],
};

export const LIST_MANIFEST = {
  id: "listManifest",
  ...readList(ref("ArchivedReport"), EXAMPLE, "One page, newest attempt first."),
  path: "/api/archive/manifest",
  summary: "List the archive's manifest",
  description:
    "One row for every attempt to get a report, the newest attempt first, kept for good. `from` and `to` are dates of reports. A page may hold fewer rows than `limit`, or none, and still have a `next`: looking for few among very many goes only so far in one answer.",
  filters: {
    asset: ofSite("One site."),
    provider: oneOf(PROVIDERS, "One provider."),
    family: oneOf(FAMILY_NAMES, "One report family."),
    outcome: oneOf(ARCHIVE_OUTCOMES, "One outcome."),
    category: oneOf(FAILURE_CATEGORIES, "One category of failure."),
    run: anyText("One run of the job."),
    object: textThat("One object, by its SHA-256.", {
      schema: OBJECT_NAME,
      holds: isObjectName,
      rule: "must be 64 hexadecimal digits in lower case",
    }),
    ...DAYS,
  },
  shapes: { ArchivedReport: ARCHIVED_REPORT },
  refuses: [...READ_REFUSALS, ...QUERY_REFUSALS],
} as const satisfies Endpoint;

/** `GET /api/archive/manifest`: one row an attempt, newest first. */
export function manifestReads({ db, authorizeRead }: ManifestReadDeps) {
  return new Elysia({ name: "manifest-reads" }).get(LIST_MANIFEST.path, async ({ request }) => {
    authorizeRead(request);
    const query = new ListQuery(request, LIST_MANIFEST.filters);
    const [before] = query.cursor(["number"] as const) ?? [];
    const { limit } = query;
    const { run, from, to, ...narrowed } = query.values();
    const { rows, next } = await listManifest(db, {
      ...narrowed,
      // No run has the row 0.
      run: run === undefined ? undefined : (findRun(db, run)?.id ?? 0),
      from: from === undefined ? undefined : dayNumber(from),
      to: to === undefined ? undefined : dayNumber(to),
      before,
      limit: limit + 1,
    });
    return pageAnswer(rows, {
      limit,
      toText: (row) => JSON.stringify(manifestJson(row)),
      cursorOf: ({ id }) => [id],
      goesOn: next === undefined || rows.length > limit ? undefined : [next],
    });
  });
}
