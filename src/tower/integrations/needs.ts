/** What somebody has to look at, one row for each cause. Pure. */
import { HEALTH_STATES, type HealthState } from "../../health/contract.ts";
import type { CapabilityView, HealthView, TargetView } from "../../integrations/mod.ts";

/** Targets of one capability that one thing is wrong with: an account that fails on two hundred sites is one of these. */
export interface Need {
  /** The same as long as the cause is. */
  readonly key: string;
  readonly of: CapabilityView;
  /** By the name of the site; never none. */
  readonly targets: readonly [TargetView, ...TargetView[]];
}

const NEEDING: readonly HealthState[] = ["failing", "unknown", "stale", "disconnected"];

/** A key as a part of an element's id. */
export const idPart = (key: string): string => key.replaceAll(/[^a-z0-9]+/gi, "-");

/** Whether somebody has to look at it. What never ran only has to be waited for, unless it has yet to be set up where it is sent from. */
function needsSomebody({ state, action }: TargetView): boolean {
  return NEEDING.includes(state) || (state === "never_run" && action.code === "set_up_sending");
}

/** Every cause, the most urgent state first, then what hits most sites. */
export function needsOf({ capabilities }: Pick<HealthView, "capabilities">): Need[] {
  const needs = capabilities.flatMap((of) => {
    const found = of.targets.filter(needsSomebody);
    return [...Map.groupBy(found, causeOf)].flatMap(([cause, targets]): Need[] => {
      const [first, ...others] = targets.toSorted((a, b) => (a.asset < b.asset ? -1 : 1));
      return first === undefined
        ? []
        : [{ key: `${of.capability} ${cause}`, of, targets: [first, ...others] }];
    });
  });
  return needs.toSorted(
    (a, b) =>
      HEALTH_STATES.indexOf(a.targets[0].state) - HEALTH_STATES.indexOf(b.targets[0].state) ||
      b.targets.length - a.targets.length,
  );
}

/** What makes two targets of a capability one row: the same trouble, over the same connection, with the same thing to do. */
function causeOf({ state, category, action, connectionRevision, nextRetryReason }: TargetView): string {
  return [state, category ?? "", action.code, connectionRevision, nextRetryReason ?? ""].join(" ");
}

/** What happened, where it is the same everywhere; what differs from site to site stands on the sites' own pages. */
export function sharedWhy({ targets: [first, ...others] }: Pick<Need, "targets">): string {
  return others.every((other) => other.why === first.why) ? first.why : "";
}

/** The least and the greatest of what targets say. */
export interface Stretch<Value> {
  readonly from: Value;
  readonly to: Value;
  /** Some of the targets have no such value. */
  readonly some: boolean;
}

/** From the least to the greatest of what is known; undefined where nothing is. */
export function stretchOf<Value extends string | number>(
  values: readonly (Value | null)[],
): Stretch<Value> | undefined {
  const known = values.filter((value) => value !== null) as Value[];
  known.sort((a, b) => (a < b ? -1 : 1));
  const [from] = known;
  const to = known.at(-1);
  if (from === undefined || to === undefined) return undefined;
  return { from, to, some: known.length < values.length };
}
