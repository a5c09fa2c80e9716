/** Every route of both listeners: who may call it and from where. A route that is not here fails the tests that walk the table. */

import type { Scope } from "../../src/access/access.ts";
import type { Route } from "../../src/base/http_handler.ts";
import type { TestTower } from "./test_tower.ts";

export type ListenerName = "ingest" | "tower";

/** What holds for callers of a route. */
export interface RouteRule {
  /**
   * `anyone`; `site`: a site's token; a scope: an operator's token that has it or, at the Tower, a signed-in operator;
   * `operator`: a signed-in operator and no token.
   */
  readonly who: "anyone" | "site" | "operator" | Scope;
  /** `none`: what a browser sent is refused. `own`: a browser's request must come from our own pages. `any`: nothing is changed. */
  readonly origin: "none" | "own" | "any";
  /** A program on this machine needs no token, unless a proxy stands between. */
  readonly ownMachine?: true;
  /** Answers a file, or leads on to the page that has it. */
  readonly isFile?: true;
  /** A link of its own opens it, too. */
  readonly hasLinks?: true;
  /** The password is asked for again, for this form. */
  readonly confirmed?: Readonly<Record<string, string>>;
}

const REPORT: RouteRule = { who: "site", origin: "none" };
const OPEN: RouteRule = { who: "anyone", origin: "any" };
const READ: RouteRule = { who: "read", origin: "any" };
const DOOR: RouteRule = { who: "anyone", origin: "own" };
const PAGE: RouteRule = { who: "operator", origin: "any" };
const FILE: RouteRule = { ...PAGE, isFile: true };
const ACT: RouteRule = { who: "operator", origin: "own" };
const HANDS_OUT: RouteRule = { ...ACT, confirmed: {} };

export const ROUTES: Readonly<Record<string, RouteRule>> = {
  "ingest POST /api/codebase-report": REPORT,
  "ingest POST /api/pulse": REPORT,
  "ingest POST /api/annotations": { who: "annotations", origin: "none" },

  "tower GET /healthz": OPEN,
  "tower GET /readyz": OPEN,
  "tower GET /metrics": { ...READ, ownMachine: true },
  "tower GET /openapi": OPEN,
  "tower GET /static/*": OPEN,

  "tower POST /api/annotations": { who: "annotations", origin: "own" },
  "tower GET /api/annotations": READ,
  "tower POST /api/ledger/revenue": { who: "ledger", origin: "own" },
  "tower POST /api/ledger/costs": { who: "ledger", origin: "own" },
  "tower GET /api/ledger": READ,
  "tower GET /api/assets": READ,
  "tower GET /api/assets/:asset/codebase-reports": READ,
  "tower GET /api/assets/:asset/pulses": READ,
  "tower GET /api/assets/:asset/panels": READ,
  "tower GET /api/assets/:asset/signals": READ,
  "tower GET /api/flags": READ,
  "tower GET /api/flags/:id": READ,
  "tower GET /api/notices": READ,
  "tower GET /api/runs": READ,
  "tower GET /api/archive/manifest": READ,
  "tower GET /api/archive/objects/:sha256": READ,
  "tower GET /api/attention": READ,
  "tower GET /api/integrations/health": { ...READ, who: "health:read" },

  "tower GET /sign-in": OPEN,
  "tower POST /sign-in": DOOR,
  "tower POST /sign-out": DOOR,
  "tower GET /setup": OPEN,
  "tower POST /setup": DOOR,

  "tower GET /": PAGE,
  "tower GET /sites/new": PAGE,
  "tower POST /sites": HANDS_OUT,
  "tower GET /sites/:asset": PAGE,
  "tower GET /sites/:asset/metric": PAGE,
  "tower GET /sites/:asset/days.csv": FILE,
  "tower GET /sites/:asset/days/:date": FILE,
  "tower GET /sites/:asset/sending": PAGE,
  "tower GET /sites/:asset/insights": PAGE,
  "tower GET /sites/:asset/first-report": PAGE,
  "tower POST /sites/:asset/first-report/token": HANDS_OUT,
  "tower GET /sites/:asset/codebase": PAGE,
  "tower GET /sites/:asset/live": FILE,
  "tower GET /sites/:asset/reports": PAGE,
  "tower GET /sites/:asset/reports/:date/:revision": PAGE,
  "tower GET /sites/:asset/reports/:date/:revision/json": FILE,
  "tower GET /sites/:asset/reports/codebase/:date/:revision": PAGE,
  "tower GET /sites/:asset/reports/codebase/:date/:revision/json": FILE,

  "tower GET /flags": PAGE,
  "tower GET /health": PAGE,
  "tower GET /help": PAGE,
  "tower GET /help/:page": PAGE,
  "tower GET /integrations": PAGE,
  "tower GET /integrations/all": PAGE,
  "tower GET /sites/:asset/integrations": PAGE,
  "tower GET /ledger": PAGE,
  "tower GET /ledger/rows": PAGE,
  "tower GET /ledger/rows.csv": FILE,
  "tower GET /ledger/upload": PAGE,
  "tower POST /ledger/upload": { ...ACT, confirmed: { act: "store" } },
  "tower GET /sites/:asset/ledger": PAGE,
  "tower GET /integrations/runs": PAGE,
  "tower GET /integrations/runs/:run": PAGE,
  "tower POST /integrations/runs/:run/stop": ACT,
  "tower POST /health/backups": ACT,
  "tower POST /health/backups/:name/restore": ACT,
  "tower POST /integrations/jobs/:job/runs": ACT,
  "tower GET /integrations/attempts": PAGE,
  "tower GET /archive": PAGE,
  "tower GET /archive/run": PAGE,
  "tower GET /archive/reports/:report": PAGE,
  "tower GET /integrations/pauses": PAGE,
  "tower POST /integrations/pauses": ACT,
  "tower POST /integrations/pauses/withdrawal": ACT,
  "tower POST /integrations/disconnection": ACT,
  "tower POST /integrations/disconnection/withdrawal": ACT,
  "tower GET /sites/:asset/flags": PAGE,
  "tower GET /flags/:id": PAGE,
  "tower POST /flags/:id/acknowledgement": ACT,
  "tower PUT /flags/:id/acknowledgement": ACT,
  "tower DELETE /flags/:id/acknowledgement": ACT,
  "tower POST /flags/:id/snooze": ACT,
  "tower PUT /flags/:id/snooze": ACT,
  "tower DELETE /flags/:id/snooze": ACT,
  "tower DELETE /flags/:id/resolution": ACT,
  "tower POST /flags/:id/incident": ACT,
  "tower PUT /flags/:id/incident": ACT,
  "tower DELETE /flags/:id/incident": ACT,
  "tower POST /flags/:id/hypothesis": ACT,
  "tower PUT /flags/:id/hypothesis": ACT,
  "tower DELETE /flags/:id/hypothesis": ACT,
  "tower POST /flags/:id/resolution": ACT,
  "tower PUT /flags/:id/resolution": ACT,
  "tower POST /flags/dispositions": ACT,

  "tower GET /timeline": PAGE,
  "tower POST /timeline": ACT,
  "tower POST /timeline/:id/strike": ACT,
  "tower POST /timeline/:id/strike/withdrawal": ACT,
  "tower GET /sites/:asset/timeline": PAGE,
  "tower POST /sites/:asset/timeline": ACT,

  "tower GET /flags/:id/tune": PAGE,
  "tower POST /flags/:id/tune": ACT,
  "tower GET /sites/:asset/metrics/:metric/tune": PAGE,
  "tower POST /sites/:asset/metrics/:metric/tune": ACT,
  "tower GET /sites/:asset/signals/:source/:metric/tune": PAGE,
  "tower POST /sites/:asset/signals/:source/:metric/tune": ACT,
  "tower GET /sites/:asset/codebase/tune": PAGE,
  "tower POST /sites/:asset/codebase/tune": HANDS_OUT,

  "tower GET /settings": PAGE,
  "tower GET /settings/constants": PAGE,
  "tower POST /settings/constants": { ...ACT, confirmed: { act: "save" } },
  "tower GET /settings/constants/versions": FILE,
  "tower GET /settings/constants/versions/:version": PAGE,
  "tower GET /settings/calibration": PAGE,
  "tower GET /settings/audit": PAGE,
  "tower GET /settings/credentials": PAGE,
  "tower GET /settings/credentials/new": PAGE,
  "tower POST /settings/credentials/new": HANDS_OUT,
  "tower GET /settings/credentials/attachments": PAGE,
  "tower POST /settings/credentials/attachments": ACT,
  "tower POST /settings/credentials/attachments/detachment": ACT,
  "tower GET /settings/credentials/:id": PAGE,
  "tower POST /settings/credentials/:id/replacement": HANDS_OUT,
  "tower POST /settings/credentials/:id/removal": HANDS_OUT,
  "tower POST /settings/credentials/:id/test": ACT,
  "tower POST /settings/credentials/:id/discovery": ACT,
  "tower GET /sites/:asset/settings": PAGE,
  "tower POST /sites/:asset/settings": ACT,
  "tower POST /sites/:asset/settings/families": ACT,
  "tower POST /sites/:asset/settings/families/withdrawal": ACT,
  "tower POST /sites/:asset/settings/removal": HANDS_OUT,
  "tower POST /sites/:asset/settings/tokens": HANDS_OUT,
  "tower POST /sites/:asset/settings/tokens/:id/revocation": HANDS_OUT,
  "tower GET /settings/notices": PAGE,
  "tower GET /settings/notices/new": PAGE,
  "tower POST /settings/notices/new": HANDS_OUT,
  "tower GET /settings/notices/:id": PAGE,
  "tower POST /settings/notices/:id": HANDS_OUT,
  "tower POST /settings/notices/:id/removal": HANDS_OUT,
  "tower POST /settings/notices/:id/test": ACT,
  "tower POST /settings/notices/:id/pause": ACT,
  "tower GET /settings/panels": PAGE,
  "tower POST /settings/panels": ACT,
  "tower GET /settings/panels/:id": PAGE,
  "tower POST /settings/panels/:id/removal": ACT,
  "tower GET /settings/tokens": PAGE,
  "tower POST /settings/tokens/receipt": ACT,
  "tower POST /settings/tokens/operator": HANDS_OUT,
  "tower POST /settings/tokens/operator/:id/revocation": HANDS_OUT,
  "tower GET /wall": { ...PAGE, hasLinks: true },
  "tower GET /settings/calendars": PAGE,
  "tower POST /settings/calendars": HANDS_OUT,
  "tower POST /settings/calendars/:name/removal": HANDS_OUT,
  "tower GET /settings/wall": PAGE,
  "tower POST /settings/wall": HANDS_OUT,
  "tower POST /settings/wall/:id/revocation": HANDS_OUT,
  "tower GET /settings/operators": PAGE,
  "tower POST /settings/operators/:name/removal": HANDS_OUT,
  "tower GET /settings/sessions": PAGE,
  "tower POST /settings/sessions/:id/sign-out": ACT,
  "tower POST /settings/sessions/sign-out": ACT,
  "tower POST /settings/password": ACT,
};

/** A route as it is mounted. */
export interface WalkedRoute extends Route {
  readonly listener: ListenerName;
  /** As it stands in the table. */
  readonly name: string;
}

/** Every route that the listeners have. */
export function routesOf(service: TestTower): readonly WalkedRoute[] {
  return (["ingest", "tower"] as const).flatMap((listener) =>
    service[listener].routes.map(({ method, path }) => ({
      listener,
      method,
      path,
      name: `${listener} ${method} ${path}`,
    })),
  );
}

/** The address of a route with these values for its names. */
export function addressOf(path: string, values: Readonly<Record<string, string>>): string {
  return path
    .replace("*", "x")
    .replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(values[name] ?? "x"));
}

/** Every route of the table that is a page: what a person reads, signed in or at the door. */
export const PAGES: readonly string[] = Object.entries(ROUTES)
  .filter(([name, { who, isFile }]) => who === "operator" && isFile === undefined && / GET /.test(name))
  .map(([name]) => name.slice("tower GET ".length))
  .concat("/sign-in", "/setup");
