/** Sixty simulated days of everything, then every command that keeps the data. */

import { expect, test } from "bun:test";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { keyAudit } from "../../src/access/audit.ts";
import { judgeFreshness } from "../../src/app/schedule.ts";
import { formatInstant } from "../../src/base/time.ts";
import { removeSite } from "../../src/integrations/site_acts.ts";
import { checkDatabase } from "../../src/keep/keep.ts";
import type { Pulse } from "../../src/reports/pulse.ts";
import { disconnect } from "../../src/signals/credential_changes.ts";
import { postAnnotation, putRetraction } from "../../src/sites/annotations.ts";
import { addAsset, changeAsset } from "../../src/sites/site_changes.ts";
import { migrateStore } from "../../src/store/migrations.ts";
import { openStore } from "../../src/store/store.ts";
import { temporaryFolder } from "../support/folder.ts";
import { keysOf } from "../support/keys.ts";
import { fullCodebaseReport } from "../support/make/codebase_report.ts";
import { fullPulse } from "../support/make/pulse.ts";
import { accept, acceptCodebase } from "../support/nightly.ts";
import { type Pulled, pulledTower, pulledWorld } from "../support/pulled.ts";
import { runToEnd } from "../support/service.ts";

const DAYS = 60;
const SITES = 2;
/** Its providers are asked every tenth night, and it is archived every thirtieth: a run asks for a hundred reports. */
const ASKED_EVERY = 10;
const ARCHIVED_EVERY = 30;
/** How long a command may take. */
const PATIENCE_MS = 300_000;
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const FIRST = Date.parse("2026-09-20T00:00:00Z");

/** By how much the clock is wrong on a day. */
const WRONG: ReadonlyMap<number, number> = new Map([
  [20, 4 * MINUTE],
  [27, 10 * DAY],
  [41, -3 * DAY],
  [50, -4 * MINUTE],
]);

const nameOf = (place: number) => `site-${place}.example`;
/** A figure that is the same in every run. */
const varied = (day: number, place: number, of: number) => ((day * 7_919 + place * 104_729) >>> 3) % of;

class Life {
  readonly #pulled: Pulled;
  #retired = "";

  constructor(pulled: Pulled) {
    this.#pulled = pulled;
  }

  get #deps() {
    return this.#pulled.tower.deps;
  }

  /** One day: what its sites send, what the schedule does, what goes wrong. */
  async day(day: number): Promise<void> {
    const { clock } = this.#pulled;
    const wrong = WRONG.get(day) ?? 0;
    clock.advance(FIRST + day * DAY + 2.5 * HOUR - clock.now() + wrong);
    this.#disturb(day);
    await this.#operate(day);
    for (let place = 0; place < SITES; place++) await this.#sent(day, place);
    clock.advance(9.75 * HOUR);
    // By minutes another date is not asked for.
    const isWrongDay = Math.abs(wrong) >= DAY;
    const isAsked = day % ASKED_EVERY === 0 || WRONG.has(day);
    const isArchived = day % ARCHIVED_EVERY === 0 || isWrongDay;
    if (isAsked) await this.#ask(isArchived);
    for (const job of ["own-pulse", "bodies", "attempts"]) await this.#work(job);
    if (day % 30 === 6) await this.#work("scrub");
    await this.#deps.follower.settle();
    await judgeFreshness(this.#deps);
    if (wrong === 0) return;
    // The clock is put right, and what was asked for is asked for at once.
    clock.advance(-wrong + MINUTE);
    await this.#ask(isArchived);
    await this.#deps.follower.settle();
    const { store, keys } = this.#deps;
    const found = checkDatabase(store.path, keys.forPurpose("audit"));
    expect([day, found.flatMap(({ faults }) => faults)]).toEqual([day, []]);
  }

  async #ask(isArchived: boolean): Promise<void> {
    for (const job of ["webmaster-tools", "sense"]) await this.#work(job);
    if (isArchived) await this.#work("analysis");
  }

  async #work(job: string): Promise<void> {
    const report = await this.#deps.jobs.run(job as "sense", "command");
    expect([job, report.fault]).toEqual([job, undefined]);
  }

  /** What providers do wrong, from now on for some hours. */
  #disturb(day: number): void {
    const { clock, simulators } = this.#pulled;
    const from = clock.now();
    const stretch = { from, to: from + 20 * HOUR };
    if (day % 13 === 5) simulators.script({ kind: "day-absent" }, { server: "analyticsData", times: 3 });
    if (day % 20 === 10) simulators.script({ kind: "refused" }, { server: "searchConsole", ...stretch });
    if (day % 19 === 11) simulators.script({ kind: "cut-json" }, { server: "webmasterTools", times: 4 });
    if (day % 30 === 20)
      simulators.script({ kind: "html", status: 503 }, { server: "analyticsData", ...stretch });
    if (day % 23 === 15) simulators.script({ kind: "day-twice" }, { server: "searchConsole", times: 2 });
    simulators.heed();
  }

  /** What the operator does. */
  async #operate(day: number): Promise<void> {
    const { writer } = this.#deps;
    const by = { actor: "operator:ada", now: this.#pulled.clock.now() };
    const last = nameOf(SITES - 1);
    if (day % 5 === 2) await this.#annotate(day);
    if (day === 6) await addAsset(writer, { id: "mistaken.example" }, { ...by, onRetired: () => undefined });
    if (day === 9) await removeSite(this.#deps, "mistaken.example", by);
    if (day === 38) await disconnect(this.#deps, { asset: last, provider: "search-console" }, by);
    if (day !== 44) return;
    await changeAsset(writer, last, { lifecycle: "retired" }, { ...by, onRetired: () => undefined });
    this.#retired = last;
  }

  async #annotate(day: number): Promise<void> {
    const deps = this.#deps;
    const now = deps.clock.now();
    const at = formatInstant(now);
    const { stored } = await postAnnotation(deps, { asset: "*", at, kind: "deploy", ref: `v${day}` }, "ada");
    if (day % 10 !== 2) return;
    await deps.writer.write((tx) =>
      putRetraction(
        tx,
        stored.id,
        { struck: 1, reason: "The wrong server" },
        {
          actor: "operator:ada",
          now,
          name: "ada",
        },
      ),
    );
  }

  /** A night's report, or none; late with the next one; with few figures; once a week that of the code. */
  async #sent(day: number, place: number): Promise<void> {
    const asset = nameOf(place);
    if (asset === this.#retired) return;
    const night = FIRST + day * DAY + 2 * HOUR;
    const isLate = (of: number) => varied(of, place, 13) === 4;
    if (isLate(day - 1)) await this.#nightly(day - 1, place, night - DAY);
    if (varied(day, place, 11) !== 3 && !isLate(day)) await this.#nightly(day, place, night);
    if (day % 7 !== place % 7) return;
    const { notes: _, ...report } = fullCodebaseReport({ asset, generatedAt: formatInstant(night) });
    await acceptCodebase(this.#deps, report);
  }

  #nightly(day: number, place: number, generated: number): Promise<unknown> {
    const count = (base: number) => ({ last24h: base + varied(day, place, base / 2) });
    const metrics = {
      signups: count(120),
      orders: count(40),
      "errors.5xx": { last24h: varied(day, place, 3) },
    };
    const isShort = varied(day, place, 9) === 2;
    const report: Pulse = fullPulse({
      asset: nameOf(place),
      generatedAt: formatInstant(generated),
      metrics: isShort ? { signups: count(10) } : metrics,
    });
    return accept(this.#deps, report, this.#deps.clock.now());
  }
}

test(`${DAYS} days of ${SITES} sites, with clocks that were wrong, go through every command that keeps the data`, async () => {
  using folder = temporaryFolder();
  const data = join(folder.path, "data");
  const settings = {
    DATA_DIR: data,
    CREDENTIALS_KEY: Buffer.alloc(32, 7).toString("base64"),
    RAW_SIGNALS: join(data, "raw-signals"),
  };
  mkdirSync(data);
  mkdirSync(join(folder.path, "backups"));
  const store = openStore(join(data, "tower.db"));
  migrateStore(store);
  keyAudit(store.main, keysOf(7).forPurpose("audit"));
  const names = Array.from({ length: SITES - 1 }, (_, place) => nameOf(place));
  const pulled = await pulledTower({
    world: pulledWorld(names, Math.floor(FIRST / DAY) - 90),
    at: "2026-09-20T00:00:00Z",
    ground: { store },
    settings,
  });
  const { writer } = pulled.tower.deps;
  const by = { actor: "operator:ada", now: pulled.clock.now(), onRetired: () => undefined };
  await addAsset(writer, { id: nameOf(SITES - 1) }, by);
  const life = new Life(pulled);
  for (let day = 0; day < DAYS; day++) await life.day(day);
  const [insights] = store.raw.query<[number, number], []>("SELECT count(*), max(id) FROM insight").values();
  expect(insights?.[0]).toBeLessThan(insights?.[1] as number);
  await pulled.close();

  const restored = {
    ...settings,
    DATA_DIR: join(folder.path, "restored"),
    RAW_SIGNALS: join(folder.path, "restored/raw"),
  };
  const backup = join(folder.path, "backups", "one.backup");
  const commands: readonly (readonly [args: string, of: Readonly<Record<string, string>>])[] = [
    ["check", settings],
    ["rebuild --check", settings],
    ["archive verify", settings],
    [`backup ${backup}`, settings],
    [`drill ${backup}`, settings],
    [`restore ${backup}`, restored],
    ["check", restored],
    ["rebuild --check", restored],
  ];
  const said: unknown[] = [];
  for (const [args, of] of commands) {
    const { code, out, err } = await runToEnd("cli.ts", args.split(" "), of, undefined, PATIENCE_MS);
    const isFault = (line: string) => /^(?:FAULT|DIFFERS)|^ {8}\S/.test(line);
    said.push({
      args: args.split(" ")[0],
      code,
      faults: code === 0 ? [] : out.split("\n").filter(isFault),
      err,
    });
  }
  expect(said).toEqual(
    commands.map(([args]) => ({ args: args.split(" ")[0], code: 0, faults: [], err: "" })),
  );
}, 600_000);
