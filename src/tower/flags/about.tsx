import type { FlagRow } from "../../flags/mod.ts";
import { STALE_INGEST } from "../../rules/mod.ts";
import { Told } from "../component/text.tsx";
import { paths } from "../paths.ts";

/** The other site that a flag tells of: one about a silence stands on the service's own. */
export function otherSiteOf({ rule, subject }: Pick<FlagRow, "rule" | "subject">): string | undefined {
  return rule === STALE_INGEST && subject !== "" ? subject : undefined;
}

/** Leads to the site that a flag on the service's own tells of. */
export function OtherSite({ site }: { readonly site: string }) {
  return (
    <a href={paths.site(site)}>
      <Told class="wrap">{site}</Told>
    </a>
  );
}
