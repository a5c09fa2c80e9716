import { ShortName } from "../component/short_name.tsx";
import { paths } from "../paths.ts";

const LONGEST = 40;

/** Where a capability stands on the tab of its site. */
export const capabilityId = (capability: string): string => `capability-${capability.replaceAll(".", "-")}`;

/** To the integrations of a site, at one of them where it is named. */
export function SiteLink(props: {
  readonly asset: string;
  readonly capability?: string;
  /** It is what its row is about: keys go from one of these to the next. */
  readonly leads?: boolean;
}) {
  const { asset, capability, leads = false } = props;
  const place = capability === undefined ? "" : `#${capabilityId(capability)}`;
  return (
    <a class="wrap" data-row={leads} href={`${paths.siteIntegrations(asset)}${place}`}>
      <ShortName name={asset} longest={LONGEST} />
    </a>
  );
}
