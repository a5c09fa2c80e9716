import type { Lifecycle } from "../../assets/contract.ts";
import { openIn } from "../../flags/mod.ts";
import { paths } from "../paths.ts";
import { OpenAndSnoozed, type SeverityCounts } from "./severity.tsx";
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
}

/** The tabs of a site that exist. */
export type SiteTab = "overview" | "codebase" | "flags" | "timeline" | "integrations" | "settings";

function tabsOf(asset: string, current: SiteTab): readonly Tab[] {
  return [
    { href: paths.site(asset), words: "Overview", current: current === "overview" },
    { href: paths.codebase(asset), words: "Codebase", current: current === "codebase" },
    { href: paths.siteFlags(asset), words: "Flags", current: current === "flags" },
    { href: paths.siteTimeline(asset), words: "Timeline", current: current === "timeline" },
    { href: paths.siteIntegrations(asset), words: "Integrations", current: current === "integrations" },
    { href: paths.siteSettings(asset), words: "Settings", current: current === "settings" },
  ];
}

/** The words of a lifecycle, as a heading shows them. */
export const LIFECYCLE_WORDS: Readonly<Record<Lifecycle, string>> = {
  live: "Live",
  "pre-launch": "Pre-launch",
  retired: "Retired",
};

export function SiteHeader({ site, current }: { readonly site: SiteHead; readonly current: SiteTab }) {
  const { openFlags, snoozed } = site;
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
        <span class="tag">{LIFECYCLE_WORDS[site.lifecycle]}</span>
        {none ? null : <OpenAndSnoozed counts={openFlags} snoozed={snoozed} />}
      </div>
      <Tabs label={site.asset} tabs={tabsOf(site.asset, current)} />
    </div>
  );
}
