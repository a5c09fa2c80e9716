/** What is to be watched: every target that follows from what is set up. Pure. */

import { DAY_MS } from "../base/time.ts";
import { type Capability, NIGHTLY_REPORTS } from "../health/catalogue.ts";
import {
  channelScope,
  checkScope,
  feedScope,
  readTarget,
  type Scope,
  senderScope,
} from "../health/health.ts";
import { REPORT_ROUTES } from "../health/refusals.ts";
import type { Obligation } from "../health/state.ts";
import { ACCOUNT_PROVIDERS, type AccountProvider, isProvider, type Provider } from "../providers/adapter.ts";
import type { SourceAttempt } from "../signals/attempts.ts";
import { LIVE_KINDS } from "../signals/live_traffic.ts";
import { listedAddresses, MATCHED_FOR_MS } from "../signals/matched_site.ts";
import { panelScope } from "../signals/panel_runs.ts";
import { EVERY_SITE } from "../sites/annotations.ts";
import { calendarScope } from "../sites/calendars.ts";
import type { PlacedSite } from "../sites/sites.ts";
import type { KnownParts, Moments, SiteRows } from "./inventory.ts";

/** One target. Times are milliseconds since the epoch. */
export interface MonitoredTarget extends Pick<Scope, "asset" | "target" | "connectionRevision"> {
  readonly capability: Capability;
  /** Of one archive report its family; '' elsewhere, and of all reports of a property together. */
  readonly family: string;
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

/** What targets depend on beside the rows of their site. */
export interface TargetContext {
  readonly parts: KnownParts;
  readonly workspace: string;
  readonly catalogue: readonly Capability[];
  readonly silentHoursOf: (asset: string) => number;
}

/** One site with its rows, and when it is looked at. */
interface SiteGround {
  readonly site: PlacedSite;
  readonly rows: SiteRows;
  readonly matched: MatchedOf;
  readonly now: number;
  readonly moments: Moments;
}

/** The sites that are watched. */
const watchedSites = ({ sites }: KnownParts): PlacedSite[] =>
  (sites ?? []).filter(({ lifecycle }) => lifecycle !== "retired");

/** What is watched of one site, in the order of the catalogue. */
export const siteTargets = (ground: SiteGround, by: TargetContext): MonitoredTarget[] =>
  by.catalogue.flatMap((capability) => {
    switch (capability.kind) {
      case "ingest":
        return capability.provider === "annotations" ? NOTHING : reportsOf(capability, ground, by);
      case "production_read":
        if (capability.provider === "calendars") return NOTHING;
        return capability.provider === "serp"
          ? panelsOf(capability, ground, by)
          : readsOf(capability, ground, by);
      case "on_demand":
        return feedsOf(capability, ground, by);
      default:
        return NOTHING;
    }
  });

/** Whether something of a site is asked by a capability over a connection. */
type IsAsked = (capability: Capability, connectionRevision: string) => boolean;

/** What concerns whole accounts, senders, channels and calendars, in the order of the catalogue. */
export function otherTargets(by: TargetContext, isAsked: IsAsked): MonitoredTarget[] {
  return by.catalogue.flatMap((capability) => {
    switch (capability.kind) {
      case "ingest":
        return capability.provider === "annotations" ? sendersOf(capability, by) : [];
      case "production_read":
        return capability.provider === "calendars"
          ? calendarsOf(capability, by)
          : accountsAlone(capability, by, isAsked);
      case "connection_test":
      case "discovery":
        return checksOf(capability, by);
      case "real_send":
      case "test_send":
        return channelsOf(capability, by);
      default:
        return [];
    }
  });
}

/** The channels of a kind. */
function channelsOf(capability: Capability, { parts, workspace }: TargetContext): MonitoredTarget[] {
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
function sendersOf(capability: Capability, { parts, workspace }: TargetContext): MonitoredTarget[] {
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
function calendarsOf(capability: Capability, { parts, workspace }: TargetContext): MonitoredTarget[] {
  if (parts.calendars === undefined || parts.calendars.length === 0) return [];
  const sites = new Set([EVERY_SITE, ...watchedSites(parts).map(({ id }) => id)]);
  return parts.calendars
    .filter(({ asset }) => sites.has(asset))
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
function reportsOf(
  capability: Capability,
  ground: SiteGround,
  by: TargetContext,
): readonly MonitoredTarget[] {
  const { site, rows } = ground;
  const isNightly = reportOf(capability) === "nightly";
  if (!isNightly && !sendsCodebase(capability.id, rows)) return NOTHING;
  const of = { asset: site.id, connectionRevision: "", property: "" };
  const target = placedTarget(capability, "", of, Math.max(site.addedAt, site.wentLiveAt ?? 0));
  return [isNightly ? { ...target, obligation: silenceOf(ground, by) } : target];
}

const sendsCodebase = (id: string, { codebase = [], refused = [], states = [] }: SiteRows): boolean =>
  codebase.length > 0 ||
  refused.some(({ route }) => route === REPORT_ROUTES.codebase) ||
  states.some(({ scope }) => scope.capability === id);

function silenceOf({ site, moments }: SiteGround, { silentHoursOf }: TargetContext): Obligation {
  const { id, lifecycle, wentLiveAt } = site;
  if (lifecycle !== "live") return NONE;
  moments.add(wentLiveAt);
  return { kind: "silence", hours: silentHoursOf(id), liveSince: wentLiveAt ?? undefined };
}

const NONE: Obligation = { kind: "none" };

const obligationOf = ({ obligation }: Capability): Obligation =>
  obligation === "silent_hours" ? NONE : obligation;

/** A property that a site's figures come from, or came from. */
type Placed = Pick<MonitoredTarget, "asset" | "connectionRevision" | "property">;

/** The daily figures of a provider, or its reports, where the site has a connection, is found by its address, or had one taken away. */
function readsOf(capability: Capability, ground: SiteGround, by: TargetContext): readonly MonitoredTarget[] {
  const { attachments, detachments } = ground.rows;
  const { provider } = capability;
  const own = attachments?.find((one) => one.provider === provider);
  if (own !== undefined) return [readOf(capability, own, own.attachedAt)];
  const matched = provider === "webmaster-tools" ? ground.matched(ground) : NOTHING;
  if (matched.length > 0) return matched.map((one) => readOf(capability, one, 0));
  if (detachments === undefined || !isTakenKnown(provider, by.parts)) return NOTHING;
  return detachments.flatMap((one) =>
    one.provider === provider ? readOf(capability, one, one.detachedAt, one.detachedAt) : [],
  );
}

const NOTHING: readonly never[] = [];

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
function accountsAlone(capability: Capability, by: TargetContext, isAsked: IsAsked): MonitoredTarget[] {
  const { provider, ofReports } = capability;
  if (provider !== "webmaster-tools" || ofReports) return [];
  return (by.parts.accounts ?? [])
    .filter((one) => one.providers.includes(provider) && !isAsked(capability, one.connectionRevision))
    .map(({ connectionRevision, connectedAt }) =>
      readOf(capability, { asset: "", connectionRevision, property: "" }, connectedAt),
    );
}

function readOf(capability: Capability, of: Placed, changedAt: number, detachedAt: number | null = null) {
  const { provider } = capability;
  if (!isProvider(provider)) throw new Error(`${capability.id} is of no provider`);
  const { asset, connectionRevision, property } = of;
  const target = readTarget({ asset, connectionRevision, property, provider });
  return placedTarget(capability, target, of, changedAt, detachedAt);
}

function placedTarget(
  capability: Capability,
  target: string,
  { asset, connectionRevision, property }: Placed,
  changedAt: number,
  detachedAt: number | null = null,
): MonitoredTarget {
  return {
    capability,
    asset,
    target,
    family: "",
    connectionRevision,
    property,
    obligation: obligationOf(capability),
    detachedAt,
    changedAt,
  };
}

/** Live feeds: where somebody looked at the site within a day, by the property that it has now. */
function feedsOf(
  capability: Capability,
  ground: SiteGround,
  { workspace }: TargetContext,
): readonly MonitoredTarget[] {
  const { rows, now, moments } = ground;
  if (rows.questions === undefined || rows.questions.length === 0) return NOTHING;
  const kind = LIVE_KINDS.find((one) => capability.id === `${capability.provider}.${one}`);
  if (kind === undefined) throw new Error(`${capability.id} is no live feed`);
  const question = rows.questions.findLast((one) => one.kind === kind);
  if (question === undefined) return [];
  const until = question.takenAt + DAY_MS;
  return (rows.attachments ?? []).flatMap((one) => {
    const { asset, provider, connectionRevision, property } = one;
    const isIt =
      provider === capability.provider &&
      question.connectionRevision === connectionRevision &&
      question.property === property;
    if (!isIt || now >= until) return [];
    moments.add(until);
    const { target } = feedScope(workspace, { asset, kind, source: one });
    return placedTarget(capability, target, one, one.attachedAt);
  });
}

const isAccountProvider = (provider: string): provider is AccountProvider =>
  ACCOUNT_PROVIDERS.some((known) => known === provider);

/** The panels of a site, each with days of its own. Without an account they are asked by nobody. */
function panelsOf(
  capability: Capability,
  { rows }: SiteGround,
  { parts, workspace }: TargetContext,
): MonitoredTarget[] {
  const account = parts.accounts?.find(({ providers }) => providers.includes("serp"));
  const connectionRevision = account?.connectionRevision ?? "";
  return (rows.panels ?? []).map((panel) => ({
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
function checksOf(capability: Capability, { parts, workspace }: TargetContext): MonitoredTarget[] {
  const { provider } = capability;
  if (!isAccountProvider(provider)) return [];
  const job = capability.kind === "discovery" ? "site-discovery" : "connection-test";
  return (parts.accounts ?? [])
    .filter(({ providers }) => providers.includes(provider))
    .map(({ connectionRevision, connectedAt }) => {
      const { target } = checkScope({ workspace, job, provider, connectionRevision });
      const of = { asset: "", connectionRevision, property: "" };
      return placedTarget(capability, target, of, connectedAt);
    });
}

// Sites whose figures of webmaster tools are asked for without an attachment, since an account lists their address.
// Pure.

const PROVIDER: Provider = "webmaster-tools";
/** How long a night takes at the most until it has asked every site of its list. */
const NIGHT_MS = 3 * 3_600_000;

/** A site with the address that it is asked by. */
type MatchedSite = Pick<MonitoredTarget, "asset" | "connectionRevision" | "property">;

/** What a site is asked by that has no attachment, once for each account that asks for it. */
type MatchedOf = (ground: Omit<SiteGround, "matched">) => MatchedSite[];

/**
 * What the nightly list held is stored nowhere; what it was followed by is: a site that was asked lately is asked again, listed or not, and
 * one that nobody asked yet is asked if the account's list, as it was read last, has its address.
 */
export function matchedOf({ accounts = [], listed = [], states }: KnownParts): MatchedOf {
  const asking = accounts.filter(({ providers }) => providers.includes(PROVIDER));
  const isOnly = asking.length === 1;
  const lists = asking.map(({ id, connectionRevision }) => {
    const own = listed.filter(({ credential }) => credential === id);
    const known = states
      ?.get("")
      ?.find(
        ({ scope }) =>
          scope.capability === `${PROVIDER}.daily` && scope.connectionRevision === connectionRevision,
      )?.evidence;
    const readAt = known === undefined || known === "unreadable" ? undefined : known.success?.startedAt;
    const seenAt = own.reduce((latest, one) => Math.max(latest, one.seenAt), 0);
    return {
      connectionRevision,
      addressOf: listedAddresses(own.map(({ property }) => property)),
      /** From when on a later list was read and followed: an address that nobody asked about then is listed no more. */
      replacedAt: readAt === undefined || readAt <= seenAt ? undefined : readAt + NIGHT_MS,
    };
  });
  return ({ site, rows, now, moments }) =>
    lists.flatMap(({ connectionRevision, addressOf, replacedAt }): MatchedSite[] => {
      const isAway = rows.detachments?.some(
        (one) => one.provider === PROVIDER && one.connectionRevision === connectionRevision,
      );
      if (isAway === true) return [];
      const asked = (rows.attempts ?? []).filter(
        (one) => one.provider === PROVIDER && (isOnly || one.connectionRevision === connectionRevision),
      );
      moments.add(replacedAt);
      const last = lastAsked(asked, now, moments);
      const lasting = last && listedAddresses([last.property])(site);
      const property =
        lasting ?? (replacedAt !== undefined && now >= replacedAt ? undefined : addressOf(site));
      return property === undefined ? [] : [{ asset: site.id, connectionRevision, property }];
    });
}

/** What a site was last asked by, while figures of it can be in the window. */
function lastAsked(
  attempts: readonly SourceAttempt[],
  now: number,
  moments: Moments,
): SourceAttempt | undefined {
  const last = attempts.reduce<SourceAttempt | undefined>(
    (a, b) => (a !== undefined && a.startedAt >= b.startedAt ? a : b),
    undefined,
  );
  if (last === undefined || now - last.startedAt > MATCHED_FOR_MS) return undefined;
  moments.add(last.startedAt + MATCHED_FOR_MS + 1);
  return last;
}
