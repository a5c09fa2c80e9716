/** A signed-in operator's browser at the Tower, over a real constants file. */

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { addOperator } from "../../src/access/operators.ts";
import { systemFiles } from "../../src/base/files.ts";
import type { ConstantsStore } from "../../src/sites/constants_store.ts";
import { addAsset } from "../../src/sites/site_changes.ts";
import { temporaryFolder } from "./folder.ts";
import { GOOD_PASSWORD } from "./operators.ts";
import { type TestTower, TOWER_ORIGIN, testTower } from "./test_tower.ts";

export class SettingsWalk {
  readonly deps: TestTower["deps"];
  readonly constants: ConstantsStore;
  readonly handle: (request: Request) => Promise<Response>;
  readonly #path: string;
  readonly #folder;
  #cookie = "";

  private constructor({ deps, tower }: TestTower, folder: ReturnType<typeof temporaryFolder>) {
    this.deps = deps;
    this.constants = deps.constants;
    this.#folder = folder;
    this.#path = join(folder.path, "constants.toml");
    this.handle = (request) => tower(request, () => "192.0.2.7");
  }

  /** A database, a constants file with its defaults, the site `shop`, and the operator ada, signed in. */
  static async start(origin = TOWER_ORIGIN): Promise<SettingsWalk> {
    const folder = temporaryFolder();
    const service = await testTower({
      settings: { DATA_DIR: folder.path },
      files: systemFiles,
      ports: { tower: Number(new URL(origin).port) },
    });
    const { deps } = service;
    const by = { actor: "command-line", now: deps.clock.now() };
    const shop = { id: "shop", url: "https://shop.example/", lifecycle: "live" as const, families: [] };
    await addAsset(deps.writer, shop, { ...by, onRetired: () => {} });
    await addOperator(deps, { name: "ada", password: GOOD_PASSWORD }, by);
    const walk = new SettingsWalk(service, folder);
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

  get(path: string, origin = TOWER_ORIGIN): Promise<Response> {
    const headers = { host: new URL(origin).host, cookie: this.#cookie };
    return this.handle(new Request(`${origin}${path}`, { headers }));
  }

  async page(path: string): Promise<string> {
    return (await this.get(path)).text();
  }

  /** Sends a form as a browser does: line ends become CRLF. */
  post(path: string, fields: Readonly<Record<string, string>>, origin = TOWER_ORIGIN): Promise<Response> {
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
