import { capabilityOf } from "../../health/mod.ts";
import type { CapabilityView } from "../../integrations/mod.ts";
import { isProvider } from "../../provider/contract.ts";
import { paths } from "../paths.ts";
import { attemptsAddress } from "../runs/run_page.tsx";

const attemptsHref = attemptsAddress.at(paths.attempts);

/** To every attempt of a provider for a site, or to what is archived of it, where attempts are kept: nothing for what sites send, nor for what concerns an account. */
export function AttemptsLink({ asset, of }: { readonly asset: string; readonly of: CapabilityView }) {
  const { capability, provider, kind } = of;
  if (asset !== "" && capabilityOf(capability)?.ofReports === true) {
    return <a href={paths.archiveOfSite(asset)}>Archive</a>;
  }
  if (asset === "" || kind !== "production_read" || !isProvider(provider)) return null;
  // Those of the archive are rows of its manifest.
  const href = of.capability.endsWith(".archive")
    ? paths.archiveOfSite(asset, provider)
    : attemptsHref({ asset, provider });
  return <a href={href}>Attempts</a>;
}
