import { type SiteHead, SiteHeader, siteTitle } from "../component/site_header.tsx";
import { Page } from "../layout.tsx";
import { paths } from "../paths.ts";
import type { Shell } from "../shell.ts";
import type { SitePanels } from "./panel_report.ts";
import { SitePanelsView } from "./panels.tsx";

/** Every report that is kept of a site, with every row that is kept of it. */
export function InsightsPage(props: {
  readonly shell: Shell;
  readonly site: SiteHead;
  readonly panels: SitePanels;
}) {
  const { shell, site, panels } = props;
  return (
    <Page shell={shell} title={siteTitle(site, "reports of providers")} current="sites">
      <SiteHeader site={site} current="overview" />
      <p class="note">
        The first 25 rows of each report stand here; all of them are in the{" "}
        <a href={paths.archiveOfSite(site.asset)}>archive</a>.{" "}
        <a href={paths.site(site.asset)}>Back to the overview</a>
      </p>
      <SitePanelsView site={panels} now={shell.now} isWhole />
    </Page>
  );
}
