import type { Tx } from "../db/mod.ts";
import { formatInstant } from "../lib/instant.ts";
import { type ActOutcome, type ActRequest, performAct } from "./act.ts";
import { endSnooze, startSnooze } from "./snooze_store.ts";
import { snoozing, waking } from "./transitions.ts";

/**
 * Puts a flag away until an instant. The snooze belongs to (rule, asset, source, subject): a flag raised anew while it runs carries
 * it on. Other flags that are open already stay as they are.
 */
export function snoozeFlag(tx: Tx, request: ActRequest & { readonly until: number }): ActOutcome {
  const { until, by, now } = request;
  const outcome = performAct(tx, request, {
    name: "snooze",
    decide: (flag) => snoozing(flag, until),
    detail: { until: formatInstant(until) },
  });
  if (outcome.state === "done") startSnooze(tx, outcome.flag, { until, now, by: by.id });
  return outcome;
}

/** Ends a running snooze by hand, for this flag and for those raised anew. */
export function wakeFlag(tx: Tx, request: ActRequest): ActOutcome {
  const outcome = performAct(tx, request, { name: "wake", decide: (flag) => waking(flag, request.now) });
  if (outcome.state === "done") endSnooze(tx, outcome.flag);
  return outcome;
}
