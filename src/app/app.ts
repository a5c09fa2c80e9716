/**
 * The application: how the service starts and stops, what its two listeners serve, what it does by schedule, and every command.
 *
 * A start: `serve.ts` listens and answers what it can → takes the data folder (`data_folder.ts`) → opens it and puts the
 * parts together (`boot.ts`) → `ingest_app.ts` and `tower_app.ts` answer → `schedule.ts` works → `serve.ts` prints where it is reached.
 * A command: `cli.ts` → `run_command.ts`, which runs it in the service over `control.ts` where one runs, else on the folder itself → a file
 * for each subject, such as `tokens.ts`.
 * What watches the service asks `service_routes.ts`, whose figures `metrics.ts` reads; `openapi.ts` describes every route.
 *
 * Begin with `boot.ts`: `Deps`, which is declared here, is all that the rest works with.
 */

import type { Archive } from "../archive/archive.ts";
import type { Metrics } from "../base/metrics.ts";
import type { AttentionReader } from "../integrations/attention_reader.ts";
import type { MachineWatch } from "../integrations/machine_watch.ts";
import type { FlowFollower } from "../rules/rules.ts";
import type { LiveTraffic } from "../signals/live_traffic.ts";
import type { ObjectStore } from "../store/objects.ts";
import type { TowerDeps } from "../tower/ground.ts";

/** Every outside thing the service works with, once. */
export interface Deps extends TowerDeps {
  /** Where the bytes of the archive lie. */
  readonly objects: ObjectStore;
  readonly metrics: Metrics;
  readonly follower: FlowFollower;
  readonly machine: MachineWatch;
  /** The traffic of sites as it is now, for who looks at it. */
  readonly live: LiveTraffic;
  /** What the job `analysis` brings in. */
  readonly archive: Archive;
  readonly attention: AttentionReader;
}
