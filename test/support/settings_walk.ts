import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Elysia } from "elysia";
import { addAsset, SiteTokenBook } from "../../src/assets/mod.ts";
import { ConstantsKeeper } from "../../src/constants/mod.ts";
import { addOperator } from "../../src/operators/mod.ts";
import { createEdge } from "../../src/platform/edge.ts";
import { systemFiles } from "../../src/platform/files.ts";
import { towerHeaders } from "../../src/platform/headers.ts";
import { logOf } from "../../src/platform/log.ts";
import { problemResponse } from "../../src/platform/problem.ts";
import { routerOf } from "../../src/platform/routing.ts";
import { calibrationRoutes } from "../../src/tower/calibration/routes.tsx";
import { constantsRoutes } from "../../src/tower/constants/routes.tsx";
import { createSessions } from "../../src/tower/session.ts";
import { settingsIndexRoutes } from "../../src/tower/settings/index_routes.tsx";
import { shellMaker } from "../../src/tower/shell_for.ts";
import { signInRoutes } from "../../src/tower/sign_in/routes.tsx";
import { siteSettingsRoutes } from "../../src/tower/site_settings/routes.tsx";
import { pageAssets, readStatic } from "../../src/tower/static.ts";
import { staticRoutes } from "../../src/tower/static_routes.ts";
import { tuneRoutes } from "../../src/tower/tune/routes.tsx";
import { temporaryFolder } from "./folder.ts";
import { GOOD_PASSWORD, operatorDeps } from "./operators.ts";

const PUBLIC_FOLDER = join(import.meta.dir, "../../public");

/** The settings' own pages behind the real edge, over a real constants file: what a signed-in operator's browser meets. */
export class SettingsWalk {
  readonly deps;
  readonly constants: ConstantsKeeper;
  readonly handle: (request: Request) => Promise<Response>;
  readonly #path: string;
  readonly #folder;
  #cookie = "";

  private constructor(
    deps: ReturnType<typeof operatorDeps> & { siteTokens: SiteTokenBook },
    constants: ConstantsKeeper,
    folder: ReturnType<typeof temporaryFolder>,
    origin: string,
  ) {
    this.deps = deps;
    this.constants = constants;
    this.#folder = folder;
    this.#path = join(folder.path, "constants.toml");
    const { store, clock, ids } = deps;
    const sessions = createSessions({
      ...deps,
      config: { trustedAuthHeader: undefined, trustedProxies: [], tower: { publicUrl: undefined } },
      origins: () => new Set([origin]),
    });
    const files = readStatic(PUBLIC_FOLDER);
    const shellFor = shellMaker({ db: store.db, clock, assets: pageAssets(files), version: "0" });
    const all = {
      ...deps,
      db: store.db,
      sessions,
      access: sessions,
      shellFor,
      constants,
      config: { serviceAsset: "tower" },
    };
    const app = new Elysia()
      .use(staticRoutes(files))
      .use(signInRoutes(all))
      .use(constantsRoutes(all))
      .use(tuneRoutes(all))
      .use(calibrationRoutes(all))
      .use(siteSettingsRoutes(all))
      .use(settingsIndexRoutes(all));
    const edge = createEdge({
      listener: "tower",
      route: routerOf(app),
      hosts: () => new Set([new URL(origin).host]),
      refuseBrowsers: false,
      headers: towerHeaders(false),
      page: (_request, problem, id) => problemResponse(problem, id),
      clock,
      ids,
      log: logOf("test"),
    });
    this.handle = (request) => edge(request, () => "192.0.2.7");
  }

  /** A database, a constants file with its defaults, the site `shop`, and the operator ada, signed in. */
  static async start(origin = "http://localhost:4611"): Promise<SettingsWalk> {
    const deps = { ...operatorDeps(), siteTokens: new SiteTokenBook() };
    const folder = temporaryFolder();
    const by = { actor: "command-line", now: deps.clock.now() };
    const shop = { id: "shop", url: "https://shop.example/", lifecycle: "live" as const, families: [] };
    await addAsset(deps.writer, shop, { ...by, onRetired: () => {} });
    await addOperator(deps, { name: "ada", password: GOOD_PASSWORD }, by);
    const path = join(folder.path, "constants.toml");
    const { store, writer, clock } = deps;
    const constants = await ConstantsKeeper.start({ path, files: systemFiles, clock, db: store.db, writer });
    const walk = new SettingsWalk(deps, constants, folder, origin);
    const signedIn = await walk.post("/sign-in", { name: "ada", password: GOOD_PASSWORD }, origin);
    walk.#cookie = signedIn.headers
      .getSetCookie()
      .map((line) => line.split(";")[0])
      .join("; ");
    return walk;
  }

  /** The session's cookie, for a browser. */
  get cookie(): { readonly name: string; readonly value: string } {
    const [session = ""] = this.#cookie.split("; ");
    const cut = session.indexOf("=");
    return { name: session.slice(0, cut), value: session.slice(cut + 1) };
  }

  /** The constants document on disk. */
  get file(): string {
    return readFileSync(this.#path, "utf8");
  }

  /** Somebody edits the file in a text editor. */
  set file(text: string) {
    writeFileSync(this.#path, text);
    this.deps.clock.advance(60_000);
  }

  forgetSession(): void {
    this.#cookie = "";
  }

  get(path: string, origin = "http://localhost:4611"): Promise<Response> {
    const headers = { host: new URL(origin).host, cookie: this.#cookie };
    return this.handle(new Request(`${origin}${path}`, { headers }));
  }

  async page(path: string): Promise<string> {
    return (await this.get(path)).text();
  }

  /** Sends a form as a browser does: line ends become CRLF. */
  post(
    path: string,
    fields: Readonly<Record<string, string>>,
    origin = "http://localhost:4611",
  ): Promise<Response> {
    const sent = Object.entries(fields).map(([name, value]) => [name, value.replaceAll(/\r?\n/g, "\r\n")]);
    const headers = {
      host: new URL(origin).host,
      cookie: this.#cookie,
      origin,
      "sec-fetch-site": "same-origin",
    };
    const body = new URLSearchParams(sent as [string, string][]);
    return this.handle(new Request(`${origin}${path}`, { method: "POST", body, headers }));
  }

  [Symbol.dispose](): void {
    this.deps.writer.close();
    this.deps.store.close();
    this.#folder[Symbol.dispose]();
  }
}
