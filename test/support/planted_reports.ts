/** Rows of the manifest as a test wants them, with the read models that they come to worked out from all rows anew. */
import type { ArchiveOutcome, ArchiveTarget, ManifestRow } from "../../src/archive/contract.ts";
import { ARCHIVE_OUTCOMES } from "../../src/archive/contract.ts";
import type { Tx } from "../../src/db/mod.ts";
import { FAILURE_CATEGORIES } from "../../src/provider/contract.ts";

/** An attempt; what a test does not say is that of a report that was stored. */
export type PlantedReport = Pick<ManifestRow, "target" | "date" | "attemptedAt"> & Partial<ManifestRow>;

type Row = string | number | null;
interface Client {
  query(sql: string): { all(...values: Row[]): unknown[] };
  run(sql: string, values: Row[]): unknown;
}
const clientOf = (tx: Tx) => (tx as unknown as { readonly $client: Client }).$client;

const isGood = (outcome: ArchiveOutcome) => outcome !== "failed" && outcome !== "incomplete";

/** A whole row as it is told. */
export function reportOf(id: number, given: PlantedReport): ManifestRow {
  const outcome = given.outcome ?? "stored";
  const failed = !isGood(outcome);
  return {
    id,
    run: "1",
    rangeFrom: null,
    tookMs: 300,
    outcome,
    category: failed ? (outcome === "incomplete" ? "incomplete_report" : "network") : null,
    failureCode: failed && outcome === "failed" ? "timed_out" : null,
    nextRetryAt: null,
    requests: 1,
    object: null,
    complete: !failed,
    notes: [],
    ...given,
  };
}

/** Stores a row, and gives it back with its number. */
export function plantReport(tx: Tx, given: PlantedReport): ManifestRow {
  const client = clientOf(tx);
  const target = plantTarget(client, given.target);
  const { id: _, ...rest } = reportOf(0, given);
  const [{ id } = { id: 0 }] = client
    .query(
      `INSERT INTO archive_report (run, target, date, range_from, attempted_at, took_ms, outcome, category, failure_code, next_retry_at,
         requests, object, complete, notes) VALUES (1, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, NULL, ?, 0) RETURNING id`,
    )
    .all(
      target,
      rest.date,
      rest.rangeFrom,
      rest.attemptedAt,
      rest.tookMs,
      ARCHIVE_OUTCOMES.indexOf(rest.outcome),
      rest.category === null ? null : FAILURE_CATEGORIES.indexOf(rest.category),
      rest.failureCode,
      rest.nextRetryAt,
      rest.requests,
      Number(rest.complete),
    ) as { id: number }[];
  workOut(client, target, rest.date);
  return { ...rest, id };
}

function plantTarget(client: Client, of: ArchiveTarget): number {
  const key = [of.asset, of.provider, of.connectionRevision, of.property, of.family];
  const find = () =>
    client
      .query(
        `SELECT id FROM archive_target WHERE asset = ? AND provider = ? AND connection_revision = ? AND property = ? AND family = ?`,
      )
      .all(...key) as { id: number }[];
  const [known] = find();
  if (known !== undefined) return known.id;
  client.run(
    "INSERT INTO archive_target (asset, provider, connection_revision, property, family) VALUES (?, ?, ?, ?, ?)",
    key,
  );
  return find()[0]?.id ?? 0;
}

// Of two that began at one moment the failure stands.
const ORDER = "attempted_at DESC, outcome >= 4 DESC, id DESC";

/** How a date and its report stand, from every row there is of them. */
function workOut(client: Client, target: number, date: number): void {
  client.run(
    `INSERT OR REPLACE INTO archive_day (target, date, latest, good, failing)
     SELECT target, date, id, (SELECT id FROM archive_report WHERE target = ?1 AND date = ?2 AND outcome < 3 ORDER BY ${ORDER} LIMIT 1),
       outcome >= 4 FROM archive_report WHERE target = ?1 AND date = ?2 ORDER BY ${ORDER} LIMIT 1`,
    [target, date],
  );
  client.run(
    `INSERT OR REPLACE INTO archive_standing (target, dates, failing, last_date, latest, usable)
     SELECT ?1, count(*), sum(failing), max(date),
       (SELECT id FROM archive_report WHERE target = ?1 ORDER BY ${ORDER} LIMIT 1),
       (SELECT id FROM archive_report WHERE target = ?1 AND outcome < 4 ORDER BY attempted_at DESC, id DESC LIMIT 1)
     FROM archive_day WHERE target = ?1`,
    [target],
  );
}
