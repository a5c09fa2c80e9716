import { dayOfNumber } from "../lib/day_number.ts";
import { formatInstant } from "../lib/instant.ts";
import type { ManifestRow } from "./contract.ts";

/** A row of the manifest as the read API tells it (decisions, Reading over the API). */
export function manifestJson(row: ManifestRow) {
  const {
    id,
    run,
    target,
    date,
    rangeFrom,
    attemptedAt,
    outcome,
    category,
    failureCode,
    object,
    complete,
    notes,
  } = row;
  const { asset, provider, connectionRevision, family } = target;
  return {
    id,
    run,
    asset,
    provider,
    connection_revision: connectionRevision,
    family,
    date: dayOfNumber(date),
    range: rangeFrom === null ? null : { from: dayOfNumber(rangeFrom), to: dayOfNumber(date) },
    attempted_at: formatInstant(attemptedAt),
    outcome,
    category,
    failure_code: failureCode,
    object: object?.sha256 ?? null,
    bytes: object?.bytes ?? null,
    stored_bytes: object?.storedBytes ?? null,
    rows: object?.rows ?? null,
    complete,
    annotations: notes,
  };
}
