/**
 * What needs attention, in one order, each cause once: `/`, Flags, a site's head, the Wall, notices and `GET /api/attention` show this.
 * Pure; `attention_reader.ts` reads what it is made of.
 */

import { onceOf } from "../base/base.ts";
import { countText, countWords } from "../base/text.ts";
import { HOUR_MS } from "../base/time.ts";
import { newsOf } from "../flags/api.ts";
import { type ChainedFlag, SEVERITIES, type Severity } from "../flags/flags.ts";
import { capabilityOf } from "../health/catalogue.ts";
import { dueOf } from "../health/state.ts";
import { isProvider, PROVIDER_NAMES, type Provider } from "../providers/adapter.ts";
import { type ActionCode, LATER, needsPerson, WAITS } from "../providers/faults.ts";
import { ASSET_PULL_FAILED, isCodebaseRule, ruleOf, STALE_INGEST, toldBy } from "../sites/rule_catalogue.ts";
import type { CapabilityView, HealthView, TargetView } from "./integrations.ts";
import { isCounted } from "./target_state.ts";

// Why integrations fail, each cause once, however many sites and data sources it hits. Pure.

/** Why something fails now. */
export interface Cause {
  /** The same for as long as it may be the same trouble, also with another key of the same account. */
  readonly key: string;
  /** "Google rejected this key". */
  readonly news: string;
  /** The same with what it hits: "Google rejected this key: 1 account, 3 sites, 6 data sources". */
  readonly words: string;
  readonly action: string;
  readonly code: ActionCode;
  readonly provider: string;
  /** The credential, where the account itself is the trouble. */
  readonly credential: string | undefined;
  readonly assets: readonly string[];
  /** False while Tower tries again by itself, and has missed no more than one turn. */
  readonly isTold: boolean;
  /** Since when the first of them fails; null where that is not known. Milliseconds since the epoch. */
  readonly since: number | null;
  /** When it is tried again next; null where nothing says so. */
  readonly nextRetryAt: number | null;
  /** What fails; never none. */
  readonly all: readonly [Placed, ...Placed[]];
  /** The opaque target, where a channel is what fails. */
  readonly target: string | undefined;
}

/** A data source with its capability. */
export interface Placed {
  readonly of: CapabilityView;
  readonly target: TargetView;
  /** What it hangs on: its account, else its site or sender. */
  readonly holder: string;
}

/** How integrations are, with the id of the account that has each connection revision. */
export interface Health {
  readonly view: HealthView;
  readonly accounts: ReadonlyMap<string, string>;
}

/** What counts, as far as it is wanted. */
export const placed = (
  { view, accounts }: Health,
  wantedOf: (of: CapabilityView) => readonly TargetView[],
): Placed[] =>
  view.capabilities.filter(isCounted).flatMap((of) =>
    wantedOf(of).map((target) => {
      const { connectionRevision, asset } = target;
      const account = accounts.get(connectionRevision) ?? connectionRevision;
      return { of, target, holder: account || asset || target.target };
    }),
  );

/** A site that is silent has a flag, and what nobody sent yet is no failure. What is not known may be one. */
const isFailing = ({ of, target }: Pick<Placed, "of" | "target">): boolean =>
  target.state === "failing" ||
  isUnknown(target) ||
  (target.state === "stale" && of.kind === "production_read");
const isUnknown = ({ state }: Pick<TargetView, "state">): boolean => state === "unknown";
const failingOf = onceOf((of: CapabilityView) => of.targets.filter((target) => isFailing({ of, target })));

/** What is wrong with the key or the account itself, whatever is asked with it. */
const isOfAccount = ({ target }: Placed): boolean =>
  target.connectionRevision !== "" && ["replace_credential", "check_account"].includes(target.action.code);

/** What a provider refuses is one trouble, whichever of its reports is asked for. */
const isRefused = ({ target }: Placed): boolean =>
  target.connectionRevision !== "" && ["give_access", "enable_api"].includes(target.action.code);

/** A state that is not known has its reason in Tower's own clock or data, which all data sources share. */
const unknownKey = ({ action }: TargetView): string => `unknown ${action.code}`;

const keyOf = (one: Placed): string =>
  isUnknown(one.target)
    ? unknownKey(one.target)
    : `${isOfAccount(one) ? "account" : isRefused(one) ? one.of.provider : one.of.capability} ${one.holder}`;

/** What is told of although Tower retries it: that there is nothing to do would be no reason to tell. */
const RETRIED: ReadonlySet<string> = new Set([LATER, WAITS]);
const IN_VAIN = "Tower keeps retrying, and missed two runs.";

/** Every cause for which something fails. */
export function causesOf(health: Health, now: number): Cause[] {
  const failing = placed(health, failingOf);
  return [...Map.groupBy(failing, keyOf)].flatMap(([key, all]): Cause[] => {
    const told = all.find((one) => isDue(one, now));
    const [one, ...others] = all;
    if (one === undefined) return [];
    const first = told ?? one;
    const { of, target } = first;
    const assets = [...new Set(all.flatMap((one) => one.target.asset || []))].sort();
    const own = of.kind === "real_send" && all.length === 1 ? target.target : undefined;
    const news = causeNews(first, all);
    const since = all.flatMap((one) => one.target.since ?? []);
    const retries = all.flatMap((one) => one.target.nextRetryAt ?? []);
    return [
      {
        key,
        news,
        words: [news, hitWords(first, all.length, assets)].filter((part) => part !== "").join(": "),
        action: told !== undefined && RETRIED.has(target.action.text) ? IN_VAIN : target.action.text,
        code: target.action.code,
        provider: of.provider,
        credential: isOfAccount(first) ? first.holder : undefined,
        assets,
        isTold: told !== undefined,
        since: since.length === 0 ? null : Math.min(...since),
        nextRetryAt: retries.length === 0 ? null : Math.min(...retries),
        all: [one, ...others],
        target: own,
      },
    ];
  });
}

/**
 * Whether somebody is told: at once where only a person can put it right, else once two turns were missed. What is sent to Tower is
 * given an hour: whoever sends it may be at work on it.
 */
function isDue({ of, target }: Placed, now: number): boolean {
  if (isUnknown(target) && target.action.code !== "wait") return true;
  if (target.state === "stale" || (of.kind !== "ingest" && needsPerson(target.category))) return true;
  const since = target.since ?? now;
  const obligation = capabilityOf(of.capability)?.obligation;
  const from = Math.min(target.lastSuccessStartedAt ?? since, since);
  const isSent = obligation === undefined || obligation === "silent_hours";
  return now >= ((isSent ? null : dueOf(obligation, from, now).staleAt) ?? since + HOUR_MS);
}

/** What became of a cause that was told: undefined while it lasts, or nothing says that it does not. */
export function endOfCause(key: string, health: Health): "works" | "gone" | undefined {
  // First what fails, which is little: a portfolio may have 80,000 data sources.
  if (placed(health, failingOf).some((one) => keyOf(one) === key)) return undefined;
  if (key.startsWith("unknown ")) return health.view.coverage.state === "unknown" ? undefined : "works";
  const states = placed(health, ({ targets }) => targets)
    .filter(({ of, holder }) =>
      ["account", of.provider, of.capability].some((what) => key === `${what} ${holder}`),
    )
    .map(({ target }) => target.state);
  if (states.includes("working") || states.includes("idle")) return "works";
  return states.every((state) => state === "paused" || state === "disconnected") ? "gone" : undefined;
}

/** Who is named in the words of a cause, as people call the company. */
const VENDORS: Readonly<Record<Provider, string>> = {
  analytics: "Google",
  "search-console": "Google",
  "webmaster-tools": "Bing",
};
const NEWS: Readonly<Record<string, string>> = {
  replace_credential: "rejected this key",
  check_account: "does not let this account in",
  give_access: "refuses access to",
  enable_api: "says that the API is not enabled for",
};

const vendorOf = ({ provider }: CapabilityView): string | undefined =>
  isProvider(provider) ? VENDORS[provider] : undefined;

function causeNews(one: Placed, all: readonly Placed[]): string {
  const { of, target } = one;
  const [vendor, news] = [vendorOf(of), NEWS[target.action.code]];
  if (vendor !== undefined && news !== undefined && isProvider(of.provider))
    return isRefused(one) ? `${vendor} ${news} ${PROVIDER_NAMES[of.provider]}` : `${vendor} ${news}`;
  const why = target.state === "stale" ? "no usable data when it was due" : target.why.replace(/\.$/, "");
  return isUnknown(target) && all.some((other) => other.of !== of) ? why : `${of.label}: ${why}`;
}

/** What it hits: "1 account, 3 sites, 6 data sources". */
function hitWords(one: Placed, sources: number, assets: readonly string[]): string {
  const isOfProvider = vendorOf(one.of) !== undefined;
  const isAccount = isOfProvider && isOfAccount(one);
  return [
    ...(isAccount ? ["1 account"] : []),
    ...(assets.length === 1 && !isAccount
      ? assets
      : assets.length > 0
        ? [countWords(assets.length, "site")]
        : []),
    ...(isOfProvider ? [countWords(sources, "data source")] : []),
  ].join(", ");
}

/** Whether a person must act, or Tower tries again by itself. */
export const ACTS = ["person", "waits"] as const;

/** What kind of trouble it is, as a headline counts sites. */
type Trouble = "silent" | "connection" | "unknown" | "numbers" | "code" | "other";

/** One cause with all that it shows itself in. */
export interface Entry {
  /** The same for as long as it may be the same trouble. */
  readonly cause: string;
  readonly severity: Severity;
  readonly acts: (typeof ACTS)[number];
  readonly trouble: Trouble;
  /** The news in one sentence: of several flags the worst one's. */
  readonly title: string;
  /** What the other flags say. */
  readonly also: readonly string[];
  /** Since when, in milliseconds since the epoch; null where that is not known. */
  readonly since: number | null;
  /** The sites that it is about; the service's own where it concerns no other. */
  readonly assets: readonly string[];
  readonly flags: readonly string[];
  /** The flags that `title` and `also` are the sentences of, in their order; none where a connection is broken. */
  readonly rows: readonly ChainedFlag[];
  /** The series that the worst flag is about; null where none is, or the entry is no flag. */
  readonly series: { readonly source: string; readonly metric: string } | null;
  /** Opaque targets of the health payload. */
  readonly targets: readonly string[];
  /** What to do: a verb for a button, a sentence, and where. */
  readonly action: { readonly verb: string; readonly text: string; readonly href: string };
  /** When Tower tries again; null where a person must act, or nothing says so. */
  readonly nextRetryAt: number | null;
  /** Whether it is news for somebody: a warning or an error that nobody acknowledged and chance does not give. */
  readonly isPressing: boolean;
}

/** What the ranking is made of. */
export interface Facts {
  /** Open flags, none of them snoozed. */
  readonly flags: readonly ChainedFlag[];
  /** The flags that lie within what chance gives. */
  readonly unsure: ReadonlySet<string>;
  readonly causes: readonly Cause[];
  /** The operator's weight of a site, 1 by default. */
  readonly weightOf: (asset: string) => number;
  readonly now: number;
}

/** What the order goes by, the first difference deciding; of each the greater comes first. */
type Rank = readonly number[];

/**
 * The formula: severity; a person must act before what Tower tries again; unacknowledged before acknowledged; what stands out before what
 * chance gives; the size of the change on its own scale; how long it lasts; the site's weight. Then the older, then the name.
 */
const rankOf = (entry: Entry, worst: Worst, facts: Facts): Rank => [
  SEVERITIES.indexOf(entry.severity),
  entry.acts === "person" ? 1 : 0,
  worst.isUnread ? 1 : 0,
  worst.standsOut ? 1 : 0,
  worst.size,
  worst.lasts,
  Math.max(...entry.assets.map(facts.weightOf), 0),
  -(entry.since ?? facts.now),
];

/** The worst of an entry's flags; a broken connection says nothing at all any more, so no change is greater. */
type Worst = ReturnType<typeof worstOf>;

const BROKEN: Worst = { isUnread: true, standsOut: true, size: Number.POSITIVE_INFINITY, lasts: 0 };

/** Every entry, the most urgent first. */
export function ranked(facts: Facts): Entry[] {
  const all = [...flagEntries(facts), ...facts.causes.map((cause) => causeEntry(cause, facts))];
  return all
    .map(({ entry, worst }) => ({ entry, rank: rankOf(entry, worst, facts) }))
    .sort((a, b) => byRank(a.rank, b.rank) || (a.entry.cause < b.entry.cause ? -1 : 1))
    .map(({ entry }) => entry);
}

function byRank(one: Rank, other: Rank): number {
  const place = one.findIndex((value, at) => value !== other[at]);
  return place < 0 ? 0 : (other[place] ?? 0) > (one[place] ?? 0) ? 1 : -1;
}

/** The site that a flag is about: silence is flagged on the service's own. */
export const siteOf = (flag: Pick<ChainedFlag, "rule" | "subject" | "asset">): string =>
  flag.rule === STALE_INGEST ? flag.subject : flag.asset;

const figureOf = ({ asset, source, metric }: ChainedFlag, way: "down" | "up" | undefined): string =>
  `${asset} ${source} ${metric} ${way}`;

/** The flags of one site that were raised on one day, the worst first; a change that lasts is one with the day's flag of its figure, whenever it was raised. */
function flagEntries(facts: Facts): { readonly entry: Entry; readonly worst: Worst }[] {
  const { unsure, now } = facts;
  const alone = facts.flags.filter((flag) => !isOfCause(flag, facts.causes));
  const days = new Map(
    alone.flatMap((flag) => {
      const way = ruleOf(flag.rule)?.lasts?.thing;
      return way === undefined ? [] : [[figureOf(flag, way), flag.raised_at] as const];
    }),
  );
  const dayOf = (flag: ChainedFlag) =>
    (days.get(figureOf(flag, ruleOf(flag.rule)?.sameAs)) ?? flag.raised_at).slice(0, 10);
  const groups = Map.groupBy(alone, (flag) => `flags ${siteOf(flag)} ${dayOf(flag)}`);
  return [...groups].flatMap(([cause, group]) => {
    const [first, ...others] = group.map((flag) => ({ flag, worst: worstOf(flag, unsure) })).sort(byUrgency);
    if (first === undefined) return [];
    const { flag, worst } = first;
    const asset = siteOf(flag);
    const flags = [flag, ...others.map((one) => one.flag)];
    const isSilent = flag.rule === STALE_INGEST;
    const entry: Entry = {
      cause,
      severity: flag.severity,
      acts: "person",
      trouble: isSilent
        ? "silent"
        : isCodebaseRule(flag.rule)
          ? "code"
          : flag.metric === null
            ? "other"
            : "numbers",
      title: newsOf(flag, now),
      also: others.map((one) => newsOf(one.flag, now)),
      since: Math.min(...flags.map((one) => Date.parse(one.chain.since))),
      assets: [asset],
      flags: flags.map(({ id }) => id),
      rows: flags,
      series:
        flag.source === null || flag.metric === null ? null : { source: flag.source, metric: flag.metric },
      targets: [],
      action: isSilent
        ? {
            verb: "Check sender",
            text: "Check the job that sends this site's nightly report.",
            href: `/sites/${encodeURIComponent(asset)}/integrations`,
          }
        : others.length === 0
          ? { verb: "Review flag", text: "Review the flag.", href: `/flags/${flag.id}` }
          : {
              verb: `Review ${flags.length} flags`,
              text: `Review ${flags.length} flags.`,
              href: `/sites/${encodeURIComponent(asset)}/flags`,
            },
      nextRetryAt: null,
      isPressing: group.some((one) => isNews(one, unsure)),
    };
    return [{ entry, worst }];
  });
}

const isNews = (flag: ChainedFlag, unsure: ReadonlySet<string>): boolean =>
  flag.severity !== "info" && flag.acked_at === null && !unsure.has(flag.id);

/** A failed pull is flagged, too: where its provider's failure is an entry, the flag is a part of that. */
const isOfCause = ({ rule }: ChainedFlag, causes: readonly Cause[]): boolean =>
  rule === ASSET_PULL_FAILED && causes.some(({ provider }) => provider === "webmaster-tools");

interface RankedFlag {
  readonly flag: ChainedFlag;
  readonly worst: Worst;
}

const byUrgency = (a: RankedFlag, b: RankedFlag): number =>
  byRank(flagRank(a), flagRank(b)) || (a.flag.id < b.flag.id ? -1 : 1);

/** Flags in the order of the ranking, as a message lists them. */
export const worstFirst = <T extends { readonly flag: ChainedFlag }>(flags: readonly T[]): T[] =>
  flags
    .map((one) => ({ one, flag: one.flag, worst: worstOf(one.flag, new Set()) }))
    .sort(byUrgency)
    .map(({ one }) => one);

const flagRank = ({ flag, worst }: RankedFlag): Rank => [
  SEVERITIES.indexOf(flag.severity),
  worst.isUnread ? 1 : 0,
  worst.standsOut ? 1 : 0,
  worst.size,
  worst.lasts,
];

function worstOf(flag: ChainedFlag, unsure: ReadonlySet<string>) {
  return {
    isUnread: flag.acked_at === null,
    standsOut: !unsure.has(flag.id),
    size: sizeOf(flag.rule_inputs ?? {}),
    lasts: flag.chain.reports,
  };
}

/** How far a figure lies from what is usual, as a ratio: half and twice as many are equally far. 0 of what compares nothing. */
export function sizeOf(inputs: Readonly<Record<string, unknown>>): number {
  const { observed, expected } = toldBy(inputs);
  const [seen, usual] =
    typeof inputs["level_before"] === "number"
      ? [inputs["level"], inputs["level_before"]]
      : [observed["count"], expected];
  if (typeof seen !== "number" || typeof usual !== "number") return 0;
  // One more on both sides, so that 0 of 1 is no greater than 0 of 100.
  const size = Math.abs(Math.log((Math.max(seen, 0) + 1) / (Math.max(usual, 0) + 1)));
  return Number.isFinite(size) ? size : 0;
}

const VERBS: Readonly<Partial<Record<Cause["code"], string>>> = {
  replace_credential: "Replace key",
  check_account: "Check account",
  give_access: "Give access",
  enable_api: "Enable API",
  check_sender: "Check sender",
  check_token: "Check token",
  correct_report: "See report",
};

/** What its sender has to change: sent again as it is, it is refused again, and Tower itself sends nothing. */
const REFUSED_AS_SENT: ReadonlySet<Cause["code"]> = new Set(["check_setup", "check_token", "correct_report"]);

function causeEntry(cause: Cause, facts: Facts): { readonly entry: Entry; readonly worst: Worst } {
  const { key, assets, credential, isTold } = cause;
  const isRefused = cause.all[0].of.kind === "ingest" && REFUSED_AS_SENT.has(cause.code);
  const flags = facts.flags.filter((flag) => isOfCause(flag, [cause]));
  const [site] = assets;
  const href =
    credential !== undefined
      ? `/settings/credentials/${encodeURIComponent(credential)}`
      : cause.target !== undefined
        ? "/settings/notices"
        : site !== undefined && assets.length === 1
          ? `/sites/${encodeURIComponent(site)}/integrations`
          : "/integrations";
  const entry: Entry = {
    cause: key,
    severity: "warn",
    acts: isTold || isRefused ? "person" : "waits",
    trouble: isUnknown(cause.all[0].target) ? "unknown" : "connection",
    title: cause.words,
    also: flags.map((flag) => newsOf(flag, facts.now)),
    since: cause.since,
    assets,
    flags: flags.map(({ id }) => id),
    rows: [],
    series: null,
    targets: [...new Set(cause.all.map(({ target }) => target.target))].filter((id) => id !== ""),
    action: { verb: VERBS[cause.code] ?? "See details", text: cause.action, href },
    nextRetryAt: isTold ? null : cause.nextRetryAt,
    isPressing: isTold,
  };
  return { entry, worst: BROKEN };
}

/** What needs somebody now; what is said of it in one sentence, and how many sites it is about. */
export function attentionWords(
  entries: readonly Entry[],
  /** How many sites there are, how many of them never reported or are silent, and whether all that is set up could be read. */
  {
    sites,
    unheard,
    silent,
    isWhole,
  }: {
    readonly sites: number;
    readonly unheard: number;
    readonly silent: number;
    readonly isWhole: boolean;
  },
  ownAsset: string,
): string {
  const pressing = entries.filter(({ isPressing }) => isPressing);
  const worst = new Map<string, Trouble>();
  for (const { assets, trouble } of pressing) {
    for (const asset of assets) {
      if (asset !== ownAsset && !worst.has(asset)) worst.set(asset, trouble);
    }
  }
  const counts = Map.groupBy(worst.values(), (trouble) => trouble);
  const parts = Object.entries(TROUBLE_WORDS).flatMap(([trouble, words]) => {
    const count = counts.get(trouble as Trouble)?.length ?? 0;
    return count === 0 ? [] : [`${countText(count)} ${words}`];
  });
  const ofNoSite = pressing.filter(({ assets }) => assets.every((asset) => asset === ownAsset));
  const shared = ofNoSite.filter(({ assets }) => assets.length === 0);
  const unknown = shared.filter(({ trouble }) => trouble === "unknown").length;
  const broken = shared.length - unknown;
  const own = ofNoSite.length - shared.length;
  const ofOwn = [
    broken === 0 ? "" : ` ${countWords(broken, "shared connection is", "shared connections are")} broken.`,
    unknown === 0
      ? ""
      : ` ${countWords(unknown, "shared connection has", "shared connections have")} an unknown state.`,
    own === 0 ? "" : ` Tower itself has ${own === 1 ? "a problem" : `${own} problems`}.`,
  ].join("");
  if (worst.size === 0) {
    if (ofOwn !== "") return ofOwn.trim();
    if (!isWhole) return "Nothing that could be read needs attention.";
    // What somebody acknowledged or snoozed is no news, and no all-clear.
    const isKnown = silent > 0 || entries.some(({ rows }) => rows.some(isAcknowledged));
    const calm = isKnown ? "Nothing new needs attention." : "Nothing needs attention.";
    const missing = [
      ...(silent === 0 ? [] : [`${countWords(silent, "site is", "sites are")} not reporting.`]),
      ...(unheard === 0 ? [] : [`${countWords(unheard, "site has", "sites have")} not reported yet.`]),
    ];
    if (missing.length > 0) return [calm, ...missing].join(" ");
    if (isKnown || entries.some(({ acts }) => acts === "waits")) return calm;
    return sites === 1 ? "Your site is fine." : `All ${countText(sites)} sites are fine.`;
  }
  const needs = worst.size === 1 ? "1 site needs" : `${countText(worst.size)} sites need`;
  return `${needs} attention: ${parts.join(", ")}.${ofOwn}`;
}

const isAcknowledged = ({ severity, acked_at }: ChainedFlag): boolean =>
  severity !== "info" && acked_at !== null;

const TROUBLE_WORDS: Readonly<Record<Trouble, string>> = {
  silent: "not reporting",
  connection: "with a broken connection",
  unknown: "with an unknown state",
  numbers: "with unusual numbers",
  code: "with code warnings",
  other: "with other warnings",
};
