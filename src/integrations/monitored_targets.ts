/** What is to be watched: every target that follows from what is set up. Pure. */

import { type Capability, NIGHTLY_REPORTS } from "../health/catalogue.ts";
import { REPORT_ROUTES } from "../health/refusals.ts";
import {
  archiveScope,
  channelScope,
  checkScope,
  dailyScope,
  feedScope,
  senderScope,
} from "../health/scopes.ts";
import type { Obligation } from "../health/state.ts";
import { ACCOUNT_PROVIDERS, type AccountProvider, isProvider } from "../providers/adapter.ts";
import { LIVE_KINDS } from "../signals/live_lease.ts";
import { panelScope } from "../signals/panel_runs.ts";
import { DAY_MS } from "../signals/panels.ts";
import { EVERY_SITE } from "../sites/annotation_schema.ts";
import { calendarScope } from "../sites/calendars.ts";
import type { PlacedSite } from "../sites/sites.ts";
import { type Connected, type KnownParts, type Moments, matchedSites } from "./inventory.ts";

/** One target. Times are milliseconds since the epoch. */
export interface MonitoredTarget {
  readonly capability: Capability;
  /** '' for what concerns a whole connection. */
  readonly asset: string;
  /** An opaque id. */
  readonly target: string;
  /** Of one archive report its family; '' elsewhere, and of all reports of a property together. */
  readonly family: string;
  readonly connectionRevision: string;
  /** The provider's own id of what is asked about: never shown. '' where it is nothing of a site's. */
  readonly property: string;
  readonly obligation: Obligation;
  /** When the connection was taken away; null while it stands. */
  readonly detachedAt: number | null;
  /** Since when a pause of its own holds it, beside those of `health`. */
  readonly pausedAt?: number | null;
  /** When what is set up was last changed, as far as that is stored; 0 where it is not. */
  readonly changedAt: number;
}

/** What the targets depend on beside what is stored. */
export interface TargetContext {
  readonly workspace: string;
  readonly catalogue: readonly Capability[];
  readonly silentHoursOf: (asset: string) => number;
  readonly now: number;
  readonly moments: Moments;
}

interface Ground extends TargetContext {
  readonly parts: KnownParts;
  /** Those that are watched. */
  readonly sites: ReadonlyMap<string, PlacedSite>;
  readonly connected: readonly Connected[];
}

/** Every target, in the order of the catalogue and then by site. A part that could not be read gives none. */
export function monitoredTargets(parts: KnownParts, by: TargetContext): MonitoredTarget[] {
  const watched = (parts.sites ?? []).filter(({ lifecycle }) => lifecycle !== "retired");
  const sites = new Map(watched.map((site) => [site.id, site]));
  const connected = (parts.attachments ?? []).filter(({ asset }) => sites.has(asset));
  const ground = { ...by, parts, sites, connected };
  return by.catalogue.flatMap((capability) => targetsOf(capability, ground));
}

function targetsOf(capability: Capability, ground: Ground): readonly MonitoredTarget[] {
  switch (capability.kind) {
    case "ingest":
      return capability.provider === "annotations"
        ? sendersOf(capability, ground)
        : reportsOf(capability, ground);
    case "production_read":
      if (capability.provider === "calendars") return calendarsOf(capability, ground);
      return capability.provider === "serp" ? panelsOf(capability, ground) : readsOf(capability, ground);
    case "on_demand":
      return feedsOf(capability, ground);
    case "connection_test":
    case "discovery":
      return checksOf(capability, ground);
    case "real_send":
    case "test_send":
      return channelsOf(capability, ground);
  }
}

/** The channels of a kind. */
function channelsOf(capability: Capability, { parts, workspace }: Ground): MonitoredTarget[] {
  return (parts.channels ?? []).flatMap((channel) => {
    const { connection_revision, changed_at, paused_at } = channel;
    const scope = channelScope(workspace, channel, capability.kind === "test_send");
    if (scope.capability !== capability.id) return [];
    return {
      ...{ ...SENT, capability, asset: "", target: scope.target, connectionRevision: connection_revision },
      ...{ obligation: obligationOf(capability), pausedAt: paused_at, changedAt: changed_at },
    };
  });
}

const SENT = { family: "", connectionRevision: "", property: "", detachedAt: null };

/** The tokens that annotations may be posted with. */
function sendersOf(capability: Capability, { parts, workspace }: Ground): MonitoredTarget[] {
  return (parts.senders ?? []).map(({ id, createdAt }) => ({
    ...SENT,
    capability,
    asset: "",
    target: senderScope(workspace, id).target,
    obligation: obligationOf(capability),
    changedAt: createdAt,
  }));
}

/** Calendars of every site, and of sites that are watched. */
function calendarsOf(capability: Capability, { parts, sites, workspace }: Ground): MonitoredTarget[] {
  return (parts.calendars ?? [])
    .filter(({ asset }) => asset === EVERY_SITE || sites.has(asset))
    .map((one) => {
      const { asset, target, connectionRevision } = calendarScope(workspace, one);
      const obligation = obligationOf(capability);
      return { ...SENT, capability, asset, target, connectionRevision, obligation, changedAt: one.added_at };
    });
}

/** Which report of a site's a capability of the ingest is. */
export const reportOf = ({ id }: Capability): keyof typeof REPORT_ROUTES =>
  id === NIGHTLY_REPORTS ? "nightly" : "codebase";

/** Nightly reports are every site's; codebase reports those of sites that ever sent or tried one. */
function reportsOf(capability: Capability, ground: Ground): MonitoredTarget[] {
  const { sites, parts } = ground;
  const isNightly = reportOf(capability) === "nightly";
  const known = isNightly ? sites : codebaseSites(capability.id, parts);
  return [...sites.values()]
    .filter(({ id }) => known.has(id))
    .map((site) => ({
      ...SENT,
      capability,
      asset: site.id,
      target: "",
      obligation: isNightly ? silenceOf(site, ground) : obligationOf(capability),
      changedAt: Math.max(site.addedAt, site.wentLiveAt ?? 0),
    }));
}

function codebaseSites(
  id: string,
  { codebase = [], refused = [], states = [] }: KnownParts,
): ReadonlySet<string> {
  return new Set([
    ...codebase.map(({ asset }) => asset),
    ...refused.filter(({ route }) => route === REPORT_ROUTES.codebase).map(({ asset }) => asset),
    ...states.filter(({ scope }) => scope.capability === id).map(({ scope }) => scope.asset),
  ]);
}

function silenceOf(
  { id, lifecycle, wentLiveAt }: PlacedSite,
  { silentHoursOf, moments }: Ground,
): Obligation {
  if (lifecycle !== "live") return NONE;
  moments.add(wentLiveAt);
  return { kind: "silence", hours: silentHoursOf(id), liveSince: wentLiveAt ?? undefined };
}

const NONE: Obligation = { kind: "none" };

const obligationOf = ({ obligation }: Capability): Obligation =>
  obligation === "silent_hours" ? NONE : obligation;

/** A property that a site's figures come from, or came from. */
interface Placed {
  readonly asset: string;
  readonly connectionRevision: string;
  readonly property: string;
  readonly detachedAt: number | null;
  readonly changedAt: number;
}

/** The daily figures of a provider, or its reports: of each site that has a connection, is found by its address, or had one taken away. */
function readsOf(capability: Capability, ground: Ground): MonitoredTarget[] {
  const { parts, sites, connected } = ground;
  const { provider } = capability;
  const own = connected
    .filter((one) => one.provider === provider)
    .map((one): Placed => ({ ...one, detachedAt: null, changedAt: one.attachedAt }));
  const matched =
    provider !== "webmaster-tools"
      ? []
      : matchedSites(parts, ground).map((one): Placed => ({ ...one, detachedAt: null, changedAt: 0 }));
  const taken = new Set([...own, ...matched].map(({ asset }) => asset));
  const away = (isTakenKnown(provider, parts) ? (parts.detachments ?? []) : [])
    .filter((one) => one.provider === provider && sites.has(one.asset) && !taken.has(one.asset))
    .map((one): Placed => ({ ...one, changedAt: one.detachedAt }));
  const reads = [...own, ...matched, ...away].sort((a, b) => (a.asset < b.asset ? -1 : 1));
  return [...accountsAlone(capability, ground, reads), ...reads].map((placed) =>
    readOf(capability, ground, placed),
  );
}

/**
 * Whether every site that has a connection now is known: one that had another taken away before may be found by its address meanwhile, and
 * is not disconnected then.
 */
function isTakenKnown(
  provider: Capability["provider"],
  { attachments, accounts, listed, attempts }: KnownParts,
): boolean {
  const found = provider === "webmaster-tools" ? [accounts, listed, attempts] : [];
  return [attachments, ...found].every((part) => part !== undefined);
}

/**
 * Accounts of webmaster tools are asked for their list each night, whether or not a site is found in it: where none is, what comes of
 * asking is told of the account itself, or nobody would hear of it.
 */
function accountsAlone(
  { provider, ofReports }: Capability,
  { parts }: Ground,
  reads: readonly Placed[],
): Placed[] {
  if (provider !== "webmaster-tools" || ofReports) return [];
  const withSites = new Set(reads.map(({ connectionRevision }) => connectionRevision));
  return (parts.accounts ?? [])
    .filter(
      ({ providers, connectionRevision }) =>
        providers.includes(provider) && !withSites.has(connectionRevision),
    )
    .map(({ connectionRevision, connectedAt }) => ({
      asset: "",
      connectionRevision,
      property: "",
      detachedAt: null,
      changedAt: connectedAt,
    }));
}

function readOf(capability: Capability, { workspace }: Ground, placed: Placed): MonitoredTarget {
  const { provider, ofReports } = capability;
  if (!isProvider(provider)) throw new Error(`${capability.id} is of no provider`);
  const { asset, connectionRevision, property } = placed;
  const scopeOf = ofReports ? archiveScope : dailyScope;
  const { target } = scopeOf(workspace, { asset, connectionRevision, property, provider });
  return placedTarget(capability, target, { asset, connectionRevision, property }, placed);
}

function placedTarget(
  capability: Capability,
  target: string,
  of: Pick<MonitoredTarget, "asset" | "connectionRevision" | "property">,
  { detachedAt, changedAt }: Pick<Placed, "detachedAt" | "changedAt">,
): MonitoredTarget {
  const obligation = obligationOf(capability);
  return { ...of, capability, target, family: "", obligation, detachedAt, changedAt };
}

/** Live feeds: of sites that somebody looked at within a day, by the property that they have now. */
function feedsOf(capability: Capability, ground: Ground): MonitoredTarget[] {
  const { parts, connected, workspace, now, moments } = ground;
  const kind = LIVE_KINDS.find((one) => capability.id === `${capability.provider}.${one}`);
  if (kind === undefined) throw new Error(`${capability.id} is no live feed`);
  const looked = new Map(
    (parts.questions ?? []).filter((one) => one.kind === kind).map((one) => [one.asset, one] as const),
  );
  return connected.flatMap((one) => {
    const question = looked.get(one.asset);
    if (one.provider !== capability.provider || question === undefined) return [];
    const isOther =
      question.connectionRevision !== one.connectionRevision || question.property !== one.property;
    const until = question.takenAt + DAY_MS;
    if (isOther || now >= until) return [];
    moments.add(until);
    const { asset, connectionRevision, property } = one;
    const { target } = feedScope(workspace, { asset, kind, source: one });
    const of = { asset, connectionRevision, property };
    return [placedTarget(capability, target, of, { detachedAt: null, changedAt: one.attachedAt })];
  });
}

const isAccountProvider = (provider: string): provider is AccountProvider =>
  ACCOUNT_PROVIDERS.some((known) => known === provider);

/** The panels of sites, each with days of its own. Without an account they are asked by nobody. */
function panelsOf(capability: Capability, { parts, sites, workspace }: Ground): MonitoredTarget[] {
  const account = parts.accounts?.find(({ providers }) => providers.includes("serp"));
  const connectionRevision = account?.connectionRevision ?? "";
  return (parts.panels ?? [])
    .filter(({ asset }) => sites.has(asset))
    .toSorted((a, b) => (a.asset < b.asset ? -1 : a.asset > b.asset ? 1 : 0))
    .map((panel) => ({
      capability,
      asset: panel.asset,
      target: panelScope(workspace, panel, connectionRevision).target,
      family: "",
      connectionRevision,
      property: panel.id,
      obligation: { kind: "every", everyMs: panel.every * DAY_MS, graceMs: DAY_MS },
      detachedAt: parts.accounts !== undefined && account === undefined ? panel.created_at : null,
      changedAt: Math.max(panel.created_at, account?.connectedAt ?? 0),
    }));
}

/** The checks of each account, one for each of its providers. */
function checksOf(capability: Capability, { parts, workspace }: Ground): MonitoredTarget[] {
  const { provider } = capability;
  if (!isAccountProvider(provider)) return [];
  const job = capability.kind === "discovery" ? "site-discovery" : "connection-test";
  return (parts.accounts ?? [])
    .filter(({ providers }) => providers.includes(provider))
    .map(({ connectionRevision, connectedAt }) => ({
      capability,
      asset: "",
      target: checkScope({ workspace, job, provider, connectionRevision }).target,
      family: "",
      connectionRevision,
      property: "",
      obligation: obligationOf(capability),
      detachedAt: null,
      changedAt: connectedAt,
    }));
}
