/** The demo as it is started: a portfolio that is filled, called invented, gone on with, and ended in order. */

import { afterAll, beforeAll, expect, test } from "bun:test";
import { join } from "node:path";
import { askService } from "../../src/app/control.ts";
import { temporaryFolder } from "../support/folder.ts";
import { bareEnvironment } from "../support/service.ts";
import { until } from "../support/until.ts";

const ROOT = join(import.meta.dir, "..", "..");
/** Longest wait for a demo to be ready, in milliseconds; a busy machine needs several times as long as a quiet one. */
const PATIENCE_MS = 300_000;
const folder = temporaryFolder();
const path = join(folder.path, "demo");

interface Demo {
  readonly url: string;
  readonly password: string;
  end(): Promise<number>;
}
let demo: Demo | undefined;
// A test that fails must not leave it running.
afterAll(async () => {
  await demo?.end();
  folder[Symbol.dispose]();
});

/**
 * Starts it in an environment that holds an operator's own settings, of which none may reach it; at ports below those that the system
 * gives to other tests.
 */
async function start(): Promise<Demo> {
  const child = Bun.spawn(
    [process.execPath, join(ROOT, "src", "demo", "main.ts"), "--folder", path, "--port", "27110"],
    {
      cwd: folder.path,
      env: { ...bareEnvironment(), DATA_DIR: join(folder.path, "own"), TOWER_PORT: "1" },
      stdin: "ignore",
      stdout: "pipe",
      stderr: "pipe",
    },
  );
  const errors = new Response(child.stderr).text();
  let said = "";
  const decoder = new TextDecoder();
  for await (const chunk of child.stdout) {
    said += decoder.decode(chunk, { stream: true });
    if (said.includes("Ctrl-C")) break;
  }
  const [, url = ""] = /^Tower +(\S+)$/m.exec(said) ?? [];
  if (url === "") throw new Error(`the demo did not start: ${said}${await errors}`);
  // The folder that commands take as DATA_DIR.
  expect(said).toContain(
    "Data     demo/data  (invented; bun run demo --fresh --folder demo makes a new one)",
  );
  const [, password = ""] = /^Sign in +demo \/ (\S+)$/m.exec(said) ?? [];
  return {
    url,
    password,
    end: async () => {
      child.kill("SIGINT");
      return child.exited;
    },
  };
}

function running(): Demo {
  if (demo === undefined) throw new Error("no demo runs");
  return demo;
}

const rows = async (path: string, token: string) => {
  const answer = await fetch(`${running().url}${path}`, { headers: { authorization: `Bearer ${token}` } });
  return ((await answer.json()) as { items: Record<string, unknown>[] }).items;
};
const command = async (name: string, ...args: string[]) =>
  (await askService(join(path, "data"), name, { args }))?.stdout.trim() ?? "";

beforeAll(async () => {
  demo = await start();
}, PATIENCE_MS);

test("shows a portfolio with every half filled, and says on its first page that it is invented", async () => {
  const page = await (await fetch(`${running().url}/sign-in`)).text();
  expect(page).toContain('class="sample"');
  const token = await command("token issue", "--operator", "reader", "--scopes", "read");
  const sites = await rows("/api/assets?limit=500", token);
  expect(sites.filter(({ id }) => String(id).endsWith(".example")).length).toBe(14);
  const hotel = "/api/assets/northlight-hotels.example";
  const [pulses, reports, signals, notes] = await Promise.all([
    rows(`${hotel}/pulses?limit=500`, token),
    rows(`${hotel}/codebase-reports?limit=500`, token),
    rows(`${hotel}/signals?limit=500&metric=clicks`, token),
    rows("/api/annotations?limit=500", token),
  ]);
  expect([pulses.length >= 119, reports.length, notes.length > 100]).toEqual([true, 17, true]);
  expect([...new Set(signals.map(({ source }) => source))].sort()).toEqual([
    "search-console",
    "webmaster-tools",
  ]);
  // Late data come while it runs.
  const days = "/api/assets/meadow-bakery.example/signals?limit=500&metric=active_users&revisions=all";
  const { seen } = await until(
    () => rows(days, token),
    (items) => items.some(({ revision }) => revision === 2),
  );
  expect(seen.some(({ revision }) => revision === 2)).toBe(true);
});

test("its archive fills while people look already", async () => {
  const token = await command("token issue", "--operator", "reader", "--scopes", "read");
  const { seen } = await until(
    () => rows("/api/archive/manifest?limit=500", token),
    (items) => items.some(({ outcome }) => outcome === "stored"),
  );
  expect(seen.some(({ object, rows }) => typeof object === "string" && Number(rows) > 0)).toBe(true);
});

test("a site that fell silent is flagged", async () => {
  const token = await command("token issue", "--operator", "reader", "--scopes", "read");
  const flags = await rows("/api/flags?status=open&asset=tower&limit=500", token);
  expect(flags.map(({ rule, subject }) => `${rule} ${subject}`).sort()).toEqual([
    "stale-ingest saltmarsh-ferries.example",
  ]);
});

test("one site's account is refused, and no other's", async () => {
  const token = await command("token issue", "--operator", "reader", "--scopes", "read");
  const runs = await rows("/api/runs?limit=500", token);
  const failed = runs.filter(({ outcome, asset }) => outcome === "failed" && typeof asset === "string");
  expect([...new Set(failed.map(({ asset }) => asset))]).toEqual(["cedar-and-slate.example"]);
  expect([...new Set(failed.map(({ category }) => category))]).toEqual(["access"]);
});

test(
  "ends in order, is gone on with by the same sign-in, and refuses to be made twice at once",
  async () => {
    const { password } = running();
    const second = Bun.spawnSync(
      [process.execPath, join(ROOT, "src", "demo", "main.ts"), "--folder", path, "--fresh"],
      {
        env: bareEnvironment(),
      },
    );
    expect([second.exitCode, second.stderr.toString()]).toEqual([
      1,
      expect.stringContaining("a demo runs in"),
    ]);
    expect(await running().end()).toBe(0);
    demo = await start();
    expect(demo.password).toBe(password);
    expect(await command("credential list")).toContain("Sample account");
    expect(await demo.end()).toBe(0);
  },
  PATIENCE_MS,
);
