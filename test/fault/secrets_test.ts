/**
 * Secrets of providers' accounts, planted and then looked for in bytes: in every file of the data folder, in backups, in what the
 * service and the commands wrote, in pages and answers of the API, and in the list of processes. Whatever a provider says of them is
 * said back by the simulators, too. What is kept and told of the health of all that is looked at row by row, for the tokens of senders
 * and for what stood in reports that were refused as well.
 */

import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { askService } from "../../src/app/control.ts";
import { type Simulators, startSimulators } from "../../src/demo/simulator/simulators.ts";
import { temporaryFolder } from "../support/folder.ts";
import { PAGES } from "../support/route_table.ts";
import { bareEnvironment, finished, startService } from "../support/service.ts";
import { words } from "../support/words.ts";

const ACCOUNT = "canary-account";
const site = (name: string, property: string) => ({
  name,
  visitsPerDay: 60,
  firstDay: 20_000,
  analytics: { property, timeZone: "Europe/Paris" },
  searchConsole: { property: `sc-domain:${name}` },
  webmasterTools: { property: `https://${name}/` },
});
const WORLD = {
  sites: [site("harbor.example", "1001"), site("orchard.example", "1002")],
  accounts: [{ name: ACCOUNT }, { name: "second-canary" }],
};
/** Stood in reports and annotations that were refused. */
const REFUSED = "canary-of-a-refused-report";
/** Where the health of integrations is kept and told. */
const HEALTH =
  /^(the rows of health|GET (\/api\/integrations\/health|\/health|\/integrations|\/wall|\/sites\/:asset\/integrations))\b/;
/** Under this name providers say back what they were asked with. */
const SAID_BACK = "said_back";
/** Stands in the label of the account: what is shown must be found, or nothing is looked at. */
const SHOWN = "a-label-that-is-shown";

/** The ways in which a text may have been written. */
function formsOf(text: string): Buffer[] {
  const base64 = [0, 1, 2].map((shift) =>
    Buffer.from("x".repeat(shift) + text)
      .toString("base64")
      .slice(shift === 0 ? 0 : 4, -4),
  );
  return [text, encodeURIComponent(text), Buffer.from(text).toString("hex"), ...base64].map((form) =>
    Buffer.from(form),
  );
}

/** What may be found nowhere, by what it is. */
function secretsOf(simulators: Simulators, files: readonly string[]): [what: string, text: string][] {
  const accounts = files.map((file) => JSON.parse(file) as Record<string, string>);
  return [
    ...accounts.flatMap(
      ({ private_key = "", private_key_id = "", client_email = "" }): [string, string][] => [
        // A line of the middle: the same as it stands in PEM and in JSON.
        ["a private key", private_key.split("\n")[9] ?? private_key],
        ["a private key's id", private_key_id],
        ["an account's address", client_email],
      ],
    ),
    ...WORLD.accounts.map(({ name }): [string, string] => ["a key", simulators.webmasterKey(name)]),
    ["an access token", "ya29.c."],
    ["a signed assertion", Buffer.from('{"alg":"RS256"').toString("base64").slice(0, 18)],
  ];
}

/** Every row of the tables of health, as text. */
function healthRows(path: string): string {
  using database = new Database(path, { readonly: true });
  return words("health_target health_state health_event health_pause monitoring_event monitoring_failure")
    .map((table) => `${table} ${JSON.stringify(database.query(`SELECT * FROM ${table}`).all())}`)
    .join("\n");
}

function filesBelow(path: string): string[] {
  return readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}

test("no secret of an account is in any file, output, page, answer or list of processes", async () => {
  using folder = temporaryFolder();
  const simulators = startSimulators({ now: () => Date.now(), seed: 11, world: WORLD });
  const settings = {
    DATA_DIR: join(folder.path, "data"),
    INGEST_PORT: "0",
    TOWER_PORT: "0",
    LOG_LEVEL: "debug",
    TRUSTED_AUTH_HEADER: "x-operator",
    ...simulators.settings,
  };
  const said: [where: string, text: string][] = [];
  const tower = async (words: string, given?: string): Promise<string> => {
    const child = Bun.spawn(
      [process.execPath, join(import.meta.dir, "../../src/cli.ts"), ...words.split(" ")],
      {
        cwd: folder.path,
        env: { ...bareEnvironment(), ...settings },
        stdin: given === undefined ? "ignore" : new Blob([given]),
        stdout: "pipe",
        stderr: "pipe",
      },
    );
    const listed = readFileSync(`/proc/${child.pid}/cmdline`, "latin1");
    const { out, err } = await finished(child);
    said.push([`tower ${words}`, `${listed}\n${out}\n${err}`]);
    return out;
  };
  /** The same of the running service, as the command's own process asks it. */
  const again = async (words: string, file?: string): Promise<string> => {
    const [noun = "", verb = "", ...args] = words.split(" ");
    const given = { args, cwd: folder.path, ...(file !== undefined && { file }) };
    const outcome = await askService(settings.DATA_DIR, `${noun} ${verb}`, given);
    if (outcome === undefined) throw new Error(`the service did not answer ${words}`);
    said.push([`tower ${words}, again`, `${outcome.stdout}\n${outcome.stderr}`]);
    return outcome.stdout;
  };
  const [first, second] = [
    simulators.serviceAccount({ account: ACCOUNT }),
    simulators.serviceAccount({ account: "second-canary" }),
  ];
  const [key, otherKey] = [simulators.webmasterKey(ACCOUNT), simulators.webmasterKey("second-canary")];
  const secrets = secretsOf(simulators, [first, second]);
  const ofSenders: [what: string, text: string][] = [["what a refused report held", REFUSED]];
  /** Providers that say back whatever they know. */
  const echo = secrets.map(([, text]) => text).join(" ");

  await tower("asset add harbor --url https://harbor.example");
  const service = await startService(settings);
  let errors = "";
  try {
    await tower("operator add ada", "green-lantern-orbit-42\n");
    const idIn = (out: string) => (JSON.parse(out) as { id: string }).id;
    const google = idIn(await tower(`credential add analytics --file - --label ${SHOWN}`, first));
    await again("credential add search-console --file -", first);
    const bing = idIn(await again("credential add webmaster-tools --file -", key));
    // Refused ones, too: cut short, of another kind, with a slip.
    await tower("credential add analytics --file -", first.slice(0, -30));
    await again("credential add webmaster-tools --file -", first);
    await again("credential add analytics --file -", key);
    await again("credential add analytics --file -", first.replace("service_account", key));
    await again("credential add webmaster-tools --file -", `${key} ${otherKey}`);
    await again(`property attach harbor --credential ${google} --property 1001`);
    await again(`property attach harbor --credential ${google} --property sc-domain:harbor.example`);
    await again(`property attach harbor --credential ${bing} --property https://harbor.example/`);
    for (const words of ["--asset harbor", "--operator ci --scopes annotations"]) {
      const token = (await again(`token issue ${words}`)).trim();
      ofSenders.push(["a sender's token", token.split("_").at(-1) ?? token]);
      const body = JSON.stringify({
        asset: "harbor",
        generatedAt: REFUSED,
        kind: REFUSED,
        note: REFUSED,
        [REFUSED]: 1,
      });
      const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
      for (const path of ["/api/pulse", "/api/codebase-report", "/api/annotations"]) {
        await fetch(`${service.ingestUrl}${path}`, { method: "POST", headers, body });
      }
    }
    const json = { "content-type": "application/json" };
    for (const server of [
      "token",
      "analyticsData",
      "analyticsAdmin",
      "searchConsole",
      "webmasterTools",
    ] as const) {
      for (const fault of [
        {
          kind: "answer",
          answer: {
            status: 400,
            headers: json,
            body: JSON.stringify({ error: echo, ErrorCode: 3, Message: echo }),
          },
        },
        {
          kind: "answer",
          answer: {
            status: 403,
            headers: json,
            body: JSON.stringify({ error: { code: 403, message: echo, status: echo } }),
          },
        },
        { kind: "text", text: `<html>${echo}</html>`, status: 502 },
        { kind: "text", text: `{"d":[{"${echo}`, status: 200 },
        { kind: "redirect", to: `http://127.0.0.1:1/?${encodeURIComponent(echo)}` },
        { kind: "reset" },
      ] as const) {
        simulators.script(fault, { server, times: 3 });
      }
      const id = server === "webmasterTools" ? bing : google;
      await again(`credential test ${id}`);
      await again(`property list ${id}`);
      await again(server === "webmasterTools" ? "job run webmaster-tools" : "job run sense");
      await fetch(`${service.towerUrl}/sites/harbor`, { headers: { "x-operator": "ada" } });
      simulators.calm();
    }
    await again(`credential add analytics --file - --replace ${google}`, second);
    await again(`credential add webmaster-tools --file - --replace ${bing}`, otherKey);
    for (const words of [`credential test ${google}`, `credential test ${bing}`, `property list ${google}`])
      await again(words);
    await again("job run sense");
    await again("job run webmaster-tools");
    // What is archived is what the provider said, but for these.
    for (const [server, ofAccount] of [
      ["analyticsData", second],
      ["searchConsole", second],
      ["webmasterTools", otherKey],
    ] as const) {
      const beside = (answer: object) => ({ ...answer, [SAID_BACK]: ofAccount });
      simulators.script({ kind: "bent", bend: beside }, { server, times: 999 });
    }
    await again("job run analysis");
    simulators.calm();
    await again("credentials-key rotate");
    await again("job run refusals");
    await again("job run nope");
    await again("credential list --json");
    for (const words of ["credential list", "backup one.backup", "check"]) await tower(words);
    // The same by the forms of a page: refused ones show what was typed, but for the secret.
    const form = { kind: "google-service-account", providers: "analytics", label: "typed" };
    for (const [path, fields] of [
      ["/settings/credentials/new", { ...form, secret: first.slice(0, -30) }],
      ["/settings/credentials/new", { ...form, secret: first, label: "a@b.example" }],
      ["/settings/credentials/new", { ...form, kind: "webmaster-tools-key", secret: `${key} ${otherKey}` }],
      ["/settings/credentials/new", { ...form, file: first, secret: key }],
      [`/settings/credentials/${google}/replacement`, { secret: key }],
      [`/settings/credentials/${google}/replacement`, { secret: first }],
      [`/settings/credentials/${google}/test`, {}],
      [`/settings/credentials/${bing}/discovery`, {}],
    ] as const) {
      const answer = await fetch(`${service.towerUrl}${path}`, {
        method: "POST",
        redirect: "manual",
        headers: { "x-operator": "ada", origin: service.towerUrl },
        body: new URLSearchParams(fields),
      });
      const text = await answer.text();
      said.push([`POST ${path} ${answer.status}`, `${JSON.stringify([...answer.headers])}\n${text}`]);
    }
    const asked = [
      `/settings/credentials/${google}`,
      ...PAGES,
      "/api/assets",
      "/api/runs",
      "/api/archive/manifest",
      "/api/assets/:asset/signals",
      "/api/flags",
      "/api/integrations/health",
      "/api/integrations/health?asset=harbor",
      "/metrics",
      "/openapi",
    ];
    for (const path of asked) {
      const address = path.replace(":asset", "harbor").replaceAll(/:\w+/g, "1");
      const answer = await fetch(`${service.towerUrl}${address}`, { headers: { "x-operator": "ada" } });
      said.push([
        `GET ${path} ${answer.status}`,
        `${JSON.stringify([...answer.headers])}\n${await answer.text()}`,
      ]);
    }
    for (const name of ["cmdline", "environ"])
      said.push([`the service's ${name}`, readFileSync(`/proc/${service.pid}/${name}`, "latin1")]);
    said.push(["the rows of health", healthRows(join(settings.DATA_DIR, "tower.db"))]);
    // While it runs, with its log, and after it has ended.
    mkdirSync(join(folder.path, "running"));
    for (const path of filesBelow(settings.DATA_DIR))
      writeFileSync(join(folder.path, "running", path.replaceAll("/", "_")), readFileSync(path));
    await again(`credential remove ${google}`);
    expect(await service.end("SIGTERM")).toBe(0);
  } finally {
    await service.end("SIGKILL");
    errors = await service.errors();
    simulators.stop();
  }
  said.push(["the service's log", `${service.said}\n${errors}`]);

  const places: [string, Buffer][] = [
    ...said.map(([where, text]): [string, Buffer] => [where, Buffer.from(text)]),
    ...filesBelow(folder.path).map((path): [string, Buffer] => [
      path.slice(folder.path.length),
      readFileSync(path),
    ]),
  ];
  const archived = places.flatMap(([where, bytes]): [string, Buffer][] =>
    where.endsWith(".gz")
      ? [[`${where}, unpacked`, Buffer.from(Bun.gunzipSync(Uint8Array.from(bytes)))]]
      : [],
  );
  const withHoles = archived.filter(([, bytes]) => bytes.includes(Buffer.from(SAID_BACK)));
  expect(withHoles.length).toBeGreaterThan(30);
  for (const [, bytes] of withHoles) expect(bytes.toString()).toContain("[secret]");
  places.push(...archived);
  const found = places.flatMap(([where, bytes]) =>
    secrets
      .filter(([, text]) => formsOf(text).some((form) => bytes.includes(form)))
      .map(([what]) => `${what} in ${where}`),
  );
  expect([...new Set(found)]).toStrictEqual([]);
  const ofHealth = said.filter(([where]) => HEALTH.test(where));
  const told = ofHealth.flatMap(([where, text]) =>
    ofSenders
      .filter(([, secret]) => formsOf(secret).some((form) => Buffer.from(text).includes(form)))
      .map(([what]) => `${what} in ${where}`),
  );
  expect([ofSenders.length, told]).toEqual([3, []]);
  // Where they were shown once they are found.
  const shownOnce = ofSenders.filter(([, secret]) => said.some(([, text]) => text.includes(secret)));
  expect(shownOnce.map(([what]) => what)).toEqual(["a sender's token", "a sender's token"]);
  // Of each of them it is told that it failed, and why: what is looked through is there.
  const [, rows = ""] = said.find(([where]) => where === "the rows of health") ?? [];
  for (const capability of [
    ...["daily", "connection-test", "site-discovery"].flatMap((kind) => [
      `analytics.${kind}`,
      `search-console.${kind}`,
      `webmaster-tools.${kind}`,
    ]),
    "analytics.realtime",
    "analytics.hourly",
    "ingest.nightly",
    "ingest.codebase",
    "annotations.post",
  ]) {
    expect(rows).toContain(`"capability":"${capability}"`);
  }
  expect(rows).toMatch(/"change":"first_failure","category":"access"/);
  const read = ofHealth.filter(([where]) => / 200$/.test(where));
  expect(read.filter(([where]) => where.startsWith("GET /api/")).map(([, text]) => text)).toEqual([
    expect.stringContaining("analytics.daily"),
    expect.stringContaining("analytics.daily"),
  ]);
  expect(read.map(([where]) => where)).toEqual(
    expect.arrayContaining(["GET /integrations 200", "GET /wall 200"]),
  );
  // What is shown is found, in the database, in a backup and on the terminal: these are the places, and this is how they are looked at.
  const shown = places.filter(([, bytes]) => bytes.includes(Buffer.from(SHOWN))).map(([where]) => where);
  expect(shown).toContain("/one.backup");
  expect(shown).toContain("tower credential list");
  expect(shown.some((where) => where.endsWith("tower.db") || where.endsWith("tower.db-wal"))).toBe(true);
  const answered = said.filter(([where]) => /^GET .* 200$/.test(where)).length;
  const statuses = said.flatMap(([where]) => /^POST .* (\d+)$/.exec(where)?.[1] ?? []);
  expect(statuses).toEqual(["422", "422", "422", "422", "422", "303", "303", "303"]);
  expect([answered > 20, simulators.exchanges > 0]).toEqual([true, true]);
});
