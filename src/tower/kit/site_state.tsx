/** How a site stands as a sender of reports, as shape, colour and word; and what was refused meanwhile. */

import { snoozeRuns } from "../../flags/flags.ts";
import { openIn } from "../../flags/inbox.ts";
import type { HeldFlag } from "../../flags/queries.ts";
import type { MonitoringFailure, MonitoringKind } from "../../health/monitoring.ts";
import type { Streak } from "../../health/refusals.ts";
import type { Entry } from "../../integrations/attention.ts";
import type { SiteState } from "../../rules/freshness.ts";
import type { Lifecycle } from "../../sites/sites.ts";
import { formatCount } from "../format.ts";
import type { Child } from "../jsx/jsx-runtime.ts";
import { paths } from "../paths.ts";
import { Glyph } from "./glyph.tsx";
import { here } from "./here.ts";
import { OpenAndSnoozed, OutsideLink, type SeverityCounts, StreakWords, Told, Unseen } from "./links.tsx";
import { Moment } from "./proof.tsx";
import { Callout, MonitoringNotice } from "./words.tsx";

/** A site's state with what it is made of. Times are milliseconds since the epoch. */
export interface SiteStanding {
  readonly state: SiteState;
  /** When the last nightly report was received; null before the first. */
  readonly receivedAt: number | null;
  /** Until when a pause lasts; null where an operator ends it, or where nothing is paused. */
  readonly pausedUntil: number | null;
  /** Nightly reports that were refused since the last good one. */
  readonly refused?: Streak | undefined;
}

/** The word of each state. */
const SITE_STATE_WORDS: Readonly<Record<SiteState, string>> = {
  silent: "Silent",
  never_reported: "Never reported",
  reporting: "Reporting",
  pre_launch: "Pre-launch",
  paused: "Paused",
  retired: "Retired",
};

/** The state alone; `children` stand in place of its plain word. */
function SiteStateMark({ state, children }: { readonly state: SiteState; readonly children?: Child }) {
  return (
    <span class="state" data-site={state}>
      <Glyph name={`r-${state}`} />
      {children ?? SITE_STATE_WORDS[state]}
    </span>
  );
}

/** The state with its moment: since when a site is silent, until when it is paused. */
export function SiteStanding({ standing }: { readonly standing: SiteStanding }) {
  const { state, receivedAt, pausedUntil } = standing;
  return (
    <SiteStateMark state={state}>
      {state === "silent" && receivedAt !== null ? (
        <span>
          Silent since <Moment at={receivedAt} />
        </span>
      ) : state === "paused" && pausedUntil !== null ? (
        <span>
          Paused until <Moment at={pausedUntil} />
        </span>
      ) : (
        SITE_STATE_WORDS[state]
      )}
    </SiteStateMark>
  );
}

/** What a site sends and the contract does not take: it is not merely silent. */
export function SentButRefused({ standing }: { readonly standing: SiteStanding }) {
  if (standing.refused === undefined) return null;
  return (
    <small class="bad">
      Sends, but was <StreakWords streak={standing.refused} since={standing.receivedAt !== null} />
    </small>
  );
}

/** Leads to the flag about a site's silence; nothing where there is none. */
export function SilenceFlag(props: {
  readonly flag: HeldFlag | undefined;
  /** Shows its pennant alone, where its row says the rest. */
  readonly bare?: boolean;
}) {
  const { now } = here();
  const { flag, bare = false } = props;
  if (flag === undefined) return null;
  const { id, snoozedUntil } = flag;
  const isAsleep = snoozedUntil !== null && snoozeRuns(snoozedUntil, now);
  const words = isAsleep ? "View alert (snoozed)" : "View alert";
  return (
    <a class="about" data-tone={isAsleep ? undefined : "error"} href={paths.flag(id)} title={words}>
      <Glyph name="f-error" />
      {bare ? <Unseen>{words}</Unseen> : words}
    </a>
  );
}

/** What a list of flags does not say: nothing that a silent site sends each night was checked. What is pulled for it still is. */
export function SilentNote(props: {
  readonly site: { readonly standing: SiteStanding; readonly silenceFlag: HeldFlag | undefined };
}) {
  const { standing, silenceFlag } = props.site;
  if (standing.state !== "silent" || standing.receivedAt === null) return null;
  return (
    <Callout tone="stale">
      <p>
        No reports since <Moment at={standing.receivedAt} />, so its nightly numbers have not been checked
        since.
        {silenceFlag === undefined ? null : (
          <>
            {" "}
            <a href={paths.flag(silenceFlag.id)}>View alert</a>
          </>
        )}
      </p>
    </Callout>
  );
}

/** One page of a set. */

interface Tab {
  readonly href: string;
  readonly words: Child;
  readonly current: boolean;
}

/** Links between the pages about one thing. */
export function Tabs({ label, tabs }: { readonly label: string; readonly tabs: readonly Tab[] }) {
  return (
    <nav class="tabs" aria-label={label}>
      {tabs.map((tab) => (
        <a href={tab.href} aria-current={tab.current ? "page" : undefined}>
          {tab.words}
        </a>
      ))}
    </nav>
  );
}

/** What every page of a site says at its top. */

export interface SiteHead {
  readonly asset: string;
  readonly url: string | null;
  readonly lifecycle: Lifecycle;
  /** Open and not snoozed. */
  readonly openFlags: SeverityCounts;
  readonly snoozed: number;
  /** How it stands as a sender of reports. */
  readonly standing: SiteStanding;
  /** What was refused since the last good report, of each kind. */
  readonly refused: readonly Streak[];
  /** The flag about its silence, which stands on the service's own site; undefined where it is not silent, or not told yet. */
  readonly silenceFlag: HeldFlag | undefined;
  /** What of the one ranking is about it. */
  readonly entries: readonly Entry[];
  /** What of it should be watched and is not. */
  readonly unwatched: readonly MonitoringFailure[];
}

/** What a page of a site is called by the browser: a silent site says so on its tab. */
export function siteTitle({ asset, standing }: SiteHead, part?: string): string {
  return `${standing.state === "silent" ? "Silent: " : ""}${asset}${part === undefined ? "" : `, ${part}`}`;
}

/** The tabs of a site that exist. */
const TABS = [
  ["overview", "Overview", paths.site],
  ["insights", "Search & traffic", paths.siteInsights],
  ["codebase", "Code", paths.codebase],
  ["flags", "Flags", paths.siteFlags],
  ["timeline", "Timeline", paths.siteTimeline],
  ["integrations", "Integrations", paths.siteIntegrations],
  ["ledger", "Ledger", paths.siteLedger],
  ["settings", "Settings", paths.siteSettings],
] as const;
export type SiteTab = (typeof TABS)[number][0];

function tabsOf({ asset, openFlags }: SiteHead, current: SiteTab): readonly Tab[] {
  const open = openIn({ open: openFlags });
  return TABS.map(([tab, name, place]) => ({
    href: place(asset),
    words: tab === "flags" && open > 0 ? `${name} ${formatCount(open)}` : name,
    current: tab === current,
  }));
}

/** The words of a lifecycle, as a heading shows them. */
export const LIFECYCLE_WORDS: Readonly<Record<Lifecycle, string>> = {
  live: "Live",
  "pre-launch": "Pre-launch",
  retired: "Retired",
};

/** The overview says itself, beside its figures, which of them could not be judged. */
const isToldBelow = (kind: MonitoringKind, tab: SiteTab): boolean => kind === "rule" && tab === "overview";

/** The most urgent of what needs attention, with how much more there is; undefined where nothing does. */
function newsOf({ entries }: SiteHead): Child | undefined {
  const [first, ...others] = entries.filter(({ isPressing }) => isPressing);
  if (first === undefined) return undefined;
  return (
    <p class="say">
      <a href={first.action.href}>
        <Told>{others.length === 0 ? first.title : first.title.replace(/\.$/, "")}</Told>
      </a>
      {others.length === 0 ? null : `, and ${formatCount(others.length)} more`}
    </p>
  );
}

export function SiteHeader(props: {
  readonly site: SiteHead;
  readonly current: SiteTab;
  /** What the page says of the site before all else; its news from the ranking where it says nothing. */
  readonly children?: Child;
}) {
  const { site, current } = props;
  // The tab of flags lists them all right below.
  const news = props.children ?? (current === "flags" ? undefined : newsOf(site));
  const { openFlags, snoozed, standing, lifecycle } = site;
  const none = snoozed === 0 && openIn({ open: openFlags }) === 0;
  return (
    <div class="stack tight">
      <p class="crumb">
        <a href={paths.portfolio}>Sites</a> /{" "}
        {site.url === null ? site.asset : <OutsideLink address={site.url} />}
      </p>
      <div class="row">
        <h1 class="wrap">
          <Told>{site.asset}</Told>
        </h1>
        <SiteStanding standing={standing} />
        {props.children === undefined ? <SilenceFlag flag={site.silenceFlag} /> : null}
        {lifecycle === "pre-launch" && standing.state !== "pre_launch" ? (
          <span class="tag">{LIFECYCLE_WORDS[lifecycle]}</span>
        ) : null}
        {none ? null : (
          <>
            {" "}
            <OpenAndSnoozed counts={openFlags} snoozed={snoozed} />
          </>
        )}
      </div>
      {news}
      {standing.refused === undefined ? null : (
        <p>
          <SentButRefused standing={standing} />
        </p>
      )}
      <Tabs label={site.asset} tabs={tabsOf(site, current)} />
      {current === "flags" ? null : (
        <MonitoringNotice failures={site.unwatched.filter(({ kind }) => !isToldBelow(kind, current))} />
      )}
    </div>
  );
}
