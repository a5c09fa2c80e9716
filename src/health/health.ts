/**
 * Health: what every operation came to, as evidence of whether an integration works (spec, Integration health records).
 *
 * An operation → `record.ts` (the recorder, in the transaction that stores the result) → `state_store.ts` (latest attempt, latest
 * success; first failures, changes of category, recoveries).
 * Evidence → `state.ts` (when something is due, and the nine states by precedence) → `capability_words.ts` (what is said of it, and what to do).
 * A refused report → `refusals.ts` (counted in memory, written down once for many).
 * What cannot be recorded or judged is a failure of monitoring (`monitoring.ts`); what an operator paused is in `pauses.ts`.
 *
 * Begin with the types here, then `catalogue.ts`: every capability whose health is known, when it is due and what is said of it.
 * What outcomes are recorded under is named below.
 */

import { sha256Hex } from "../base/keys.ts";
import { parseUtcDay } from "../base/time.ts";
import type { AccountProvider } from "../providers/adapter.ts";
import type { FailureCategory } from "../providers/faults.ts";
import { type Db, statement } from "../store/store.ts";

/** What the health of an integration is told in: states, capabilities, observations, evidence (spec, Integration health records). */

/** The nine states of a capability (spec, Integration capability health), most urgent first. */
export const HEALTH_STATES = [
  "failing",
  "unknown",
  "stale",
  "disconnected",
  "never_run",
  "unmonitored",
  "paused",
  "idle",
  "working",
] as const;
export type HealthState = (typeof HEALTH_STATES)[number];

/** What an operation is. A check of a connection, a list of sites, a real send and a test send are never evidence of one another. */
export const CAPABILITY_KINDS = [
  "production_read",
  "connection_test",
  "discovery",
  "real_send",
  "test_send",
  "on_demand",
  "ingest",
] as const;
export type CapabilityKind = (typeof CAPABILITY_KINDS)[number];

/** What is monitored: one row of `health_target`, which state and events refer to. No part of it is a secret or an address. */
export interface Scope {
  readonly workspace: string;
  readonly provider: string;
  /** An opaque id; '' where there is no connection that could be replaced. */
  readonly connectionRevision: string;
  /** The id of a capability of the catalogue. */
  readonly capability: string;
  /** '' for what concerns a whole connection. */
  readonly asset: string;
  /** An opaque id of what is asked or sent (`opaqueId`); '' where the capability has one a site. */
  readonly target: string;
  /** For archive capabilities a canonical JSON tuple; '' elsewhere. */
  readonly family: string;
}

/** What one attempt came to, after its answer was parsed and judged. Times are milliseconds since the epoch. */
export interface Observation {
  /** The attempt's own id, the same however often it is told. */
  readonly attempt: string;
  /** Observations are ordered by this, never by their arrival. */
  readonly startedAt: number;
  /** When what it came to was known. */
  readonly observedAt: number;
  readonly result: Success | Failure;
}

/** A usable result; a valid zero or an empty answer is one. */
export interface Success {
  readonly ok: true;
  /** The newest day that the report covers, in the provider's own calendar (`2026-11-18`); null where it covers none. */
  readonly coveredDate: string | null;
}

/** No usable result. An incomplete or truncated report is one, of category `incomplete_report`. */
export interface Failure {
  readonly ok: false;
  readonly category: FailureCategory;
  /** A reviewed code of our own (`FAULT_CODES`), never a provider's text; null where none says more than the category. */
  readonly code: string | null;
  /** Before this moment it is not tried again; null for the usual cadence. */
  readonly nextRetryAt: number | null;
}

/** What is known of a target: its latest attempt and its latest success by the moment they began. A row of `health_state`. */
export interface Evidence {
  readonly latest: {
    readonly attempt: string;
    readonly startedAt: number;
    /** Null where it came to a usable result. */
    readonly category: FailureCategory | null;
    readonly code: string | null;
    readonly nextRetryAt: number | null;
  };
  readonly success:
    | { readonly attempt: string; readonly startedAt: number; readonly coveredDate: string | null }
    | undefined;
  /** When the failure that lasts was first seen; undefined while none does. For people: it decides nothing. */
  readonly failingSince: number | undefined;
  /** When the newest of it was written down. */
  readonly recordedAt: number;
}

/** What an event tells: success after success is none. */
export const HEALTH_CHANGES = ["first_failure", "category_change", "recovery"] as const;
export type HealthChange = (typeof HEALTH_CHANGES)[number];

export interface Family {
  readonly report: string;
  /** `2026-11-18`. */
  readonly date: string;
  /** '' where one outcome is of all queries, or of all devices. */
  readonly query: string;
  readonly device: string;
}

const NAME = /^[a-z0-9][a-z0-9_-]{0,63}$/;

/** The longest query that a key holds, in code units. */
const LONGEST_QUERY = 512;

/** The key of a family: always the same text for the same family. Throws a RangeError that names the part which cannot be one. */
export function familyKey(family: Family): string {
  const fault = faultOf(family);
  if (fault !== undefined) throw new RangeError(`a report family has no such ${fault}`);
  const { report, date, query, device } = family;
  return JSON.stringify([report, date, query, device]);
}

/** The family of a key; undefined for a text that is no key, or is written otherwise than `familyKey` writes it. */
export function familyOf(key: string): Family | undefined {
  let parts: unknown;
  try {
    parts = JSON.parse(key);
  } catch {
    return undefined;
  }
  if (!Array.isArray(parts) || parts.length !== 4 || parts.some((part) => typeof part !== "string")) {
    return undefined;
  }
  const [report, date, query, device] = parts as [string, string, string, string];
  const family = { report, date, query, device };
  return faultOf(family) === undefined && JSON.stringify(parts) === key ? family : undefined;
}

function faultOf({ report, date, query, device }: Family): keyof Family | undefined {
  if (!NAME.test(report)) return "report";
  if (parseUtcDay(date) === undefined) return "date";
  if (query.length > LONGEST_QUERY || !query.isWellFormed()) return "query";
  return device === "" || NAME.test(device) ? undefined : "device";
}

const failing = statement<
  { family: string },
  [string, string, string, string, string, string, string, string]
>(
  `SELECT t.family FROM health_target t JOIN health_state s ON s.target = t.id
   WHERE t.workspace = ? AND t.provider = ? AND t.connection_revision = ? AND t.capability = ? AND t.asset = ? AND t.target = ?
     AND t.family > ? AND t.family < ? AND s.category IS NOT NULL ORDER BY t.family`,
);

/** The dates before one for which a report of a scope fails, oldest first; the scope's own family is not looked at. */
export function listFailingBefore(
  db: Db,
  scope: Omit<Scope, "family">,
  { report, date }: Pick<Family, "report" | "date">,
): Family[] {
  const { workspace, provider, connectionRevision, capability, asset, target } = scope;
  // Keys of a report begin alike and are in the order of their dates.
  const before = familyKey({ report, date, query: "", device: "" });
  const first = `[${JSON.stringify(report)},`;
  return failing(db)
    .all(workspace, provider, connectionRevision, capability, asset, target, first, before)
    .flatMap(({ family }) => familyOf(family) ?? []);
}

// What the health of each operation is recorded under. Ids alone: no secret, no address.

/** Characters of an opaque id: 128 bits, so that no two things come to the same. */
const LENGTH = 32;

/** An id that says nothing by itself, the same for the same parts. Whoever can guess the parts can tell them from it: no secret is one. */
export function opaqueId(...parts: readonly string[]): string {
  return sha256Hex(JSON.stringify(parts), LENGTH);
}

/** Ids of properties: each read of health needs all of them, and digests of a thousand sites' take longer than the rest of it. */
const propertyIds = new Map<string, Map<string, string>>();
const MOST_PROPERTIES = 16_384;

function propertyId(provider: string, property: string): string {
  let ids = propertyIds.get(provider);
  if (ids === undefined || ids.size >= MOST_PROPERTIES) {
    ids = new Map();
    propertyIds.set(provider, ids);
  }
  const known = ids.get(property);
  if (known !== undefined) return known;
  const id = opaqueId(provider, property);
  ids.set(property, id);
  return id;
}

/** A property of a site over a connection; everything over the connection where both are ''. */
export interface ReadProperty {
  readonly asset: string;
  readonly provider: string;
  readonly connectionRevision: string;
  readonly property: string;
}

/** What of a connection is asked about, as its scopes name it. */
export const readTarget = ({ asset, provider, connectionRevision, property }: ReadProperty): string =>
  asset === "" ? opaqueId(connectionRevision) : propertyId(provider, property);

const readScope =
  (kind: string) =>
  (workspace: string, of: ReadProperty): Scope => ({
    workspace,
    provider: of.provider,
    connectionRevision: of.connectionRevision,
    capability: `${of.provider}.${kind}`,
    asset: of.asset,
    target: readTarget(of),
    family: "",
  });

/** The daily figures of a property, or of everything over a connection. */
export const dailyScope = readScope("daily");

/** The archive of a property without the report, or of everything over a connection. */
export const archiveScope = readScope("archive");

/** Everything that is asked over the connection of a read. */
export const accountOf = (scope: Scope): Scope => ({
  ...scope,
  asset: "",
  target: opaqueId(scope.connectionRevision),
  family: "",
});

/**
 * Live traffic of a site. A failure of the whole account is recorded for the site alone: every site that somebody looks at is asked for itself,
 * so that none is held by another's.
 */
export const feedScope = (
  workspace: string,
  {
    kind,
    source,
    asset,
  }: {
    readonly asset: string;
    readonly kind: string;
    readonly source: Pick<ReadProperty, "connectionRevision" | "property">;
  },
): Scope => readScope(kind)(workspace, { ...source, asset, provider: "analytics" });

/** A check of a provider over a connection: evidence of no site's figures. */
export interface Check {
  readonly workspace: string;
  readonly job: "site-discovery" | "connection-test";
  readonly provider: AccountProvider;
  readonly connectionRevision: string;
}

export const checkScope = ({ workspace, job, ...of }: Check): Scope =>
  readScope(job)(workspace, { ...of, asset: "", property: "" });

/** Real notices of a channel, or tests of it: nothing in it says where the channel leads. */
export const channelScope = (
  workspace: string,
  { id, kind, connection_revision }: Readonly<Record<"id" | "kind" | "connection_revision", string>>,
  isTest: boolean,
): Scope => ({
  workspace,
  provider: "notifications",
  connectionRevision: connection_revision,
  capability: `notices.${kind}${isTest ? ".test" : ""}`,
  asset: "",
  target: opaqueId("channel", id),
  family: "",
});

/** What is sent to Tower has no connection that could be replaced. */
const SENT = { connectionRevision: "", asset: "", target: "", family: "" };

/** Annotations posted with a token, by its key id. */
export const senderScope = (workspace: string, token: string): Scope => ({
  ...SENT,
  workspace,
  provider: "annotations",
  capability: "annotations.post",
  target: opaqueId("annotations", token),
});

/** The reports of a kind that a site sends. */
export const ingestScope = (workspace: string, asset: string, report: "nightly" | "codebase"): Scope => ({
  ...SENT,
  workspace,
  provider: "ingest",
  capability: `ingest.${report}`,
  asset,
});
