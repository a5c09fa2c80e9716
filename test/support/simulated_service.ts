/**
 * The whole service in this process under a clock of the test's own: the real data folder, applications and jobs, without
 * listening and without timers. What the schedule would do is done when the test says so.
 */

import { type Opened, openData } from "../../src/app/boot.ts";
import { createIngest } from "../../src/app/ingest_app.ts";
import { JOBS, judgeFreshness, runJob } from "../../src/app/schedule.ts";
import { createTower } from "../../src/app/tower_app.ts";
import type { Ids } from "../../src/base/base.ts";
import { readConfig } from "../../src/base/config.ts";
import { systemFiles } from "../../src/base/files.ts";
import type { HttpHandler } from "../../src/base/http_handler.ts";
import { beat } from "../../src/rules/freshness.ts";
import type { FakeClock } from "./clock.ts";
import { promptHttp } from "./http.ts";

const PORTS = { ingest: 4610, tower: 4611 };
const ORIGIN = `http://localhost:${PORTS.tower}`;
const OPERATOR = { "x-operator": "ada" };

/** A service that runs only when it is asked to. */
export class SimulatedService {
  readonly #settings: Readonly<Record<string, string>>;
  readonly #clock: FakeClock;
  readonly #ids: Ids;
  #opened: Opened | undefined;
  #ingest: HttpHandler | undefined;
  #tower: HttpHandler | undefined;

  constructor(settings: Readonly<Record<string, string>>, clock: FakeClock, ids: Ids) {
    this.#settings = { ...settings, TRUSTED_AUTH_HEADER: "x-operator" };
    this.#clock = clock;
    this.#ids = ids;
  }

  get deps(): Opened["deps"] {
    if (this.#opened === undefined) throw new Error("the service is stopped");
    return this.#opened.deps;
  }

  /** Starts as `serve` does. */
  async start(): Promise<void> {
    this.#opened = await openData(readConfig(this.#settings), {
      clock: this.#clock,
      ids: this.#ids,
      files: systemFiles,
      http: promptHttp(this.#clock),
    });
    this.#ingest = createIngest(this.deps, () => PORTS);
    this.#tower = createTower(this.deps, () => PORTS);
    await beat(this.deps.store, this.deps.writer, this.#clock.now());
    await judgeFreshness(this.deps);
    await this.deps.follower.settle();
  }

  async stop(): Promise<void> {
    await this.#opened?.deps.follower.stop();
    this.#opened?.close();
    this.#opened = undefined;
  }

  /** A site's report, with its token. */
  send(path: "/api/pulse" | "/api/codebase-report", token: string, report: unknown): Promise<Response> {
    if (this.#ingest === undefined) throw new Error("the service is stopped");
    const headers = {
      host: `127.0.0.1:${PORTS.ingest}`,
      authorization: `Bearer ${token}`,
      "content-type": "application/json",
    };
    const body = JSON.stringify(report);
    const request = new Request(`http://127.0.0.1:${PORTS.ingest}${path}`, { method: "POST", headers, body });
    return this.#ingest(request, () => "127.0.0.1");
  }

  /** What an operator asks of the Tower; with fields a form is sent. */
  async operate(path: string, fields?: Readonly<Record<string, string>>): Promise<Response> {
    if (this.#tower === undefined) throw new Error("the service is stopped");
    const headers = { host: `localhost:${PORTS.tower}`, origin: ORIGIN, ...OPERATOR };
    const init = fields === undefined ? {} : { method: "POST", body: new URLSearchParams(fields) };
    return this.#tower(new Request(`${ORIGIN}${path}`, { headers, ...init }), () => "127.0.0.1");
  }

  /** Everything a list of the API holds, over all its pages, newest first. */
  async list<Row>(path: string): Promise<Row[]> {
    const rows: Row[] = [];
    let cursor: string | null = null;
    do {
      const mark = path.includes("?") ? "&" : "?";
      const next: string = cursor === null ? "" : `&cursor=${encodeURIComponent(cursor)}`;
      const response = await this.operate(`${path}${mark}limit=500${next}`);
      if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
      const page = (await response.json()) as { items: Row[]; next: string | null };
      rows.push(...page.items);
      cursor = page.next;
    } while (cursor !== null);
    return rows;
  }

  /** One job of the schedule by its name, now. */
  async job(name: string): Promise<void> {
    const job = JOBS.find((known) => known.name === name);
    if (job === undefined) throw new TypeError(`there is no job ${name}`);
    await runJob(this.deps, job, "schedule");
  }

  /** The hour's work: the beats of its minutes, freshness, and everything accepted is judged. */
  async hour(): Promise<void> {
    // The beats in between are those of a service that ran all the time; only the newest one is kept anyway.
    this.deps.store.raw.run("UPDATE service_state SET value = ? WHERE name = 'service.alive_at'", [
      String(this.#clock.now() - 60_000),
    ]);
    await beat(this.deps.store, this.deps.writer, this.#clock.now());
    await this.job("constants");
    await this.job("refusals");
    await judgeFreshness(this.deps);
    await this.deps.follower.settle();
  }
}
