import { addOperator } from "../../src/access/operators.ts";
import { SiteTokenBook } from "../../src/sites/site_tokens.ts";
import { CALLER, GOOD_PASSWORD, operatorDeps } from "./operators.ts";
import { type TestTower, TOWER_ORIGIN, testTower } from "./test_tower.ts";

export const ORIGIN = TOWER_ORIGIN;

/** A walk through the Tower with a browser's cookies. */
export class Walk {
  readonly deps = { ...operatorDeps(), siteTokens: new SiteTokenBook() };
  readonly #settings;
  #started: Promise<TestTower> | undefined;
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
    this.#settings = {
      ALLOWED_HOSTS: "tower.example,localhost:9999",
      TRUSTED_AUTH_HEADER: options.header ?? "",
      TRUSTED_PROXIES: (options.proxies ?? []).join(","),
      TOWER_PUBLIC_URL: options.published ?? "",
    };
  }

  /** Asks for a page, with the cookies so far. */
  get(path: string, headers: Readonly<Record<string, string>> = {}): Promise<Response> {
    return this.#send(new Request(`${ORIGIN}${path}`, { headers: { ...this.#headers(), ...headers } }));
  }

  /** Sends a form as a browser does; a header of "" is left out. */
  post(
    path: string,
    fields: Readonly<Record<string, string>> | URLSearchParams | FormData = {},
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Response> {
    const all = { ...this.#headers(), origin: ORIGIN, "sec-fetch-site": "same-origin", ...headers };
    const sent = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== ""));
    const body = fields instanceof FormData ? fields : new URLSearchParams(fields);
    return this.#send(new Request(`${ORIGIN}${path}`, { method: "POST", body, headers: sent }));
  }

  /** Sends anything, without the cookies. */
  send(method: string, path: string, init: RequestInit): Promise<Response> {
    const headers = new Headers(init.headers);
    headers.set("host", "localhost:4611");
    return this.#send(new Request(`${ORIGIN}${path}`, { ...init, method, headers }));
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
    this.#started ??= testTower({ ground: this.deps, settings: this.#settings });
    const response = await (await this.#started).tower(request, () => this.peer);
    for (const line of response.headers.getSetCookie()) {
      const { name, value, maxAge } = Bun.Cookie.parse(line);
      if (maxAge === 0) this.#cookies.delete(name);
      else this.#cookies.set(name, value);
    }
    return response;
  }
}
