/** What the health of each operation is recorded under. Ids alone: no secret, no address. */

import { sha256Hex } from "../base/keys.ts";
import type { AccountProvider } from "../providers/adapter.ts";
import type { Scope } from "./health.ts";

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
  (kind: "daily" | "archive") =>
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
    asset,
    kind,
    source: { connectionRevision, property },
  }: {
    readonly asset: string;
    readonly kind: string;
    readonly source: Pick<ReadProperty, "connectionRevision" | "property">;
  },
): Scope => ({
  workspace,
  provider: "analytics",
  connectionRevision,
  capability: `analytics.${kind}`,
  asset,
  target: propertyId("analytics", property),
  family: "",
});

/** A check of a provider over a connection: evidence of no site's figures. */
export interface Check {
  readonly workspace: string;
  readonly job: "site-discovery" | "connection-test";
  readonly provider: AccountProvider;
  readonly connectionRevision: string;
}

export const checkScope = ({ workspace, job, provider, connectionRevision }: Check): Scope => ({
  workspace,
  provider,
  connectionRevision,
  capability: `${provider}.${job}`,
  asset: "",
  target: opaqueId(connectionRevision),
  family: "",
});

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
