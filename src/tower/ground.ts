/** What every page stands on: what the service gives to its pages, and what is made of it once for all of them. */

import type { Actor, OperatorDeps } from "../access/access.ts";
import type { ApiTokenBook } from "../access/api_tokens.ts";
import type { KioskTokenBook } from "../access/kiosk_tokens.ts";
import type { Archive } from "../archive/archive.ts";
import type { InstallationKeys } from "../base/keys.ts";
import type { OutboundRules } from "../base/outbound.ts";
import type { RefusedReports } from "../health/refusals.ts";
import type { AttentionReader } from "../integrations/attention_reader.ts";
import type { MachineWatch } from "../integrations/machine_watch.ts";
import type { HealthReader } from "../integrations/reader.ts";
import type { ConnectionDeps } from "../signals/account_check.ts";
import type { LiveTraffic } from "../signals/live_traffic.ts";
import type { ConstantsStore } from "../sites/constants_store.ts";
import type { SendRates } from "../sites/report_sender.ts";
import type { SiteTokenBook } from "../sites/site_tokens.ts";
import type { ObjectStore } from "../store/objects.ts";
import type { Db } from "../store/store.ts";
import type { FreshTokens } from "./fresh_tokens.ts";
import type { Shell } from "./keyboard.tsx";
import type { ChartAnnotations } from "./kit/chart_marks.tsx";
import type { ChartDays } from "./kit/plot.tsx";
import type { Sessions } from "./session.ts";
import type { Destination } from "./site/ways.tsx";

/** What the service gives. */
export interface TowerDeps extends OperatorDeps, ConnectionDeps {
  readonly keys: InstallationKeys;
  /** Which addresses that an operator typed may be reached, and how they are resolved. */
  readonly outbound: OutboundRules;
  readonly constants: ConstantsStore;
  readonly siteTokens: SiteTokenBook;
  readonly apiTokens: ApiTokenBook;
  readonly kioskTokens: KioskTokenBook;
  readonly refusals: RefusedReports;
  readonly sendRates: SendRates;
  readonly live: Pick<LiveTraffic, "look">;
  readonly machine: Pick<MachineWatch, "warnings" | "figures">;
  /** How every integration stands, from what is stored. */
  readonly health: HealthReader;
  readonly attention: Pick<AttentionReader, "read">;
  readonly objects: Pick<ObjectStore, "kind" | "where">;
  readonly archive: Pick<Archive, "estimate">;
}

export interface PageGround extends TowerDeps {
  readonly db: Db;
  readonly sessions: Sessions;
  readonly freshTokens: FreshTokens;
  /** What the page around the content shows. */
  readonly shellFor: (request: Request, actor: Actor | null) => Shell;
  readonly destinationOf: (asset: string) => Destination;
  readonly annotationsOf: (asset: string, days: ChartDays) => ChartAnnotations;
  /** Hours of silence after which a site is said to be silent. */
  readonly silentHoursOf: (asset: string) => number;
}
