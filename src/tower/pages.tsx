import { join } from "node:path";
import { Elysia } from "elysia";
import packageFile from "../../package.json" with { type: "json" };
import { listBetween } from "../annotations/mod.ts";
import type { SiteTokenBook } from "../assets/mod.ts";
import { type ConstantsKeeper, silentHours } from "../constants/mod.ts";
import type { Db } from "../db/mod.ts";
import type { FlagRow } from "../flags/mod.ts";
import { sumTallies } from "../flow/mod.ts";
import { addDays, type UtcDay, utcDayOf } from "../lib/utc_day.ts";
import type { MachineWatch } from "../machine/mod.ts";
import type { ApiTokenBook, OperatorDeps } from "../operators/mod.ts";
import { type Config, isLoopback } from "../platform/config.ts";
import type { HostNames } from "../platform/hosts.ts";
import { PROBLEMS, type Problem } from "../platform/problem.ts";
import { pathOf } from "../platform/routing.ts";
import type { RefusedReports } from "../refusals/mod.ts";
import { ruleOf } from "../rules/mod.ts";
import { accountRoutes } from "./account/routes.tsx";
import { addSiteRoutes } from "./add_site/routes.tsx";
import { assetRoutes } from "./asset/routes.tsx";
import { auditRoutes } from "./audit/routes.tsx";
import { calibrationRoutes } from "./calibration/routes.tsx";
import { codebaseTabRoutes } from "./codebase_tab/routes.tsx";
import { constantsRoutes } from "./constants/routes.tsx";
import { ErrorFragment, ErrorPage } from "./error_page.tsx";
import { flagActs, flagPages } from "./flags/mod.ts";
import { formatCount, formatDecimal } from "./format.ts";
import { nightlyRoutes } from "./nightly/routes.tsx";
import { ownOrigins } from "./origin.ts";
import { paths } from "./paths.ts";
import { portfolioRoutes } from "./portfolio/routes.tsx";
import { htmlFragment, htmlPage, isHtmx } from "./respond.ts";
import type { Destination } from "./sending/commands.ts";
import { createSessions, type Sessions } from "./session.ts";
import { overviewRoutes } from "./settings/overview.tsx";
import { tokenRoutes } from "./settings/routes.tsx";
import { setupRoutes } from "./setup/routes.tsx";
import { shellMaker } from "./shell_for.ts";
import { signInRoutes } from "./sign_in/routes.tsx";
import { siteSettingsRoutes } from "./site_settings/routes.tsx";
import { pageAssets, readStatic } from "./static.ts";
import { staticRoutes } from "./static_routes.ts";
import { themeRoutes } from "./theme/routes.ts";
import { marksForChart, timelineRoutes } from "./timeline/mod.ts";
import { tuneRoutes } from "./tune/routes.tsx";

const PUBLIC_FOLDER = join(import.meta.dir, "..", "..", "public");

/** What the pages need. */
export interface TowerDeps extends OperatorDeps {
  readonly config: Config;
  readonly constants: ConstantsKeeper;
  readonly siteTokens: SiteTokenBook;
  readonly apiTokens: ApiTokenBook;
  readonly refusals: RefusedReports;
  readonly machine: Pick<MachineWatch, "warnings">;
}

/** The pages, ready to be mounted. */
export interface TowerPages {
  readonly app: ReturnType<typeof compose>;
  readonly sessions: Sessions;
  /** A refusal as a page or a fragment, for browsers; undefined where JSON is wanted. */
  readonly errorPage: (request: Request, problem: Problem, requestId: string) => Response | undefined;
}

/** Where the listeners are reached; read at each request, since the ports are known only after listening. */
export interface Whereabouts {
  readonly names: () => HostNames;
  readonly ports: () => { readonly ingest: number; readonly tower: number };
}

/** Composes every page. */
export function createTowerPages(deps: TowerDeps, whereabouts: Whereabouts): TowerPages {
  const files = readStatic(PUBLIC_FOLDER);
  const sessions = createSessions({ ...deps, origins: () => ownOrigins(whereabouts.names()) });
  const shellFor = shellMaker({
    db: deps.store.db,
    clock: deps.clock,
    assets: pageAssets(files),
    version: packageFile.version,
    warnings: () => deps.machine.warnings(),
  });
  const destinationOf = (asset: string): Destination => {
    const { host, publicUrl } = deps.config.ingest;
    return {
      asset,
      ingest:
        publicUrl ??
        `http://${isLoopback(host) || isWildcard(host) ? "127.0.0.1" : host}:${whereabouts.ports().ingest}`,
      token: null,
      loopback: publicUrl === undefined && isLoopback(host),
    };
  };
  const page = { ...deps, db: deps.store.db, access: sessions, sessions, shellFor, destinationOf };
  return {
    app: compose(page, files),
    sessions,
    errorPage: (request, problem, requestId) => {
      if (!wantsHtml(request)) return undefined;
      const props = {
        status: problem.status,
        title: PROBLEMS[problem.code].title,
        detail: detailOf(problem),
        requestId,
      };
      const headers = problem.headers;
      if (isHtmx(request)) {
        return htmlFragment(request, <ErrorFragment {...props} />, { status: problem.status, headers });
      }
      const actor = sessions.find(request)?.actor ?? null;
      return htmlPage(request, <ErrorPage {...props} shell={shellFor(request, actor)} />, {
        status: problem.status,
        headers,
      });
    },
  };
}

type Composed = TowerDeps &
  Parameters<typeof portfolioRoutes>[0] &
  Omit<Parameters<typeof assetRoutes>[0], "silentHoursOf" | "annotationsOf"> &
  Parameters<typeof addSiteRoutes>[0] &
  Parameters<typeof tokenRoutes>[0];

function compose(page: Composed, files: ReturnType<typeof readStatic>) {
  const annotationsOf = (asset: string) =>
    marksForChart(listBetween(page.db, asset, page.clock.now() - YEAR_MS, page.clock.now(), MOST_MARKS));
  const silentHoursOf = (asset: string) => silentHours(page.constants.current().constants, asset);
  const flags = {
    ...page,
    annotationsNear: (asset: string, from: number, to: number) =>
      listBetween(page.db, asset, from, to, MOST_NEAR).map(({ atMs, kind, ref, note }) => ({
        at: atMs,
        kind,
        ref,
        note,
      })),
    chance: () => chanceSentence(page.db, utcDayOf(page.clock.now())),
    tuneHref,
  };
  return new Elysia({ name: "tower" })
    .use(staticRoutes(files))
    .use(themeRoutes(page))
    .use(signInRoutes(page))
    .use(setupRoutes(page))
    .use(portfolioRoutes(page))
    .use(addSiteRoutes(page))
    .use(assetRoutes({ ...page, annotationsOf, silentHoursOf }))
    .use(flagPages(flags))
    .use(flagActs(flags))
    .use(nightlyRoutes(page))
    .use(timelineRoutes(page))
    .use(codebaseTabRoutes({ ...page, annotationsOf }))
    .use(overviewRoutes(page))
    .use(constantsRoutes(page))
    .use(tuneRoutes(page))
    .use(calibrationRoutes(page))
    .use(auditRoutes(page))
    .use(siteSettingsRoutes(page))
    .use(tokenRoutes(page))
    .use(accountRoutes(page));
}

const YEAR_MS = 400 * 86_400_000;
/** Most marks on one chart. */
const MOST_MARKS = 200;
/** Most annotations named near a flag. */
const MOST_NEAR = 50;

/** Days the heading of the flags looks back on. */
const CHANCE_DAYS = 30;

/** How many flags chance alone would raise; undefined while no test has run. */
function chanceSentence(db: Db, today: UtcDay): string | undefined {
  const { tests, raised, expected } = sumTallies(db, addDays(today, 1 - CHANCE_DAYS));
  if (tests === 0) return undefined;
  return `Flow rules, ${CHANCE_DAYS} days: ${formatCount(tests)} tests, ${formatCount(raised)} flags, about ${formatDecimal(expected)} expected by chance.`;
}

/** Where the thresholds behind a flag are tuned; only rules with thresholds in the constants document have a place. */
function tuneHref(row: FlagRow): string | undefined {
  return ruleOf(row.rule)?.isTunable === true ? paths.tuneFlag(row.id) : undefined;
}

function isWildcard(host: string): boolean {
  return host === "0.0.0.0" || host === "::" || host === "[::]";
}

/** People's browsers and htmx get markup; programs, and every address below /api, get problem documents. */
function wantsHtml(request: Request): boolean {
  if (pathOf(request).startsWith(paths.api)) return false;
  return isHtmx(request) || (request.headers.get("accept") ?? "").includes("text/html");
}

function detailOf(problem: Problem): string {
  const rules = (problem.errors ?? []).map(({ pointer, message }) => `${pointer.slice(1)} ${message}`);
  return rules.length === 0 ? problem.detail : `${problem.detail} ${rules.join("; ")}.`;
}
