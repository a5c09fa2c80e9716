/** The documents' scripts, run as they stand there against a real service. */

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { documentBlock, documentBlocks, readdressed } from "../support/documents.ts";
import { temporaryFolder } from "../support/folder.ts";
import {
  bareEnvironment,
  type Finished,
  finished,
  runToEnd,
  type Service,
  startService,
} from "../support/service.ts";

const SITE = "shop.example";
const SITE_TOKEN = "shop-token-that-no-list-shows";

const data = temporaryFolder();
const home = temporaryFolder();
let service: Service;
let operatorToken = "";

beforeAll(async () => {
  service = await startService({
    DATA_DIR: data.path,
    INGEST_PORT: "0",
    TOWER_PORT: "0",
    ASSET_TOKENS: `${SITE}:${SITE_TOKEN}`,
  });
  const issued = ["token", "issue", "--operator", "ci", "--scopes", "annotations,ledger,read"];
  operatorToken = (await runToEnd("cli.ts", issued, { DATA_DIR: data.path })).out.trim();
});
afterAll(async () => {
  await service.end("SIGTERM");
  for (const folder of [data, home]) folder[Symbol.dispose]();
});

/** Runs a command as someone whose home is `at`. */
async function run(
  command: readonly string[],
  at: string,
  env: Readonly<Record<string, string>> = {},
): Promise<Finished> {
  const child = Bun.spawn([...command], {
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
    env: { ...bareEnvironment(), ...env, HOME: at },
  });
  return finished(child);
}

const addresses = (ingest = service.ingestUrl) => ({ ingest, tower: service.towerUrl });

/** A home of its own with the header file that the manual writes, and a block of it as a program. */
async function homeWith(
  name: string,
  token: string,
  block: string,
  ingest?: string,
): Promise<[home: string, program: string]> {
  const at = join(home.path, name);
  mkdirSync(at, { recursive: true });
  await run(["sh", "-euc", documentBlock("token-file")], at, { ASSET_TOKEN: token });
  const program = join(at, block);
  writeFileSync(program, readdressed(documentBlock(block), addresses(ingest)));
  chmodSync(program, 0o755);
  return [at, program];
}

async function read<Item>(path: string): Promise<Item[]> {
  const headers = { authorization: `Bearer ${operatorToken}` };
  const answer = await fetch(`${service.towerUrl}${path}`, { headers });
  return ((await answer.json()) as { items: Item[] }).items;
}

const reports = () => read<{ metrics: unknown }>(`/api/assets/${SITE}/pulses?revisions=all`);

const RECIPES = [
  ["nightly.sh", "curl", []],
  ["nightly.php", "php", ["php"]],
  ["nightly.py", "python3", ["python3"]],
  ["nightly.mjs", "node", ["node"]],
] as const;

describe("the recipes for sending every night", () => {
  const present = RECIPES.filter(([, needs]) => Bun.which(needs) !== null);
  const absent = RECIPES.filter(([, needs]) => Bun.which(needs) === null).map(([, needs]) => needs);
  const notRun = absent.length === 0 ? "" : ` (not run, for want of it: ${absent.join(", ")})`;

  test(`wait as long as they are told to, and arrive; no list of processes shows the token${notRun}`, async () => {
    const before = (await reports()).length;
    const send = async ([block, , runner]: (typeof RECIPES)[number]) => {
      const ingest = hesitantIngest(service.ingestUrl);
      const [at, program] = await homeWith(`good-${block}`, SITE_TOKEN, block, ingest.url);
      const ran = await run([...runner, program], at);
      await ingest.stop();
      expect({ block, ...ran }).toEqual({ block, code: 0, out: "", err: expect.any(String) });
      expect(ingest.commandLines).toContain(program);
      expect(ingest.commandLines).not.toContain(SITE_TOKEN);
    };
    await Promise.all(present.map(send));
    const stored = await reports();
    expect(stored).toHaveLength(before + present.length);
    for (const { metrics } of stored) expect(metrics).toEqual({ signups: { last24h: 3 } });
  });

  test(`print the problem document once and fail where they are refused${notRun}`, async () => {
    for (const [block, , runner] of present) {
      const [at, program] = await homeWith(`bad-${block}`, "another-token-that-is-unknown", block);
      const { code, out, err } = await run([...runner, program], at);
      expect({ block, refused: code !== 0, out }).toEqual({ block, refused: true, out: "" });
      expect(err.match(/"type":"\/problems\/unauthenticated"/g)).toHaveLength(1);
    }
  });
});

test.skipIf(Bun.which("curl") === null)(
  "the report, the annotation and the ledger's row that are sent by hand are taken",
  async () => {
    const calls = documentBlocks("sh").filter((text) => text.includes("/api/"));
    expect(calls).toHaveLength(3);
    for (const call of calls) {
      const env = { ASSET_TOKEN: SITE_TOKEN, TOWER_TOKEN: operatorToken };
      const { code, out } = await run(["sh", "-euc", readdressed(call, addresses())], home.path, env);
      expect(code).toBe(0);
      const { asset, receivedAt, recorded_at } = JSON.parse(out);
      expect({ asset, stored: receivedAt ?? recorded_at }).toEqual({
        asset: SITE,
        stored: expect.any(String),
      });
    }
  },
);

// An ingest that is busy, then down, then itself: it answers 429 and 503, each with a second to wait, and passes on
// what comes after. Whoever does not wait is refused for good, so that a sender which arrives has obeyed.

const WAIT_SECONDS = 1;
/** What a timer may be early by, in milliseconds. */
const EARLY_MS = 20;

interface HesitantIngest {
  readonly url: string;
  /** Every command line of the machine, as it was while requests came. */
  readonly commandLines: string;
  stop(): Promise<void>;
}

/** Answers `refusals`, one a request, before it passes on to `ingest`. */
function hesitantIngest(ingest: string, refusals: readonly number[] = [429, 503]): HesitantIngest {
  const left = [...refusals];
  let notBefore = 0;
  let seen = "";
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    development: false,
    fetch: async (request) => {
      seen += commandLines();
      if (performance.now() + EARLY_MS < notBefore) return problem(400, "It came too early.");
      const status = left.shift();
      if (status !== undefined) {
        notBefore = performance.now() + WAIT_SECONDS * 1_000;
        return problem(status, "Not now.", { "retry-after": String(WAIT_SECONDS) });
      }
      const { pathname } = new URL(request.url);
      const { host, ...headers } = Object.fromEntries(request.headers);
      return fetch(`${ingest}${pathname}`, { method: request.method, headers, body: await request.text() });
    },
  });
  return {
    url: `http://127.0.0.1:${server.port}`,
    get commandLines() {
      return seen;
    },
    stop: () => server.stop(true),
  };
}

function problem(status: number, detail: string, headers: Readonly<Record<string, string>> = {}): Response {
  return Response.json(
    { status, detail },
    { status, headers: { ...headers, "content-type": "application/problem+json" } },
  );
}

function commandLines(): string {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, "utf8");
      } catch {
        // It ended between the look and the reading.
        return "";
      }
    })
    .join("\n");
}
