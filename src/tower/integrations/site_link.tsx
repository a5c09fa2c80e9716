import { ShortName } from "../component/short_name.tsx";
import { paths } from "../paths.ts";

const LONGEST = 40;

/** Where a capability stands on the tab of its site. */
export const capabilityId = (capability: string): string => `capability-${capability.replaceAll(".", "-")}`;

/** To the integrations of a site, at one of them where it is named. */
export function SiteLink({ asset, capability }: { readonly asset: string; readonly capability?: string }) {
  const place = capability === undefined ? "" : `#${capabilityId(capability)}`;
  return (
    <a class="wrap" href={`${paths.siteIntegrations(asset)}${place}`}>
      <ShortName name={asset} longest={LONGEST} />
    </a>
  );
}
