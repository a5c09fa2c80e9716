import { findProperty } from "../credentials/mod.ts";
import type { Db } from "../db/mod.ts";
import { askHourly, askRealtime } from "../provider/ask.ts";
import { type AskGround, askOpened } from "../provider/ask_in_turn.ts";
import type { LiveSource } from "./contract.ts";
import type { LiveAskers } from "./traffic.ts";

/** Asks the analytics provider with the site's credential, opened for the one question. */
export const liveAskers = (
  deps: Omit<AskGround, "queue"> & { readonly store: { readonly db: Db } },
): LiveAskers => ({
  realtime: async (source, signal) =>
    (await askOpened(deps, source, signal, (client) => askRealtime(client, source.property))).outcome,
  hourly: async (source, signal) => {
    const of = { now: deps.clock.now(), timeZone: timeZoneOf(deps.store.db, source) };
    return (await askOpened(deps, source, signal, (client) => askHourly(client, source.property, of)))
      .outcome;
  },
});

/** The property's time zone as the last discovery told it; the answer says its own. */
function timeZoneOf(db: Db, { credential, property }: LiveSource): string | undefined {
  return findProperty(db, { credential, provider: "analytics", property })?.timeZone;
}
