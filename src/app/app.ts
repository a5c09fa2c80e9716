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

import type { ApiTokenBook } from "../access/api_tokens.ts";
import type { KioskTokenBook } from "../access/kiosk_tokens.ts";
import type { PasswordHasher } from "../access/passwords.ts";
import type { Archive } from "../archive/archive.ts";
import type { Clock, Ids } from "../base/base.ts";
import type { Config } from "../base/config.ts";
import type { HttpClient } from "../base/http_client.ts";
import type { InstallationKeys } from "../base/keys.ts";
import type { Metrics } from "../base/metrics.ts";
import type { OutboundRules } from "../base/outbound.ts";
import type { RefusedReports } from "../health/refusals.ts";
import type { AttentionReader } from "../integrations/attention_reader.ts";
import type { MachineWatch } from "../integrations/machine_watch.ts";
import type { HealthReader } from "../integrations/reader.ts";
import type { GoogleTokens } from "../providers/google.ts";
import type { Credentials } from "../providers/sealing.ts";
import type { FlowFollower } from "../rules/rules.ts";
import type { LiveTraffic } from "../signals/live_traffic.ts";
import type { Pulls } from "../signals/signals.ts";
import type { ConstantsStore } from "../sites/constants_store.ts";
import type { SendRates } from "../sites/report_sender.ts";
import type { SiteTokenBook } from "../sites/site_tokens.ts";
import type { Jobs } from "../store/jobs.ts";
import type { ObjectStore } from "../store/objects.ts";
import type { Store } from "../store/store.ts";
import type { Writer } from "../store/writer.ts";

/** Every outside thing the service works with, once. */
export interface Deps {
  readonly config: Config;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly keys: InstallationKeys;
  /** The way out of the service: everything that is asked of others goes through it. */
  readonly http: HttpClient;
  /** Which addresses that an operator typed may be reached, and how they are resolved. */
  readonly outbound: OutboundRules;
  readonly googleTokens: GoogleTokens;
  readonly store: Store;
  readonly writer: Writer;
  /** Where the bytes of the archive lie. */
  readonly objects: ObjectStore;
  readonly constants: ConstantsStore;
  readonly credentials: Credentials;
  readonly siteTokens: SiteTokenBook;
  readonly sendRates: SendRates;
  readonly apiTokens: ApiTokenBook;
  readonly kioskTokens: KioskTokenBook;
  readonly passwords: PasswordHasher;
  readonly metrics: Metrics;
  readonly refusals: RefusedReports;
  readonly follower: FlowFollower;
  readonly machine: MachineWatch;
  /** The traffic of sites as it is now, for who looks at it. */
  readonly live: LiveTraffic;
  /** What the jobs ask providers for. */
  readonly pulls: Pulls;
  /** What the job `analysis` brings in. */
  readonly archive: Archive;
  /** How every integration stands, from what is stored. */
  readonly health: HealthReader;
  readonly attention: AttentionReader;
  /** The one door by which jobs run. */
  readonly jobs: Jobs;
}
