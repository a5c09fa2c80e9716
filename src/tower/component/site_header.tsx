import type { Lifecycle } from "../../assets/contract.ts";
import { type HeldFlag, openIn } from "../../flags/mod.ts";
import type { MonitoringFailure, MonitoringKind } from "../../monitoring/mod.ts";
import type { Streak } from "../../refusals/mod.ts";
import { paths } from "../paths.ts";
import { MonitoringNotice } from "./monitoring_notice.tsx";
import { OpenAndSnoozed, type SeverityCounts } from "./severity.tsx";
import { SentButRefused, SilenceFlag, SiteStanding } from "./site_state.tsx";
import { type Tab, Tabs } from "./tabs.tsx";
import { OutsideLink, Told } from "./text.tsx";

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
  /** What of it should be watched and is not. */
  readonly unwatched: readonly MonitoringFailure[];
  /** When all of it was read, in milliseconds since the epoch. */
  readonly now: number;
}

/** What a page of a site is called by the browser: a silent site says so on its tab. */
export function siteTitle({ asset, standing }: SiteHead, part?: string): string {
  return `${standing.state === "silent" ? "Silent: " : ""}${asset}${part === undefined ? "" : `, ${part}`}`;
}

/** The tabs of a site that exist. */
export type SiteTab = "overview" | "codebase" | "flags" | "timeline" | "integrations" | "ledger" | "settings";

function tabsOf(asset: string, current: SiteTab): readonly Tab[] {
  return [
    { href: paths.site(asset), words: "Overview", current: current === "overview" },
    { href: paths.codebase(asset), words: "Codebase", current: current === "codebase" },
    { href: paths.siteFlags(asset), words: "Flags", current: current === "flags" },
    { href: paths.siteTimeline(asset), words: "Timeline", current: current === "timeline" },
    { href: paths.siteIntegrations(asset), words: "Integrations", current: current === "integrations" },
    { href: paths.siteLedger(asset), words: "Ledger", current: current === "ledger" },
    { href: paths.siteSettings(asset), words: "Settings", current: current === "settings" },
  ];
}

/** The words of a lifecycle, as a heading shows them. */
export const LIFECYCLE_WORDS: Readonly<Record<Lifecycle, string>> = {
  live: "Live",
  "pre-launch": "Pre-launch",
  retired: "Retired",
};

/** The overview says itself, beside its figures, which of them could not be judged. */
const isToldBelow = (kind: MonitoringKind, tab: SiteTab): boolean => kind === "rule" && tab === "overview";

export function SiteHeader({ site, current }: { readonly site: SiteHead; readonly current: SiteTab }) {
  const { openFlags, snoozed, standing, lifecycle, now } = site;
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
        <SiteStanding standing={standing} now={now} />
        <SilenceFlag flag={site.silenceFlag} now={now} />
        {lifecycle === "pre-launch" && standing.state !== "pre_launch" ? (
          <span class="tag">{LIFECYCLE_WORDS[lifecycle]}</span>
        ) : null}
        {none ? null : <OpenAndSnoozed counts={openFlags} snoozed={snoozed} />}
      </div>
      {standing.refused === undefined ? null : (
        <p>
          <SentButRefused standing={standing} />
        </p>
      )}
      <Tabs label={site.asset} tabs={tabsOf(site.asset, current)} />
      {current === "flags" ? null : (
        <MonitoringNotice
          failures={site.unwatched.filter(({ kind }) => !isToldBelow(kind, current))}
          now={now}
        />
      )}
    </div>
  );
}
