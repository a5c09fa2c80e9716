/** The API's description against what the API answers: every route, every field of every answer, every refusal. */

import { afterAll, beforeAll, expect, test } from "bun:test";
import { createIngest } from "../../src/app/ingest_app.ts";
import { ENDPOINTS, openApiDocument } from "../../src/app/openapi.ts";
import { createTower } from "../../src/app/tower_app.ts";
import { HEADERS, type Json, PROBLEM } from "../../src/base/api_description.ts";
import { readContract } from "../../src/base/contract.ts";
import { formatInstant } from "../../src/base/time.ts";
import { towerVersion } from "../../src/base/version.ts";
import type { Payload } from "../../src/notices/channel_settings.ts";
import { openNewFolder } from "../support/data_folder.ts";
import { undescribed } from "../support/described.ts";
import { words } from "../support/words.ts";
import { run } from "./run.ts";

const INGEST = "http://127.0.0.1:4610";
const TOWER = "http://127.0.0.1:4611";
const ports = () => ({ ingest: 4610, tower: 4611 });

const opened = await openNewFolder();
const { deps } = opened;
const listeners = { [INGEST]: createIngest(deps, ports), [TOWER]: createTower(deps, ports) };
const document = openApiDocument({ ingest: INGEST, tower: TOWER });
const tokenOf = async (words: string) => (await run(opened, `token issue ${words}`)).stdout;
let site = "";
let operator = "";

beforeAll(async () => {
  site = await tokenOf("--asset harbor");
  operator = await tokenOf("--operator ci --scopes annotations,ledger,read,health:read");
});
afterAll(() => opened[Symbol.dispose]());

/** Every text of a description, in the order in which it is read. */
function textsIn(value: unknown): string[] {
  if (typeof value === "string") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(textsIn) : [];
}

test("what it says of itself, and what its examples say, is recorded", () => {
  const { paths, components, ...rest } = document as Record<string, Record<string, unknown>>;
  const parts = { service: rest, ...paths, ...(components?.["schemas"] as object), components };
  // Each part with a digest of all of it, bounds and kinds as well, and then the texts that were not said before.
  const said = new Set([towerVersion()]);
  const lines = Object.entries(parts).flatMap(([name, part]) => {
    const whole = JSON.stringify(part).replaceAll(towerVersion(), "");
    const news = textsIn(part).filter((text) => !text.startsWith("#/") && !said.has(text) && said.add(text));
    return [`# ${name} ${Bun.hash.crc32(whole).toString(16)}`, ...news];
  });
  expect(lines.join("\n")).toMatchSnapshot();
});

interface Sent {
  readonly body?: unknown;
  readonly token?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Sends a request and gives its status with everything in the answer that the description of its route does not say. */
async function ask(base: keyof typeof listeners, method: "GET" | "POST", path: string, sent: Sent = {}) {
  const { body, token, headers } = sent;
  const response = await (listeners[base] as (typeof listeners)[typeof INGEST])(
    new Request(`${base}${path}`, {
      method,
      headers: {
        host: base.slice("http://".length),
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
    }),
  );
  const answer = (await response.json()) as Record<string, unknown>;
  const said = describedAnswer(method, path, response.status);
  const schema = said?.content?.[(response.headers.get("content-type") ?? "").split(";")[0] ?? ""]?.schema;
  const code = typeof answer["type"] === "string" ? answer["type"].replace("/problems/", "") : undefined;
  const faults =
    schema === undefined
      ? [`${response.status} ${response.headers.get("content-type")} is not described`]
      : undescribed(document, schema, answer);
  if (code !== undefined && !said?.description.includes(`\`${code}\``))
    faults.push(`${code} is not described`);
  for (const name of Object.keys(HEADERS)) {
    const isSaid = Object.hasOwn(said?.headers ?? {}, name);
    if (response.headers.has(name) && !isSaid) faults.push(`the header ${name} is not described`);
  }
  return { status: response.status, answer, faults };
}

interface Described {
  readonly description: string;
  readonly headers?: Json;
  readonly content?: Readonly<Record<string, { readonly schema: Json }>>;
}

interface Operation {
  readonly operationId: string;
  readonly tags: readonly string[];
}

function describedAnswer(method: string, path: string, status: number): Described | undefined {
  const route = path
    .split("?")[0]
    ?.replace(/^\/api\/assets\/[^/]+\//, "/api/assets/{asset}/")
    .replace(/^\/api\/flags\/[^/]+$/, "/api/flags/{id}");
  const routes = document["paths"] as Record<
    string,
    Record<string, { responses: Record<string, Described> }>
  >;
  return routes[route ?? ""]?.[method.toLowerCase()]?.responses[status];
}

const generatedAt = formatInstant(deps.clock.now() - 60_000);
const PULSE = {
  asset: "harbor",
  generatedAt,
  capabilities: ["sales"],
  metrics: { "sales.orders": { last24h: 3, avg7d: 2.5, total: 1_200 } },
  negativeByPage: [{ page: "/", count: 1 }],
  flags: [{ severity: "warn", kind: "milestone", metric: "sales", msg: "A thousand." }],
  typo: 1,
};
const CODEBASE = {
  asset: "harbor",
  generatedAt,
  repository: {
    remote: "https://git.example",
    ref: "main",
    commit: "a".repeat(40),
    committedAt: generatedAt,
  },
  paths: ["src"],
  tools: { image: "measure@sha256:1", lines: "1.0.0" },
  measures: { code_lines: 10, duplication_percent: 9 },
  unmeasured: { files: "not asked" },
  byLanguage: [{ language: "TypeScript", files: 1, code_lines: 10 }],
  findings: { duplicates: [{ lines: 3, files: [{ path: "a.ts", startLine: 1 }] }], unused: [] },
};
const ANNOTATION = { asset: "harbor", at: generatedAt, kind: "deploy", ref: "v1", typo: 1 };

test("what is stored is answered as it is described, on the way in and on the way out", async () => {
  const faults: string[] = [];
  const good = async (...asked: Parameters<typeof ask>) => {
    const { status, answer, faults: found } = await ask(...asked);
    if (status > 201) found.push(`${status} ${JSON.stringify(answer)}`);
    faults.push(...found.map((fault) => `${asked[1]} ${asked[2]}: ${fault}`));
    return answer;
  };
  await good(INGEST, "POST", "/api/pulse", { body: PULSE, token: site });
  await good(INGEST, "POST", "/api/codebase-report", { body: CODEBASE, token: site });
  await good(INGEST, "POST", "/api/codebase-report", { body: CODEBASE, token: site });
  for (const base of [INGEST, TOWER] as const) {
    await good(base, "POST", "/api/annotations", { body: ANNOTATION, token: operator });
  }
  const [asset, period, amount, currency] = ["harbor", "2026-01", 125, "EUR"];
  const row = { asset, period, source: "a", amount, currency, typo: 1 };
  const estimate = { ...row, status: "estimated", low: 100, high: 150 };
  await good(TOWER, "POST", "/api/ledger/revenue", { body: estimate, token: operator });
  for (const kind of ["external_api", "external_api"]) {
    await good(TOWER, "POST", "/api/ledger/costs", { body: { ...row, kind }, token: operator });
  }
  for (const path of ["/healthz", "/readyz", "/openapi"]) await good(TOWER, "GET", path);
  const health = await good(TOWER, "GET", "/api/integrations/health", { token: operator });
  expect(health["capabilities"]).not.toBeEmpty();
  const lists = words("assets annotations ledger flags assets/harbor/pulses assets/harbor/codebase-reports");
  for (const list of lists) {
    const { items } = await good(TOWER, "GET", `/api/${list}`, { token: operator });
    expect(items).not.toBeEmpty();
    for (const { id } of list === "flags" ? (items as { id: string }[]) : []) {
      await good(TOWER, "GET", `/api/flags/${id}`, { token: operator });
    }
  }
  expect(faults).toStrictEqual([]);
});

test("each filter that a list knows is described, and no other", async () => {
  for (const path of words(`
    /api/assets /api/annotations /api/ledger /api/flags /api/assets/harbor/pulses
    /api/assets/harbor/codebase-reports /api/integrations/health
  `)) {
    const unknown = await ask(TOWER, "GET", `${path}?colour=red`, { token: operator });
    const known = /known are (.*)\.$/.exec(String(unknown.answer["detail"]))?.[1]?.split(", ");
    expect(`${path} ${known?.toSorted().join(" ")}`).toBe(`${path} ${queryOf(path).toSorted().join(" ")}`);
  }
});

function queryOf(path: string): string[] {
  const routes = document["paths"] as Record<string, { get: { parameters: { name: string; in: string }[] } }>;
  const { get } = routes[path.replace("harbor", "{asset}")] ?? {};
  return (get?.parameters ?? []).flatMap((one) => (one.in === "query" ? [one.name] : []));
}

test("a site's reports asked for with another site's name are none, not that site's own", async () => {
  await ask(INGEST, "POST", "/api/pulse", { body: PULSE, token: site });
  const read = async (asset: string) =>
    (await ask(TOWER, "GET", `/api/assets/harbor/pulses?asset=${asset}`, { token: operator })).answer[
      "items"
    ];
  expect(await read("harbor")).not.toBeEmpty();
  expect(await read("orchard")).toStrictEqual([]);
});

test("every example keeps what it is an example of", () => {
  const faults = ENDPOINTS.flatMap(({ id, takes, answers }) => {
    const judged = takes === undefined ? undefined : readContract(takes.schema, takes.example);
    const kept = judged === undefined || (judged.ok && judged.ignored.length === 0);
    return [
      ...(kept ? [] : [`${id}: the contract refuses the body`]),
      ...Object.entries(answers).flatMap(([status, { shape, example }]) =>
        shape === undefined || (shape["properties"] === undefined && shape["type"] === "object")
          ? []
          : undescribed(document, shape, example).map((fault) => `${id} ${status}: ${fault}`),
      ),
    ];
  });
  expect(faults).toStrictEqual([]);
  const [example] = PROBLEM["examples"] as readonly unknown[];
  expect(undescribed(document, PROBLEM, example)).toStrictEqual([]);
});

test("every operation has a name of its own, and a group that is described", () => {
  const operations = Object.values(document["paths"] as Record<string, Record<string, Operation>>).flatMap(
    (path) => Object.values(path),
  );
  expect(new Set(operations.map(({ operationId }) => operationId)).size).toBe(ENDPOINTS.length);
  const groups = (document["tags"] as { name: string }[]).map(({ name }) => name);
  expect(new Set(operations.flatMap(({ tags }) => tags))).toEqual(new Set(groups));
});

test("what is referred to is there, and nothing is there that nobody refers to", () => {
  const text = JSON.stringify(document);
  const named = new Set([...text.matchAll(/"\$ref":"#\/components\/([^"]+)"/g)].map(([, name = ""]) => name));
  const { securitySchemes, ...components } = document["components"] as Record<string, Json>;
  const there = Object.entries(components).flatMap(([kind, parts]) =>
    Object.keys(parts).map((name) => `${kind}/${name}`),
  );
  expect([...named].sort()).toEqual(there.sort());
  const schemes = new Set([...text.matchAll(/\{"(\w+)":\[\]\}/g)].map(([, name = ""]) => name));
  expect([...schemes].sort()).toEqual(Object.keys(securitySchemes ?? {}).sort());
});

test("a webhook's body is described as it is sent, not as its delivery is listed", () => {
  const { webhooks } = document as {
    webhooks?: { notice: { post: { requestBody: { content: { [type: string]: { schema: Json } } } } } };
  };
  const body = webhooks?.notice.post.requestBody.content["application/json"]?.schema ?? {};
  const at = "2026-11-22T02:17:05.000Z";
  const flag = { id: "1", rule: "flow-drop", severity: "warn", kind: "anomaly", metric: "bookings" } as const;
  const sent: Payload = {
    ...{ id: "2", type: "flags.raised", at, asset: "harbor", text: "harbor: bookings down 74%" },
    flags: [{ ...flag, message: "Bookings down 74%", raised_at: at, href: "/flags/1" }],
  };
  expect(undescribed(document, body, sent)).toStrictEqual([]);
});

test("the Tower hands out the description", async () => {
  const response = await listeners[TOWER](
    new Request(`${TOWER}/openapi`, { headers: { host: TOWER.slice("http://".length) } }),
  );
  expect(await response.json()).toEqual(JSON.parse(JSON.stringify(document)));
});
