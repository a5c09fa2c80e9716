import { findProperty } from "../credentials/mod.ts";
import type { Db } from "../db/mod.ts";
import { askHourly, askRealtime } from "../provider/ask.ts";
import { type ClientGround, openClient, type SecretOpener } from "../provider/client.ts";
import type { LiveSource } from "./contract.ts";
import type { LiveAskers } from "./traffic.ts";

export interface AskDeps extends ClientGround {
  readonly credentials: SecretOpener;
  readonly store: { readonly db: Db };
}

/** Asks the analytics provider with the site's credential, opened for the one question. */
export function liveAskers(deps: AskDeps): LiveAskers {
  return {
    realtime: async (source, signal) => {
      const opened = openClient(deps, source, signal);
      return opened.ok ? (await askRealtime(opened.value, source.property)).outcome : opened;
    },
    hourly: async (source, signal) => {
      const opened = openClient(deps, source, signal);
      if (!opened.ok) return opened;
      const question = { now: deps.clock.now(), timeZone: timeZoneOf(deps.store.db, source) };
      return (await askHourly(opened.value, source.property, question)).outcome;
    },
  };
}

/** The property's time zone as the last discovery told it; the answer says its own. */
function timeZoneOf(db: Db, { credential, property }: LiveSource): string | undefined {
  return findProperty(db, { credential, provider: "analytics", property })?.timeZone;
}
