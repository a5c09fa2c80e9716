/**
 * Four days of a service beside simulated providers, with all that commonly goes wrong, and then everything that it says and holds: answers
 * of its API, of every command, its figures, its log, its messages, what it asked others, and its tables. After a change that is meant,
 * `bun test test/app/life_test.ts --update-snapshots` writes them anew; the difference is to be read like code.
 */

import { afterAll, expect, test } from "bun:test";
import { join } from "node:path";
import { keyAudit } from "../../src/access/audit.ts";
import { makeKioskToken } from "../../src/access/kiosk_tokens.ts";
import { restore } from "../../src/app/backups.ts";
import { helpOf } from "../../src/app/command.ts";
import { COMMANDS } from "../../src/app/commands.ts";
import { TOWER_COMMAND } from "../../src/base/command_line.ts";
import { readConfig } from "../../src/base/config.ts";
import { formatInstant, utcDayOf } from "../../src/base/time.ts";
import { towerVersion } from "../../src/base/version.ts";
import type { FlagRow } from "../../src/flags/flags.ts";
import { listFlags } from "../../src/flags/queries.ts";
import { migrateStore } from "../../src/store/migrations.ts";
import { openStore } from "../../src/store/store.ts";
import { brief } from "../support/brief.ts";
import { calendarOf } from "../support/calendars.ts";
import { temporaryFolder } from "../support/folder.ts";
import { parsed, readAloud, tagged } from "../support/html.ts";
import { keysOf } from "../support/keys.ts";
import { fullCodebaseReport } from "../support/make/codebase_report.ts";
import { GOOD_PASSWORD } from "../support/operators.ts";
import { pulledTower, pulledWorld } from "../support/pulled.ts";
import { PAGES, ROUTES } from "../support/route_table.ts";
import { sendNightly } from "../support/send_nightly.ts";
import { TOWER_ORIGIN } from "../support/test_tower.ts";
import { call as runCommand } from "./run.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const JOBS_OF_A_NIGHT =
  "sense webmaster-tools analysis calendars panels freshness own-pulse growth bodies attempts scrub token-uses refusals notices".split(
    " ",
  );

const HOST = new URL(TOWER_ORIGIN).host;
const SECRET = `whsec_${Buffer.alloc(32, 7).toString("base64")}`;

/** What others were sent, and the calendar that one of them has. */
const received: string[] = [];
const others = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  fetch: async (request) => {
    const { pathname } = new URL(request.url);
    if (pathname === "/events.ics") return new Response(calendarOf(...EVENTS));
    received.push(`${request.method} ${pathname} ${await request.text()}`);
    return new Response(null, { status: pathname === "/shut" ? 503 : 200 });
  },
});
const EVENTS = [
  { uid: "weekly", start: "20261102T090000Z", rule: "FREQ=WEEKLY;COUNT=6", title: "Stock-taking" },
  { uid: "whole", start: "VALUE=DATE:20261121", title: "Fair" },
  { uid: "local", start: "TZID=Europe/Berlin:20261123T080000", title: "Sale begins" },
  { uid: "once", start: "20261119T100000Z", title: "Autumn sale" },
];

/** What the commands said, in turn. */
const said: string[] = [];
const world = pulledWorld(["harbor.example", "inn.example"], 20_750);
if (world.sites[0]?.webmasterTools !== undefined) world.sites[0].webmasterTools.crawlIssues = [];
delete world.sites[1]?.analytics;
world.accounts = [{ name: "tower" }, { name: "second", sites: ["inn.example"] }];
const folder = temporaryFolder();
const store = openStore(join(folder.path, "tower.db"));
migrateStore(store);
keyAudit(store.main, keysOf(7).forPurpose("audit"));
const hosts = `127.0.0.1:${others.port}`;
const pulled = await pulledTower({
  world,
  at: "2026-11-18T00:30:00Z",
  ground: { store },
  settings: {
    DATA_DIR: folder.path,
    ASSET_TOKENS: "quay.example:token-of-quay-0123456789",
    OUTBOUND_ALLOWED_HOSTS: hosts,
  },
});
const { tower, clock, simulators } = pulled;
const { deps } = tower;
afterAll(async () => {
  await pulled.close();
  await others.stop(true);
  folder[Symbol.dispose]();
});

/** Runs a command, with what its file holds, and keeps what it said; the last word that it printed alone is given back. */
async function call(words: string, file?: string, password?: string): Promise<string> {
  const { exitCode, stdout, stderr } = await runCommand(tower, words, folder.path, file, password);
  said.push(`$ tower ${words}\n${exitCode} ${stdout}${stderr === "" ? "" : `\n! ${stderr}`}`);
  return stdout;
}
/** Sends the Tower's API something with an operator's token. */
async function post(path: string, token: string, body: object): Promise<void> {
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json", host: HOST };
  const sent = new Request(`${TOWER_ORIGIN}${path}`, { method: "POST", headers, body: JSON.stringify(body) });
  said.push(`${path} ${(await tower.tower(sent, () => "192.0.2.7")).status}`);
}

async function night(without?: RegExp): Promise<void> {
  for (const job of JOBS_OF_A_NIGHT) {
    if (without?.test(job) === true) continue;
    clock.advance(MINUTE);
    await call(`job run ${job}`);
  }
  await deps.follower.settle();
}

/** The first day: a portfolio is set up by commands, sends, and is asked about for the first time. */
async function setUp(): Promise<void> {
  const harbor = await call("token issue --asset harbor.example");
  await call("token issue --asset harbor.exampel");
  await call("operator add ben", undefined, GOOD_PASSWORD);
  await call("operator add eve", undefined, GOOD_PASSWORD);
  const ci = await call("token issue --operator ci --scopes ledger,annotations,read");
  await call("asset add harbor.example --url https://harbor.example --group Coast --family signups=d1");
  await call("asset add inn.example --group Coast");
  await call("asset add pier.example --lifecycle pre-launch --url https://pier.example");
  await call("asset remove harbor.exampel");
  await call("credential add webmaster-tools --label second --file -", simulators.webmasterKey("second"));
  await call("credential add serp --file -", simulators.serpLogin());
  await call("panel add harbor.example --keyword boats --location 2840 --depth 40");
  await call("panel add inn.example --keyword rooms --location 2276 --language de --device mobile --every 1");
  await call("calendar add shop --file -", `http://${hosts}/events.ics`);
  await call("calendar add gone --asset inn.example --file -", `http://${hosts}/shut`);
  const hook = (path: string) => JSON.stringify({ url: `http://${hosts}${path}`, secret: SECRET });
  await call("channel add webhook --name all --severity info --resolved --file -", hook("/all"));
  const quiet = "--quiet 22:00-07:00 --digest 08:00 --zone Europe/Berlin";
  await call(`channel add webhook --name coast --group Coast ${quiet} --file -`, hook("/coast"));
  await call("channel add webhook --name shut --sites inn.example --file -", hook("/shut"));
  await call("channel add webhook --name alive --heartbeat --file -", hook("/alive"));
  await call("channel test all");
  const week = (back: number) => 40 + 5 * (back % 7);
  await sendNightly(deps, "harbor.example", utcDayOf(clock.now() - DAY), 45, {
    signups: (back) => (back < 2 ? 3 : week(back)),
    "errors.5xx": (back) => (back === 0 ? 80 : back % 3),
    orders: (back) => (back === 9 ? undefined : week(back) * 3),
  });
  for (const days of [35, 1]) {
    const of = fullCodebaseReport({
      asset: "harbor.example",
      generatedAt: formatInstant(clock.now() - days * DAY),
    });
    const measures = { ...of.measures, code_lines: 30_000 - 300 * days, duplication_percent: 30 - days / 2 };
    await tower.report("/api/codebase-report", { ...of, measures }, harbor);
  }
  await tower.report("/api/pulse", { asset: "harbor.example", metrics: { signups: {} } }, harbor);
  const at = formatInstant(clock.now() - HOUR);
  for (const ref of ["v1", "v2"]) {
    await tower.report("/api/annotations", { asset: "*", at, kind: "deploy", ref, note: "Both" }, ci);
  }
  for (const [place, period] of ["2026-09", "2026-10", "2026-11"].entries()) {
    const revenue = { asset: "harbor.example", source: "shop", currency: "EUR", status: "booked" };
    const cost = { kind: "inference", source: "lab", currency: "USD" };
    for (const [kind, row] of [
      ["revenue", { ...revenue, period, amount: 9_000 + place }],
      ["costs", { ...cost, period, amount: 400 * place, change: "v1" }],
    ] as const) {
      await post(`/api/ledger/${kind}`, ci, row);
    }
  }
  await night(/scrub/);
}

/** The second day: others refuse, break off and tell what cannot be; an operator acts. */
async function suffer(): Promise<void> {
  clock.advance(DAY);
  const [flag] = listFlags(store.db, { rule: "flow-rise" }, 1);
  const [other] = listFlags(store.db, { rule: "codebase-growth" }, 1);
  for (const [path, form] of [
    [`/flags/${flag?.id}/acknowledgement`, {}],
    [`/flags/${flag?.id}/hypothesis`, { text: "The form" }],
    [`/flags/${other?.id}/snooze`, { days: "7" }],
    ["/integrations/pauses", { capability: "search-console.daily", asset: "inn.example", until: "" }],
  ] as const) {
    said.push(`${path.replace(/[0-9a-f-]{36}/, "…")} ${(await tower.ask(path, { form })).status}`);
  }
  for (const password of ["wrong", "wrong again", GOOD_PASSWORD]) {
    said.push(
      `/sign-in ${(await tower.ask("/sign-in", { as: "", form: { name: "ben", password } })).status}`,
    );
  }
  for (const name of ["Hall", "Kitchen"]) {
    await makeKioskToken(deps, name, { actor: "operator:ada", now: clock.now() });
  }
  await call("operator reset ben", undefined, `${GOOD_PASSWORD}!`);
  await call("operator remove eve");
  const { text, digest } = deps.constants.current();
  const ours = '\n[assets."harbor.example".freshness]\nsilent_hours = 60\n';
  said.push(`constants saved: ${(await deps.constants.save(text + ours, { author: "ada" }, digest)).ok}`);
  simulators.script({ kind: "error", error: "tokens-hour" }, { property: "1001", times: 1 });
  simulators.script(
    { kind: "error", error: "forbidden" },
    { property: "sc-domain:harbor.example", times: 3 },
  );
  simulators.script({ kind: "cut-json" }, { property: "https://inn.example/", times: 2 });
  simulators.script({ kind: "error", error: "40101" }, { server: "serp", times: 1 });
  await night();
  simulators.calm();
}

/** The third day: figures changed meanwhile, an account has another key, a property goes to another site. */
async function change(): Promise<void> {
  clock.advance(DAY);
  const [harbor] = world.sites;
  const day = Math.floor(clock.now() / DAY);
  if (harbor !== undefined) {
    harbor.changes = [{ from: day - 2, to: day, factor: 0.2 }];
    harbor.revisions = [{ from: day - 9, to: day - 8, factor: 1.5, at: clock.now() }];
  }
  await call(
    `credential add webmaster-tools --replace ${pulled.credentials.webmaster} --file -`,
    "0".repeat(32),
  );
  await call("property detach inn.example --provider search-console");
  await call("asset add pier.example --lifecycle live");
  await call("operator remove nobody");
  await night(/analysis|scrub/);
  clock.advance(7 * HOUR);
  for (const job of ["sense", "webmaster-tools", "notices", "freshness"]) await call(`job run ${job}`);
  await deps.follower.settle();
}

/** Two months later, of which the service knows nothing: what is old is packed, what lapsed is said so. */
async function comeBack(): Promise<void> {
  clock.advance(60 * DAY);
  await call("channel pause coast");
  await night();
  await call("panel remove nothing");
  await call("calendar remove gone");
  await call("channel remove shut");
}

await setUp();
await suffer();
await change();
await comeBack();

/** As it is on every machine and in every run: ports, folders, the release and the bytes of random keys are left out. */
const plain = (text: string): string =>
  text
    .replaceAll(TOWER_COMMAND, "tower")
    .replaceAll(folder.path, "/data")
    .replaceAll(towerVersion(), "VERSION")
    .replaceAll(/(127\.0\.0\.1|localhost):\d+/g, "$1:PORT")
    .replaceAll(/\b0{8}-0000-7000-8000-\d{12}\b|\b[0-9a-f]{32}\b/g, "ID")
    .replaceAll(/-[0-9a-f]{64}\.json/g, "-HEX.json")
    .replaceAll(/"(id|session)":"[a-z0-9]{8,16}"/g, '"$1":"ID"')
    .replaceAll(/\b(archive|pull|panel|calendar):\d+/g, "$1:N")
    .replaceAll(/"reports":\{([^}]*)\}/g, (_, counts: string) => `"reports":{${counts.split(",").sort()}}`)
    .replaceAll(/"manifest":\d+/g, '"manifest":0')
    .replaceAll(/\b\d+(?:\.\d+)? [KM]iB/g, "SIZE")
    .replaceAll(/\bas of \d[\w :]+ UTC/g, "as of THEN")
    .replaceAll(/\b\d+\.\d s\b/g, "SECONDS");

/** Providers are asked side by side: which of two things of one moment came first differs from run to run. */
function orderless(value: unknown): unknown {
  if (Array.isArray(value)) {
    const items = value.map((item) => JSON.stringify(orderless(item)));
    const timeOf = (text: string) => /\d{4}-\d\d-\d\dT[\d:.]+Z/.exec(text)?.[0] ?? text;
    const turns = items.reduce<string[][]>((found, item) => {
      const last = found.at(-1);
      if (last?.[0] !== undefined && timeOf(plain(last[0])) === timeOf(plain(item))) last.push(item);
      else found.push([item]);
      return found;
    }, []);
    return turns
      .flatMap((turn) => turn.sort((one, two) => (plain(one) < plain(two) ? -1 : 1)))
      .map((item) => JSON.parse(item));
  }
  if (typeof value !== "object" || value === null) return value;
  const kept = Object.entries(value)
    .sort(([one], [two]) => (one < two ? -1 : 1))
    .filter(([key, held]) => !(typeof held === "number" && /^(?:id|manifest)$/.test(key)));
  return Object.fromEntries(kept.map(([key, held]) => [key, orderless(held)]));
}

const recorded = (lines: readonly string[]) => expect(`\n${plain(lines.join("\n"))}\n`).toMatchSnapshot();

test("the commands of four days", () => recorded(said));

test("what providers were asked, each question once with how often", () => {
  const questions = simulators.log.map(({ server, operation, property, body, status, fault = "" }) =>
    [server, operation, property, status, fault, brief(body, 900)].join(" "),
  );
  recorded(
    [...new Set(questions)]
      .sort()
      .map((one) => `${questions.filter((other) => other === one).length} ${one}`),
  );
});

test("what others were sent", () => recorded(received.map((one) => brief(plain(one), 2_000)).sort()));

test("the log", () => {
  recorded(
    tower.lines.map(({ level, message, properties }) => `${level} ${message} ${JSON.stringify(properties)}`),
  );
});

const READ = Object.keys(ROUTES).flatMap(
  (name) => /^tower GET (\/(?:api\/|healthz|readyz|openapi).*)$/.exec(name)?.[1] ?? [],
);
const ASKED = [
  ...READ.filter((path) => !/:id|:sha256/.test(path)).map((path) => path.replace(":asset", "harbor.example")),
  "/api/annotations?asset=inn.example&kind=external",
  "/api/annotations?since=2026-11-18T00:00:00Z&until=2026-11-19T00:00:00Z&limit=1",
  "/api/ledger?kind=inference&limit=2",
  "/api/ledger?period=2026-10&currency=EUR",
  "/api/assets?limit=1",
  "/api/assets?group=Coast",
  "/api/assets/inn.example/signals?source=webmaster-tools",
  "/api/assets/inn.example/panels?limit=1",
  "/api/assets/nobody/signals",
  "/api/flags?status=open&asset=harbor.example",
  "/api/flags?severity=error&limit=1",
  "/api/flags?rule=flow-drop",
  "/api/notices?channel=all&limit=2",
  "/api/runs?job=sense",
  "/api/archive/manifest?asset=inn.example&outcome=failed",
  `/api/archive/manifest?object=${"AB".repeat(32)}`,
  "/api/integrations/health?asset=inn.example",
  "/api/attention?limit=2",
  "/api/flags?limit=0",
  "/api/flags?cursor=x",
  "/api/nothing",
];
interface Page {
  readonly items?: readonly unknown[];
  readonly next?: string | null;
}
test.each(ASKED)("GET %s", async (path) => {
  const response = await tower.ask(path);
  const { status, headers } = response;
  const told = ["content-type", "cache-control", "link", "retry-after"].map(
    (name) => headers.get(name) ?? "",
  );
  const body = (await response.json()) as Page;
  const items: unknown[] = [];
  for (let next = body.next; typeof next === "string"; ) {
    const more = `${path}${path.includes("?") ? "&" : "?"}cursor=${encodeURIComponent(next)}`;
    const page = (await (await tower.ask(more)).json()) as Page;
    items.push(...(page.items ?? []));
    next = page.next;
  }
  recorded([
    `${status} ${told.join(" | ")}`,
    brief(plain(JSON.stringify(orderless(body), null, 1)), 30_000),
    `${items.length} on further pages: ${brief(plain(JSON.stringify(orderless(items))), 600)}`,
  ]);
});

const OF_THE_MACHINE =
  /^(?:# \w+ )?(?:process_|nodejs_|bun_|tower_wal_bytes|tower_database_bytes|tower_\w+_seconds_(?:bucket|sum))/;
test("GET /metrics", async () => {
  const lines = (await (await tower.ask("/metrics?asset=*")).text()).split("\n");
  recorded(lines.filter((line) => !OF_THE_MACHINE.test(line)));
});

test("every command's help and list", async () => {
  said.length = 0;
  for (const { name, takes } of COMMANDS) {
    if (!/ (?:list|plan)$|^check$/.test(name)) continue;
    if (takes.length === 0) await call(name);
    if (takes.length === 0 && name.endsWith(" list")) await call(`${name} --json`);
  }
  await call(`property list ${pulled.credentials.google}`);
  await call(`credential test ${pulled.credentials.google}`);
  await call("rules run");
  await call("backup kept.tower");
  const { exitCode, stdout, stderr } = await restore.run(
    readConfig({ DATA_DIR: join(folder.path, "again") }),
    {
      args: ["kept.tower", "--unverified-origin"],
      cwd: folder.path,
    },
  );
  said.push(`$ tower restore kept.tower\n${exitCode} ${stdout}\n! ${stderr}`);
  recorded([...COMMANDS.map(helpOf), ...said]);
});

/** Names of other rows: numbers in the order in which answers came. */
const PLACES =
  /^(?:id|run|report|object|pack|place|attempt|series|latest|good|usable|due_at|first|last|manifest|pulse|notice|flag|chain|renews|renewed_by)$/;
const OPAQUE =
  /^(?:sealed|key_id|hash|previous_hash|mac|data|checksum|bytes|digest|sha256|start|password_hash)$/;

test("what every command says of nothing and of nonsense", async () => {
  said.length = 0;
  for (const { name, takes } of COMMANDS) {
    await call(`${name} --nonsense`);
    if (takes.length > 0 && name !== "backup")
      await call(`${name} ${takes.map(() => "al").join(" ")}`, "", "al");
  }
  const bad = "kind,amount,currency,period,source\nhosting,-1,EUR,2026-13,\n,1.5,XXX,2026-01,a\n";
  await call("ledger import costs bad.csv", Buffer.from(bad).toString("base64"));
  recorded(said);
});

test("the tables", () => {
  const names = store.raw
    .query<{ name: string }, []>(
      "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%' AND name NOT LIKE '!_!_%' ESCAPE '!' ORDER BY name",
    )
    .all()
    .map(({ name }) => name);
  const rowsOf = (name: string) =>
    store.raw.query<Record<string, unknown>, []>(`SELECT * FROM "${name}"`).all();
  const targets = new Map(
    ["pull", "archive"].map((of) => [
      of,
      new Map(
        rowsOf(`${of}_target`).map(({ id, asset, provider, family = "" }) => [
          id,
          `${asset} ${provider} ${family}`,
        ]),
      ),
    ]),
  );
  const written = (table: string, [column, value]: [string, unknown]): string[] => {
    if (PLACES.test(column) || OPAQUE.test(column)) return [];
    if (column === "target") return (targets.get(table.split("_")[0] ?? "")?.get(value) ?? "").split("\n", 1);
    return [brief(`${column} ${value instanceof Uint8Array ? bytesOf(value) : plain(String(value))}`, 200)];
  };
  recorded(
    names.flatMap((name) => {
      const rows = rowsOf(name).map((row) =>
        Object.entries(row)
          .flatMap((held) => written(name, held))
          .join("; "),
      );
      rows.sort();
      return [`== ${name} ${rows.length}`, ...rows.slice(0, 60), brief(rows.slice(60).join("\n"), 0)];
    }),
  );
});

/** A line of a page; names that are numbers in the order in which answers came are left out. */
const lineOf = (line: string) =>
  brief(
    plain(line)
      .replaceAll(/\b(archive\/reports\/|attempt-|report-row-|before=)\d+/g, "$1N")
      .replaceAll(/(?<=archive\/reports\/N\] )\d+|\b[0-9a-f]{16}\b/g, "STAMP"),
    500,
  );
/** Pages of what came of it, each as its lines whatever their order: those of one moment stand as their answers came. */
const SHOWN = [
  ...PAGES.filter(
    (path) => !/:(?!asset)|sign-in|setup|help|\/flags|attempts|settings\/wall|^\/archive/.test(path),
  ).flatMap((path) =>
    path.includes(":asset")
      ? ["harbor.example", "inn.example", "pier.example"].map((name) => path.replace(":asset", name))
      : path,
  ),
  "/sites/harbor.example/insights?report=webmaster-tools.crawl-issues",
  "/sites/inn.example/insights?report=search-console.query&sort=-clicks",
  "/sites/harbor.example/metric?metric=signups",
  "/sites/harbor.example/metric?source=search-console&metric=clicks",
  "/integrations/all?state=failing",
  "/flags?status=resolved",
  "/settings/notices?outcome=failed",
];
async function recordPage(path: string): Promise<void> {
  const page = parsed(await (await tower.ask(path)).text());
  const [main = page] = tagged(page, "main");
  recorded(readAloud(main).map(lineOf).sort());
}
test.each(SHOWN)("page %s", recordPage);

test("the page of a flag of each rule", async () => {
  const nameOf = ({ rule, asset, subject, raised_at }: FlagRow) => `${rule} ${asset} ${subject} ${raised_at}`;
  const sorted = listFlags(store.db, {}, 500).toSorted((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1));
  for (const { id } of new Map(sorted.map((one) => [one.rule, one])).values())
    await recordPage(`/flags/${id}`);
});

/** Bytes as text where they are compressed. */
function bytesOf(value: Uint8Array): string {
  const bytes = Buffer.from(value);
  return bytes.readUInt32BE(0) === 0x28b52ffd ? String(Bun.zstdDecompressSync(bytes)) : bytes.toString("hex");
}
