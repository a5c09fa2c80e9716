/**
 * The pages. A route (`kit/route.ts`) says its address, who may ask and what it answers; its handler reads what the page shows and
 * renders it at once. What belongs to the request (the moment, the frame around the page) is read where it is needed by `here()`
 * (`kit/here.ts`), never handed down.
 *
 * What every route is given: `ground.ts`.
 * A page: `kit/route.ts` → a folder's `…_routes.tsx` or `…_page.tsx` → `layout.tsx` (`Page`) → `session.ts` (the answer, its ETag).
 * A form: `kit/route.ts` (bounds) → a route's `post` → a verb of a room below → 303 with a notice (`keyboard.tsx`).
 * The frame: `shellMaker` below → `layout.tsx`. Files of `public/`: read once, below in this file.
 *
 * Folders: `kit` and `jsx` are what pages are made of, `sites` the portfolio and the Wall, `site` the tabs of one site; `flags`,
 * `timeline`, `integrations`, `archive`, `ledger` and `settings` are the pages of these names. Begin with `sites/portfolio_routes.tsx`.
 */

/**
 * The files of `public/`, read once: each under an address that holds its content hash, so that a browser may keep
 * it for ever.
 */

import { readdirSync, readFileSync } from "node:fs";
import { basename, extname, join } from "node:path";
import { Elysia } from "elysia";
import type { Actor } from "../access/access.ts";
import type { Clock } from "../base/base.ts";
import type { HostNames } from "../base/hosts.ts";
import { matches, pathOf } from "../base/http_handler.ts";
import { orNotFound } from "../base/problem.ts";
import { towerVersion } from "../base/version.ts";
import { openIn } from "../flags/inbox.ts";
import { countMonitoringFailures } from "../health/monitoring.ts";
import { silentHours } from "../sites/constants_store.ts";
import type { Db } from "../store/store.ts";
import { archiveRoutes } from "./archive/archive.tsx";
import { archiveReportRoutes } from "./archive/report.tsx";
import { errorPages } from "./error_page.tsx";
import { flagActs, flagPages } from "./flags/flags.tsx";
import { FreshTokens } from "./fresh_tokens.ts";
import type { PageGround, TowerDeps } from "./ground.ts";
import { helpRoutes } from "./help.tsx";
import { integrationRoutes } from "./integrations/integrations.tsx";
import { integrationActs } from "./integrations/pauses.tsx";
import { runRoutes } from "./integrations/runs.tsx";
import { healthRoutes } from "./integrations/system_health.tsx";
import { cookieOf, NAV, type Shell, takeNotice, zoneOf } from "./keyboard.tsx";
import type { ChartDays } from "./kit/plot.tsx";
import { flagTally, momentOf, type mounted } from "./kit/route.ts";
import { ledgerPages } from "./ledger/ledger.tsx";
import { ledgerRowPages } from "./ledger/rows.tsx";
import { ledgerUploadPages } from "./ledger/upload.tsx";
import { paths } from "./paths.ts";
import { createSessions, isUnsafe, ownOrigins } from "./session.ts";
import { attachRoutes } from "./settings/attachments.tsx";
import { auditRoutes } from "./settings/audit.tsx";
import { calendarRoutes } from "./settings/calendars.tsx";
import { calibrationRoutes } from "./settings/calibration.tsx";
import { constantsRoutes } from "./settings/constants.tsx";
import { constantsVersionRoutes } from "./settings/constants_versions.tsx";
import { credentialRoutes } from "./settings/credential.tsx";
import { credentialsRoutes } from "./settings/credentials.tsx";
import { noticePageRoutes } from "./settings/notices.tsx";
import { operatorRoutes } from "./settings/operators.tsx";
import { panelRoutes } from "./settings/panels.tsx";
import { accountRoutes } from "./settings/sessions.tsx";
import { overviewRoutes } from "./settings/settings.tsx";
import { signInRoutes } from "./settings/sign_in.tsx";
import { tokenRoutes } from "./settings/tokens.tsx";
import { tuneRoutes } from "./settings/tune.tsx";
import { codebaseTabRoutes } from "./site/codebase_page.tsx";
import { liveRoutes } from "./site/live_panel.tsx";
import { metricRoutes } from "./site/metric_page.tsx";
import { assetRoutes } from "./site/overview_page.tsx";
import { reportRoutes } from "./site/report_page.tsx";
import { reportLogRoutes } from "./site/reports_page.tsx";
import { insightRoutes } from "./site/search_traffic.tsx";
import { siteSettingsRoutes } from "./site/settings_routes.tsx";
import { destinationsOf } from "./site/ways.tsx";
import { addSiteRoutes } from "./sites/add_site_routes.tsx";
import { kioskTokenRoutes } from "./sites/kiosk_tokens_page.tsx";
import { portfolioRoutes } from "./sites/portfolio_routes.tsx";
import { setupRoutes } from "./sites/setup_page.tsx";
import { wallRoutes } from "./sites/wall_routes.tsx";
import { annotationsOf } from "./timeline/day.tsx";
import { timelineRoutes } from "./timeline/timeline.tsx";

/** The name of the cookie in which a script keeps the browser's time zone (`public/tower.js`). */
const ZONE_COOKIE = "zone";

/** The name of the cookie in which a script keeps when the visit before this one ended, and when it was here last. */
const VISIT_COOKIE = "visit";

function lastVisitOf(text: string | undefined, now: number): number | undefined {
  const at = Number(/^(\d{13})\.\d{13}$/.exec(text ?? "")?.[1]);
  return at < now ? at : undefined;
}

/** What cannot be read must not take the pages away, System health least of all. */
function unwatchedCount(db: Db): number | "unknown" {
  try {
    return countMonitoringFailures(db)
      .values()
      .reduce((sum, failures) => sum + failures, 0);
  } catch {
    return "unknown";
  }
}

/** Makes the shell of a page from the request: place, notice and the count of open flags. */
function shellMaker(deps: {
  readonly db: Db;
  readonly clock: Clock;
  readonly addressOf: Shell["addressOf"];
  readonly version: string;
  readonly isSample: boolean;
  /** What the operator must know about the service itself. */
  readonly warnings?: () => readonly string[];
}): (request: Request, actor: Actor | null) => Shell {
  return (request, actor) => {
    const url = new URL(request.url);
    const now = momentOf(request, deps.clock);
    const open = actor === null ? 0 : openIn(flagTally(request, deps.db, now));
    return {
      addressOf: deps.addressOf,
      zone: zoneOf(cookieOf(request, ZONE_COOKIE)),
      lastVisit: lastVisitOf(cookieOf(request, VISIT_COOKIE), now),
      nav: NAV.map((item) => (item.id === "flags" ? { ...item, count: open } : item)),
      operator: actor?.name ?? null,
      version: deps.version,
      isSample: deps.isSample,
      here: `${url.pathname}${url.search}`,
      answersForm: isUnsafe(request.method),
      notice: takeNotice(request),
      unwatched: actor === null ? null : unwatchedCount(deps.db),
      warnings: actor === null ? [] : (deps.warnings?.() ?? []),
    };
  };
}

const TYPES: Readonly<Record<string, string>> = {
  ".css": "text/css; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".svg": "image/svg+xml",
};

/** Where the files are served. */
const STATIC_PREFIX = paths.staticFiles.slice(0, -1);

/** Headers that let a browser keep a file whose address holds its hash. */
const STATIC_CACHE = "public, max-age=31536000, immutable";

/** One file, ready to be answered. */
interface StaticFile {
  /** Its address, with the hash: `/static/tower.1f0c….css`. */
  readonly url: string;
  readonly type: string;
  /** A strong validator, quoted. */
  readonly etag: string;
  readonly body: Uint8Array<ArrayBuffer>;
}

type StaticFiles = ReturnType<typeof prepareStatic>;

/** Prepares files by name. Two files of one name would hide each other, so names are unique. */
export function prepareStatic(contents: Iterable<readonly [name: string, StaticFile["body"]]>) {
  const byName = new Map<string, StaticFile>();
  const byUrl = new Map<string, StaticFile>();
  for (const [name, body] of contents) {
    const extension = extname(name);
    const type = TYPES[extension];
    if (type === undefined) continue;
    if (byName.has(name)) throw new Error(`two public files are called ${name}`);
    const hash = new Bun.CryptoHasher("sha256").update(body).digest("hex").slice(0, 16);
    const url = `${STATIC_PREFIX}${basename(name, extension)}.${hash}${extension}`;
    const file = { url, type, etag: `"${hash}"`, body };
    byName.set(name, file);
    byUrl.set(url, file);
  }
  return {
    /** The file at a request's path; undefined for an unknown path or an old hash. */
    find: (path: string) => byUrl.get(path),
    /** The address of a file. @throws Error when `public/` has no such file. */
    url(name: string): string {
      const file = byName.get(name);
      if (file === undefined) throw new Error(`no public file is called ${name}`);
      return file.url;
    },
  };
}

/** Reads a folder with all below it. Files of other kinds (the notes on vendored files) are not served. */
export function readStatic(folder: string): StaticFiles {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  return prepareStatic(
    entries
      .filter((entry) => entry.isFile())
      .map((entry) => {
        const body = new Uint8Array(readFileSync(join(entry.parentPath, entry.name)));
        return [basename(entry.name), body] as const;
      }),
  );
}

/** `/static/*`: the files every page loads; an address holds its file's hash and may be kept for ever. */

function staticRoutes(files: StaticFiles) {
  return new Elysia().get(paths.staticFiles, ({ request }) => {
    const file = orNotFound(files.find(pathOf(request)), "No such file.");
    const headers = new Headers({
      "content-type": file.type,
      "cache-control": STATIC_CACHE,
      etag: file.etag,
    });
    if (matches(request.headers.get("if-none-match"), file.etag))
      return new Response(null, { status: 304, headers });
    return new Response(request.method === "HEAD" ? null : file.body, { headers });
  });
}

const PUBLIC_FOLDER = join(import.meta.dir, "..", "..", "public");

/** Where the listeners are reached; read at each request, since the ports are known only after listening. */
interface Whereabouts {
  readonly names: () => HostNames;
  readonly ports: () => { readonly ingest: number; readonly tower: number };
}

/** Every page. */
const PAGES: readonly ((page: PageGround) => ReturnType<typeof mounted>)[] = [
  signInRoutes,
  setupRoutes,
  portfolioRoutes,
  addSiteRoutes,
  assetRoutes,
  metricRoutes,
  flagPages,
  flagActs,
  reportLogRoutes,
  reportRoutes,
  timelineRoutes,
  liveRoutes,
  integrationRoutes,
  healthRoutes,
  runRoutes,
  archiveRoutes,
  archiveReportRoutes,
  integrationActs,
  helpRoutes,
  ledgerPages,
  ledgerRowPages,
  ledgerUploadPages,
  codebaseTabRoutes,
  overviewRoutes,
  constantsRoutes,
  constantsVersionRoutes,
  tuneRoutes,
  calibrationRoutes,
  auditRoutes,
  insightRoutes,
  panelRoutes,
  credentialsRoutes,
  credentialRoutes,
  attachRoutes,
  noticePageRoutes,
  siteSettingsRoutes,
  tokenRoutes,
  calendarRoutes,
  wallRoutes,
  kioskTokenRoutes,
  operatorRoutes,
  accountRoutes,
];

/** What the pages stand on. */
function groundOf(deps: TowerDeps, whereabouts: Whereabouts, addressOf: Shell["addressOf"]): PageGround {
  const { clock, constants, machine } = deps;
  const { db } = deps.store;
  const sessions = createSessions({ ...deps, origins: () => ownOrigins(whereabouts.names()) });
  return {
    ...deps,
    db,
    sessions,
    freshTokens: new FreshTokens(deps),
    shellFor: shellMaker({
      db,
      clock,
      addressOf,
      version: towerVersion(),
      isSample: deps.config.isSample,
      warnings: () => machine.warnings(),
    }),
    destinationOf: destinationsOf(deps.config, () => whereabouts.ports().ingest),
    annotationsOf: (asset: string, days: ChartDays) => annotationsOf(db, asset, days),
    silentHoursOf: (asset: string) => silentHours(constants.current().constants, asset),
  };
}

/** Every page, ready to be mounted. */
export function createTowerPages(deps: TowerDeps, whereabouts: Whereabouts) {
  const files = readStatic(PUBLIC_FOLDER);
  const ground = groundOf(deps, whereabouts, files.url);
  const app = new Elysia().use(staticRoutes(files));
  for (const page of PAGES) app.use(page(ground));
  return {
    app,
    sessions: ground.sessions,
    errorPage: errorPages(ground, () => whereabouts.ports().tower),
  };
}
