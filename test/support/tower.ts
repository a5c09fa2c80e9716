import { Elysia } from "elysia";
import { SiteTokenBook } from "../../src/assets/mod.ts";
import { addOperator } from "../../src/operators/mod.ts";
import { createEdge } from "../../src/platform/edge.ts";
import { logOf } from "../../src/platform/log.ts";
import { problemResponse } from "../../src/platform/problem.ts";
import { routerOf } from "../../src/platform/routing.ts";
import { accountRoutes } from "../../src/tower/account/routes.tsx";
import { createSessions } from "../../src/tower/session.ts";
import { tokenRoutes } from "../../src/tower/settings/routes.tsx";
import { setupRoutes } from "../../src/tower/setup/routes.tsx";
import { shellMaker } from "../../src/tower/shell_for.ts";
import { signInRoutes } from "../../src/tower/sign_in/routes.tsx";
import { themeRoutes } from "../../src/tower/theme/routes.ts";
import { CALLER, GOOD_PASSWORD, operatorDeps } from "./operators.ts";

export const ORIGIN = "http://localhost:4611";

/** A walk through the doors and settings of the Tower: the real routes behind the real edge, and a browser's cookies. */
export class Walk {
  readonly deps = { ...operatorDeps(), siteTokens: new SiteTokenBook() };
  readonly sessions;
  readonly #edge;
  #cookies = new Map<string, string>();
  /** The peer's address. */
  peer = "192.0.2.7";
  agent = CALLER.agent;

  constructor(
    options: {
      readonly header?: string;
      readonly proxies?: readonly string[];
      readonly published?: string;
    } = {},
  ) {
    const { store, clock, ids } = this.deps;
    this.sessions = createSessions({
      ...this.deps,
      config: {
        trustedAuthHeader: options.header,
        trustedProxies: options.proxies ?? [],
        tower: { publicUrl: options.published },
      },
      origins: () => new Set([ORIGIN, ...(options.published === undefined ? [] : [options.published])]),
    });
    const assets = { css: "/c", htmx: "/h", script: "/s", icon: "/i" };
    const shellFor = shellMaker({ db: store.db, clock, assets, version: "0" });
    const all = { ...this.deps, sessions: this.sessions, shellFor };
    const app = new Elysia()
      .use(signInRoutes(all))
      .use(setupRoutes(all))
      .use(tokenRoutes(all))
      .use(accountRoutes(all))
      .use(themeRoutes(all))
      .get("/read", ({ request }) => Response.json(this.sessions.api(request, "read")))
      .post("/act", ({ request }) => Response.json(this.sessions.page(request)), { parse: "none" });
    this.#edge = createEdge({
      listener: "tower",
      route: routerOf(app),
      hosts: () => new Set(["localhost:4611", "tower.example"]),
      refuseBrowsers: false,
      headers: {},
      page: (_request, problem, id) => problemResponse(problem, id),
      clock,
      ids,
      log: logOf("test"),
    });
  }

  /** Asks for a page, with the cookies so far. */
  get(path: string, headers: Readonly<Record<string, string>> = {}): Promise<Response> {
    return this.#send(new Request(`${ORIGIN}${path}`, { headers: { ...this.#headers(), ...headers } }));
  }

  /** Sends a form as a browser does; a header of "" is left out. */
  post(
    path: string,
    fields: Readonly<Record<string, string>> | URLSearchParams = {},
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Response> {
    const all = { ...this.#headers(), origin: ORIGIN, "sec-fetch-site": "same-origin", ...headers };
    const sent = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== ""));
    return this.#send(
      new Request(`${ORIGIN}${path}`, { method: "POST", body: new URLSearchParams(fields), headers: sent }),
    );
  }

  /** Adds the operator ada and signs her in. */
  async signedIn(): Promise<this> {
    await addOperator(this.deps, { name: "ada", password: GOOD_PASSWORD }, { actor: "command-line", now: 0 });
    await this.post("/sign-in", { name: "ada", password: GOOD_PASSWORD });
    return this;
  }

  cookie(name: string): string | undefined {
    return this.#cookies.get(name);
  }

  setCookie(name: string, value: string): void {
    this.#cookies.set(name, value);
  }

  /** The same cookies in another browser window. */
  cookies(): ReadonlyMap<string, string> {
    return new Map(this.#cookies);
  }

  forgetCookies(): void {
    this.#cookies = new Map();
  }

  #headers(): Record<string, string> {
    const cookie = [...this.#cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    return { host: "localhost:4611", "user-agent": this.agent, ...(cookie === "" ? {} : { cookie }) };
  }

  async #send(request: Request): Promise<Response> {
    const response = await this.#edge(request, () => this.peer);
    for (const line of response.headers.getSetCookie()) {
      const { name, value, maxAge } = Bun.Cookie.parse(line);
      if (maxAge === 0) this.#cookies.delete(name);
      else this.#cookies.set(name, value);
    }
    return response;
  }
}
