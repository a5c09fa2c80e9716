import { join } from "node:path";
import { type AnyElysia, Elysia } from "elysia";
import type { Archive } from "../archive/mod.ts";
import type { SendRates, SiteTokenBook } from "../assets/mod.ts";
import type { ConnectionDeps } from "../connections/mod.ts";
import { type ConstantsStore, silentHours } from "../constants/mod.ts";
import type { HealthReader } from "../integrations/mod.ts";
import type { Jobs } from "../jobs/mod.ts";
import type { LiveTraffic } from "../live/mod.ts";
import type { MachineWatch } from "../machine/mod.ts";
import type { ObjectStore } from "../objects/contract.ts";
import type { ApiTokenBook, OperatorDeps } from "../operators/mod.ts";
import type { Config } from "../platform/config.ts";
import type { HostNames } from "../platform/hosts.ts";
import type { InstallationKeys } from "../platform/keys.ts";
import type { OutboundRules } from "../platform/outbound.ts";
import { towerVersion } from "../platform/version.ts";
import type { RefusedReports } from "../refusals/mod.ts";
import type { WallLinkBook } from "../wall_links/mod.ts";
import { accountRoutes } from "./account/routes.tsx";
import { addSiteRoutes } from "./add_site/routes.tsx";
import { archiveRoutes } from "./archive/routes.tsx";
import { assetRoutes } from "./asset/routes.tsx";
import { auditRoutes } from "./audit/routes.tsx";
import { calendarRoutes } from "./calendars/page.tsx";
import { calibrationRoutes } from "./calibration/routes.tsx";
import { codebaseTabRoutes } from "./codebase_tab/routes.tsx";
import type { ChartDays } from "./component/chart_scale.ts";
import { constantsRoutes } from "./constants/routes.tsx";
import { attachRoutes } from "./credentials/attach_routes.tsx";
import { credentialRoutes } from "./credentials/routes.tsx";
import { errorPages } from "./error_page.tsx";
import { flagActs, flagPages } from "./flags/mod.ts";
import { FreshTokens } from "./fresh_tokens.ts";
import { healthRoutes } from "./health/routes.tsx";
import { insightRoutes } from "./insights/routes.tsx";
import { integrationActs } from "./integrations/act_routes.tsx";
import { integrationRoutes } from "./integrations/routes.tsx";
import type { mounted } from "./kit/route.ts";
import { ledgerPages } from "./ledger/routes.tsx";
import { liveRoutes } from "./live/routes.tsx";
import { nightlyRoutes } from "./nightly/routes.tsx";
import { noticePageRoutes } from "./notices/page.tsx";
import { operatorRoutes } from "./operators/routes.tsx";
import { ownOrigins } from "./origin.ts";
import { panelRoutes } from "./panels/routes.tsx";
import { portfolioRoutes } from "./portfolio/routes.tsx";
import { runRoutes } from "./runs/routes.tsx";
import { destinationsOf } from "./sending/destination.ts";
import { createSessions, type Sessions } from "./session.ts";
import { overviewRoutes } from "./settings/overview.tsx";
import { tokenRoutes } from "./settings/routes.tsx";
import { setupRoutes } from "./setup/routes.tsx";
import type { PageAssets } from "./shell.ts";
import { shellMaker } from "./shell_for.ts";
import { signInRoutes } from "./sign_in/routes.tsx";
import { siteDayRoutes } from "./site_days/routes.tsx";
import { siteSettingsRoutes } from "./site_settings/routes.tsx";
import { pageAssets, readStatic } from "./static.ts";
import { staticRoutes } from "./static_routes.ts";
import { themeRoutes } from "./theme/routes.ts";
import { annotationsOf, timelineRoutes } from "./timeline/mod.ts";
import { tuneRoutes } from "./tune/routes.tsx";
import { wallLinkRoutes } from "./wall/links_routes.tsx";
import { wallRoutes } from "./wall/routes.tsx";

const PUBLIC_FOLDER = join(import.meta.dir, "..", "..", "public");

/** What the pages need. */
export interface TowerDeps extends OperatorDeps, ConnectionDeps {
  readonly keys: InstallationKeys;
  readonly outbound: OutboundRules;
  readonly config: Config;
  readonly constants: ConstantsStore;
  readonly siteTokens: SiteTokenBook;
  readonly apiTokens: ApiTokenBook;
  readonly wallLinks: WallLinkBook;
  readonly refusals: RefusedReports;
  readonly sendRates: SendRates;
  readonly live: Pick<LiveTraffic, "look">;
  readonly machine: Pick<MachineWatch, "warnings" | "figures">;
  readonly jobs: Jobs;
  readonly health: HealthReader;
  readonly objects: Pick<ObjectStore, "kind" | "where">;
  readonly archive: Pick<Archive, "estimate">;
}

/** The pages, ready to be mounted. */
export interface TowerPages {
  readonly app: AnyElysia;
  readonly sessions: Sessions;
  readonly errorPage: ReturnType<typeof errorPages>;
}

/** Where the listeners are reached; read at each request, since the ports are known only after listening. */
export interface Whereabouts {
  readonly names: () => HostNames;
  readonly ports: () => { readonly ingest: number; readonly tower: number };
}

/** Every page. */
const PAGES: readonly ((page: PageGround) => ReturnType<typeof mounted>)[] = [
  themeRoutes,
  signInRoutes,
  setupRoutes,
  portfolioRoutes,
  addSiteRoutes,
  assetRoutes,
  siteDayRoutes,
  flagPages,
  flagActs,
  nightlyRoutes,
  timelineRoutes,
  liveRoutes,
  integrationRoutes,
  healthRoutes,
  runRoutes,
  archiveRoutes,
  integrationActs,
  ledgerPages,
  codebaseTabRoutes,
  overviewRoutes,
  constantsRoutes,
  tuneRoutes,
  calibrationRoutes,
  auditRoutes,
  insightRoutes,
  panelRoutes,
  credentialRoutes,
  attachRoutes,
  noticePageRoutes,
  siteSettingsRoutes,
  tokenRoutes,
  calendarRoutes,
  wallRoutes,
  wallLinkRoutes,
  operatorRoutes,
  accountRoutes,
];

type PageGround = ReturnType<typeof groundOf>;

/** What the pages stand on. */
function groundOf(deps: TowerDeps, whereabouts: Whereabouts, assets: PageAssets) {
  const { clock, constants, machine } = deps;
  const { db } = deps.store;
  const sessions = createSessions({ ...deps, origins: () => ownOrigins(whereabouts.names()) });
  return {
    ...deps,
    db,
    access: sessions,
    sessions,
    freshTokens: new FreshTokens(deps),
    shellFor: shellMaker({
      db,
      clock,
      assets,
      version: towerVersion(),
      isSample: deps.config.isSample,
      warnings: () => machine.warnings(),
    }),
    destinationOf: destinationsOf(deps.config, () => whereabouts.ports().ingest),
    annotationsOf: (asset: string, days: ChartDays) => annotationsOf(db, asset, days),
    silentHoursOf: (asset: string) => silentHours(constants.current().constants, asset),
  };
}

/** Composes every page. */
export function createTowerPages(deps: TowerDeps, whereabouts: Whereabouts): TowerPages {
  const files = readStatic(PUBLIC_FOLDER);
  const ground = groundOf(deps, whereabouts, pageAssets(files));
  const app = new Elysia({ name: "tower" }).use(staticRoutes(files));
  for (const page of PAGES) app.use(page(ground));
  return {
    app,
    sessions: ground.sessions,
    errorPage: errorPages({ ...ground, port: () => whereabouts.ports().tower }),
  };
}
