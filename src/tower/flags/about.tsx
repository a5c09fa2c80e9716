/** The other site that a flag tells of: one about a silence stands on the service's own. */

import type { FlagRow } from "../../flags/flags.ts";
import { STALE_INGEST } from "../../sites/rule_catalogue.ts";
import { Told } from "../kit/links.tsx";
import { paths } from "../paths.ts";

export function otherSiteOf({ rule, subject }: Pick<FlagRow, "rule" | "subject">): string | undefined {
  return rule === STALE_INGEST && subject !== "" ? subject : undefined;
}

/** Leads to the site that a flag on the service's own tells of. */
export function OtherSite({ site }: { site: string }) {
  return (
    <a href={paths.site(site)}>
      <Told class="wrap">{site}</Told>
    </a>
  );
}
