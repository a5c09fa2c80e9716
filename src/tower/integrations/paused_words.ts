import { capabilityOf, type PauseKey } from "../../health/mod.ts";

/** What a pause is of, in words: "all of harbor", "Analytics, daily, for harbor", "Analytics, daily, for every site". */
export function pausedWords({ capability, asset }: PauseKey): string {
  if (capability === "") return `all of ${asset}`;
  return `${labelOf(capability)}, for ${asset === "" ? "every site" : asset}`;
}

/** What a capability is called. */
export function labelOf(capability: string): string {
  return capabilityOf(capability)?.label ?? capability;
}
