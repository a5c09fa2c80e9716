import type { CapabilityKind, HealthState } from "../../health/contract.ts";
import type { TargetView } from "../../integrations/mod.ts";
import { CATEGORY_WORDS } from "../component/category_words.ts";
import { type Need, sharedWhy } from "./needs.ts";

/** What a state that is no failure comes to, where a failure has its category. */
const HEADINGS: Partial<Readonly<Record<HealthState, string>>> = {
  stale: "Overdue",
  disconnected: "Connection removed",
  unknown: "Not readable",
};

/** What nobody ever sent is waited for otherwise than what was not asked for yet. */
function headingOf({ state, category }: TargetView, kind: CapabilityKind): string | undefined {
  if (category !== null) return CATEGORY_WORDS[category];
  return state === "never_run" && kind === "ingest" ? "Nothing came yet" : HEADINGS[state];
}

/** Why targets of one cause are not Working. */
export function CauseOf({ need }: { readonly need: Need }) {
  return <Cause target={need.targets[0]} kind={need.of.kind} why={sharedWhy(need)} />;
}

/** Why something is not Working: its category, and what happened in one sentence. Nothing where nothing is wrong. */
export function Cause(props: {
  readonly target: TargetView;
  readonly kind: CapabilityKind;
  readonly why?: string;
}) {
  const { target, kind, why = target.why } = props;
  const heading = headingOf(target, kind);
  if (heading === undefined && why === "") return null;
  return (
    <span>
      {heading === undefined ? null : <b>{heading}</b>}{" "}
      {why === "" ? null : <small class="block-sm">{why}</small>}
    </span>
  );
}
