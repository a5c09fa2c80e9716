import type { Archive } from "./archive/mod.ts";
import type { SendRates, SiteTokenBook } from "./assets/mod.ts";
import type { ConstantsStore } from "./constants/mod.ts";
import type { Credentials } from "./credentials/mod.ts";
import type { Store, Writer } from "./db/mod.ts";
import type { FlowFollower } from "./flow/mod.ts";
import type { HealthReader } from "./integrations/mod.ts";
import type { Jobs } from "./jobs/mod.ts";
import type { LiveTraffic } from "./live/mod.ts";
import type { MachineWatch } from "./machine/mod.ts";
import type { ObjectStore } from "./objects/contract.ts";
import type { ApiTokenBook, PasswordHasher } from "./operators/mod.ts";
import type { Clock } from "./platform/clock.ts";
import type { Config } from "./platform/config.ts";
import type { HttpDoor } from "./platform/http_door.ts";
import type { Ids } from "./platform/ids.ts";
import type { JobRuns } from "./platform/job_runs.ts";
import type { InstallationKeys } from "./platform/keys.ts";
import type { Metrics } from "./platform/metrics.ts";
import type { OutboundRules } from "./platform/outbound.ts";
import type { GoogleTokens } from "./provider/google/tokens.ts";
import type { RefusedReports } from "./refusals/mod.ts";
import type { Pulls } from "./signals/mod.ts";
import type { WallLinkBook } from "./wall_links/mod.ts";

/** Every outside thing the service works with, once. */
export interface Deps {
  readonly config: Config;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly keys: InstallationKeys;
  /** The way out of the service: everything that is asked of others goes through it. */
  readonly http: HttpDoor;
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
  readonly wallLinks: WallLinkBook;
  readonly passwords: PasswordHasher;
  readonly metrics: Metrics;
  readonly refusals: RefusedReports;
  readonly follower: FlowFollower;
  readonly machine: MachineWatch;
  readonly jobRuns: JobRuns;
  /** The traffic of sites as it is now, for who looks at it. */
  readonly live: LiveTraffic;
  /** What the jobs ask providers for. */
  readonly pulls: Pulls;
  /** What the job `analysis` brings in. */
  readonly archive: Archive;
  /** How every integration stands, from what is stored. */
  readonly health: HealthReader;
  /** The one door by which jobs run. */
  readonly jobs: Jobs;
}
