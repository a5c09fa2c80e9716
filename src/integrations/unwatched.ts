/**
 * Recorders that failed end with the next outcome that they record. Of what is watched no more, such as a connection that was taken away or
 * a token that was revoked, none comes: its failure would be told for ever.
 */
import type { Store, Tx, Writer } from "../db/mod.ts";
import { CAPABILITIES } from "../health/mod.ts";
import { listLasting, listMonitoringFailures, noteRecovery } from "../monitoring/mod.ts";
import type { Config } from "../platform/config.ts";
import { newestDay } from "../platform/not_ahead.ts";
import { REPORT_ROUTES } from "../refusals/mod.ts";
import { type KnownParts, readInventory } from "./inventory.ts";
import { Moments } from "./moments.ts";
import { recorderKey, recordersOf } from "./recorders.ts";
import { reportOf, type SetUp, setUpTargets } from "./set_up.ts";

export interface UnwatchedDeps {
  readonly store: Pick<Store, "db">;
  readonly writer: Pick<Writer, "write">;
  readonly config: Pick<Config, "serviceAsset" | "workspace">;
}

/** Ends the failures of recorders of which no outcome can come. Where what is set up cannot be read, all of them stay. */
export async function endUnwatched({ store, writer, config }: UnwatchedDeps, now: number): Promise<void> {
  if (listMonitoringFailures(store.db, { kind: "recorder" }, 1).length === 0) return;
  await writer.write((tx) => {
    const watched = watchedBy(tx, config, now);
    if (watched === undefined) return;
    for (const failure of listLasting(tx)) {
      // One without a name is of a fault in Tower itself.
      if (failure.kind !== "recorder" || failure.subject === "") continue;
      if (!watched.has(recorderKey(failure))) noteRecovery(tx, failure, now);
    }
  });
}

function watchedBy(
  tx: Tx,
  { serviceAsset, workspace }: UnwatchedDeps["config"],
  now: number,
): ReadonlySet<string> | undefined {
  const { parts, unread } = readInventory(tx, {
    serviceAsset,
    newestDay: newestDay(now),
    // Which targets there are does not hang on what is archived of them.
    archive: () => new Map(),
    onUnread: () => {},
  });
  if (unread.length > 0) return undefined;
  const targets = setUpTargets(parts, {
    workspace,
    catalogue: CAPABILITIES,
    silentHoursOf: () => 0,
    now,
    moments: new Moments(now),
  });
  return new Set(targets.filter((one) => isRecorded(one, parts)).flatMap(recordersOf));
}

/** Whether an outcome can come: not of what was taken away. A good report is recorded only where it ends refusals in a row. */
function isRecorded({ capability, asset, detachedAt }: SetUp, { refused = [] }: KnownParts): boolean {
  if (capability.provider !== "ingest") return detachedAt === null;
  const route = REPORT_ROUTES[reportOf(capability)];
  return refused.some((one) => one.asset === asset && one.route === route);
}
