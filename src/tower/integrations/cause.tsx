import type { HealthState } from "../../health/contract.ts";
import type { TargetView } from "../../integrations/mod.ts";
import { CATEGORY_WORDS } from "../component/category_words.ts";

/** What a state that is no failure comes to, where a failure has its category. */
const HEADINGS: Partial<Readonly<Record<HealthState, string>>> = {
  stale: "Overdue",
  never_run: "Nothing came yet",
  disconnected: "Connection removed",
  unknown: "Not readable",
};

/** Why something is not Working: its category, and what happened in one sentence. Nothing where nothing is wrong. */
export function Cause({ target, why = target.why }: { readonly target: TargetView; readonly why?: string }) {
  const { state, category } = target;
  const heading = category === null ? HEADINGS[state] : CATEGORY_WORDS[category];
  if (heading === undefined && why === "") return null;
  return (
    <span>
      {heading === undefined ? null : <b>{heading}</b>}{" "}
      {why === "" ? null : <small class="block-sm">{why}</small>}
    </span>
  );
}
