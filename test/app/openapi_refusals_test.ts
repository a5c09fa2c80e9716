/**
 * Every refusal there is, provoked on every route that programs use: what comes must be described beside the route, and what is
 * described there must come.
 */

import { afterAll, beforeAll, describe, expect, jest, test } from "bun:test";
import { chmodSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { issueServiceToken } from "../../src/access/api_tokens.ts";
import { addOperator } from "../../src/access/operators.ts";
import { createIngest } from "../../src/app/ingest_app.ts";
import { ENDPOINTS, refusalsOf } from "../../src/app/openapi.ts";
import { createTower } from "../../src/app/tower_app.ts";
import { type Endpoint, HEADERS, HEADERS_OF, PROBLEM } from "../../src/base/api_description.ts";
import type { HttpHandler } from "../../src/base/http_handler.ts";
import { PROBLEMS, type ProblemCode } from "../../src/base/problem.ts";
import { RECEIVE_REFUSALS } from "../../src/base/receive.ts";
import { StorageUnavailable } from "../../src/base/storage_fault.ts";
import { SendRates } from "../../src/sites/report_sender.ts";
import { pathOfObject } from "../../src/store/objects.ts";
import { archiveObject } from "../support/archive.ts";
import { HARBOR_TOKEN, testGround } from "../support/deps.ts";
import { undescribed } from "../support/described.ts";
import { temporaryFolder } from "../support/folder.ts";
import { codebaseReport } from "../support/make/codebase_report.ts";
import { pulse } from "../support/make/pulse.ts";
import { objectHolding } from "../support/objects.ts";
import { GOOD_PASSWORD } from "../support/operators.ts";
import { ROUTES } from "../support/route_table.ts";
import { PORTS, type TestTower, TOWER_ORIGIN, testTower } from "../support/test_tower.ts";

const BY = { actor: "test", now: 0 };
type Listener = Endpoint["listeners"][number];

const folder = temporaryFolder();
/** Objects that the manifest names. */
const OBJECTS = {
  missing: objectHolding("missing"),
  damaged: objectHolding("damaged"),
  whole: objectHolding("whole"),
};

let service: TestTower;
const SCOPES = ["annotations", "read", "ledger", "health:read"] as const;
let tokens: Readonly<Record<(typeof SCOPES)[number], string>>;
let cookie = "";

beforeAll(async () => {
  service = await testTower({
    ground: await testGround(),
    settings: { RAW_SIGNALS: join(folder.path, "raw") },
  });
  const { deps } = service;
  for (const object of Object.values(OBJECTS)) await archiveObject(deps, folder.path, object);
  await deps.objects.remove(OBJECTS.missing.sha256);
  const damaged = join(folder.path, "raw", pathOfObject(OBJECTS.damaged.sha256));
  chmodSync(damaged, 0o600);
  writeFileSync(damaged, "not what it was");
  await addOperator(deps, { name: "ada", password: GOOD_PASSWORD }, BY);
  const issue = async (scope: (typeof SCOPES)[number]) =>
    (await issueServiceToken(deps, `ci-${scope.replace(":", "-")}`, [scope], BY)).token;
  tokens = {
    annotations: await issue("annotations"),
    read: await issue("read"),
    ledger: await issue("ledger"),
    "health:read": await issue("health:read"),
  };
  const signedIn = await service.tower(
    new Request(`${TOWER_ORIGIN}/sign-in`, {
      method: "POST",
      headers: { host: `localhost:${PORTS.tower}`, origin: TOWER_ORIGIN },
      body: new URLSearchParams({ name: "ada", password: GOOD_PASSWORD }),
    }),
  );
  cookie = signedIn.headers
    .getSetCookie()
    .map((line) => line.split(";")[0])
    .join("; ");
});
afterAll(async () => {
  await service.close();
  folder[Symbol.dispose]();
});

interface Sent {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string | undefined>>;
  readonly body?: string | ReadableStream<Uint8Array>;
  readonly search?: string;
  readonly asset?: string;
  /** In the place of any other segment that has a name. */
  readonly segment?: string;
  readonly edge?: HttpHandler;
}

const tokenOf = ({ open }: Endpoint): string | undefined => {
  if (open === "annotator") return tokens.annotations;
  if (open === "bookkeeper") return tokens.ledger;
  if (open === "health-reader") return tokens["health:read"];
  return open === "site" ? HARBOR_TOKEN : open === "anyone" ? undefined : tokens.read;
};

/** Asks a route, with its right token unless another is named; gives the code it is refused with, or its status. */
async function ask(endpoint: Endpoint, listener: Listener, sent: Sent = {}): Promise<string> {
  const { method, path, takes } = endpoint;
  const token = tokenOf(endpoint);
  const headers = Object.entries({
    host: `localhost:${PORTS[listener]}`,
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    ...(takes === undefined ? {} : { "content-type": "application/json" }),
    ...sent.headers,
  }).filter((header): header is [string, string] => header[1] !== undefined);
  const body = sent.body ?? (takes === undefined ? undefined : "{}");
  const address = path.replace(":asset", sent.asset ?? "harbor").replace(/:\w+/, sent.segment ?? "none");
  const request = new Request(`http://localhost:${PORTS[listener]}${address}${sent.search ?? ""}`, {
    method: sent.method ?? method,
    headers,
    ...(body === undefined || sent.method !== undefined ? {} : { body }),
  });
  const response = await (sent.edge ?? service[listener])(request, () => "203.0.113.9");
  if (response.headers.get("content-type") !== "application/problem+json") return String(response.status);
  const problem = (await response.json()) as { type: string };
  const code = problem.type.replace("/problems/", "");
  expect(undescribed({}, PROBLEM, problem)).toStrictEqual([]);
  const came = Object.keys(HEADERS).filter((name) => response.headers.has(name));
  expect({ code, came }).toEqual({
    code,
    came: ["x-request-id", HEADERS_OF[code as ProblemCode] ?? []].flat(),
  });
  return code;
}

/** A listener in which something fails before any route is reached. */
function failing(listener: Listener, error: Error): HttpHandler {
  const ports = () => {
    throw error;
  };
  return listener === "ingest" ? createIngest(service.deps, ports) : createTower(service.deps, ports);
}

const neverEnding = () => new ReadableStream<Uint8Array>({ pull: () => new Promise(() => undefined) });
const broken = () => new ReadableStream<Uint8Array>({ pull: () => Promise.reject(new Error("gone")) });
const ahead = (body: object) => JSON.stringify(body).replaceAll("harbor", "orchard");
const FOREIGN: Readonly<Record<string, string>> = {
  "/api/pulse": ahead(pulse()),
  "/api/codebase-report": ahead(codebaseReport()),
};

type Provoke = (endpoint: Endpoint, listener: Listener) => Promise<string>;

/** What only a body can be refused for: a request that has none cannot be sent so. */
const OF_BODIES: ReadonlySet<string> = new Set([...RECEIVE_REFUSALS, "asset-mismatch"]);

/** How each refusal is provoked, whatever the route. */
const PROVOKED: Readonly<Record<Exclude<ProblemCode, "conflict">, Provoke>> = {
  "unknown-host": (endpoint, listener) => ask(endpoint, listener, { headers: { host: "evil.example" } }),
  "internal-error": (endpoint, listener) =>
    ask(endpoint, listener, { edge: failing(listener, new Error("broken")) }),
  "storage-unavailable": (endpoint, listener) =>
    ask(endpoint, listener, { edge: failing(listener, new StorageUnavailable("full")) }),
  "method-not-allowed": (endpoint, listener) => ask(endpoint, listener, { method: "DELETE" }),
  "browser-origin": (endpoint, listener) =>
    ask(endpoint, listener, { headers: { origin: "https://evil.example" } }),
  "cross-origin": (endpoint, listener) =>
    ask(endpoint, listener, {
      headers: { authorization: undefined, cookie, origin: "https://evil.example" },
    }),
  unauthenticated: (endpoint, listener) => ask(endpoint, listener, { headers: { authorization: undefined } }),
  "insufficient-scope": (endpoint, listener) =>
    ask(endpoint, listener, {
      headers: {
        authorization: `Bearer ${endpoint.open === "bookkeeper" ? tokens.read : tokens.ledger}`,
      },
    }),
  "too-many-requests": async (endpoint, listener) => {
    const once = await testTower({
      ground: {
        ...(await testGround()),
        apiTokens: service.deps.apiTokens,
        sendRates: new SendRates({ burst: 1, perSecond: 1 }),
      },
    });
    await ask(endpoint, listener, { edge: once[listener] });
    const code = await ask(endpoint, listener, { edge: once[listener] });
    await once.close();
    return code;
  },
  "unsupported-media-type": (endpoint, listener) =>
    ask(endpoint, listener, { headers: { "content-type": "text/plain" } }),
  "body-too-large": (endpoint, listener) => ask(endpoint, listener, { body: "x".repeat(300_000) }),
  "request-timeout": async (endpoint, listener) => {
    jest.useFakeTimers();
    try {
      const code = ask(endpoint, listener, { body: neverEnding() });
      for (let turn = 0; turn < 20; turn++) await Promise.resolve();
      jest.advanceTimersByTime(10_000);
      return await code;
    } finally {
      jest.useRealTimers();
    }
  },
  "incomplete-body": (endpoint, listener) => ask(endpoint, listener, { body: broken() }),
  "unsupported-encoding": (endpoint, listener) =>
    ask(endpoint, listener, { headers: { "content-encoding": "gzip" } }),
  "malformed-json": (endpoint, listener) => ask(endpoint, listener, { body: "{" }),
  "broken-contract": (endpoint, listener) => ask(endpoint, listener, { body: "{}" }),
  "asset-mismatch": (endpoint, listener) => ask(endpoint, listener, { body: FOREIGN[endpoint.path] ?? "{}" }),
  "malformed-query": (endpoint, listener) => ask(endpoint, listener, { search: "?colour=red" }),
  "object-missing": (endpoint, listener) => ask(endpoint, listener, { segment: OBJECTS.missing.sha256 }),
  "object-damaged": (endpoint, listener) => ask(endpoint, listener, { segment: OBJECTS.damaged.sha256 }),
  "archive-unavailable": async (endpoint, listener) => {
    renameSync(join(folder.path, "raw"), join(folder.path, "away"));
    try {
      return await ask(endpoint, listener, { segment: OBJECTS.whole.sha256 });
    } finally {
      renameSync(join(folder.path, "away"), join(folder.path, "raw"));
    }
  },
  "not-found": (endpoint, listener) =>
    ask(endpoint, listener, {
      asset: "nowhere",
      ...(endpoint.query !== undefined && { search: "?asset=nowhere" }),
    }),
};

test("every route that programs use is described, on the listeners it is mounted on, and no other", () => {
  const pages = new Set(["/", "/sign-in", "/sign-out", "/setup", "/static/*"]);
  const mounted = (["ingest", "tower"] as const).flatMap((listener) =>
    service[listener].routes
      .filter(({ path }) => !pages.has(path) && ROUTES[`${listener} GET ${path}`]?.who !== "operator")
      .map(({ method, path }) => `${listener} ${method} ${path}`)
      .filter((name) => ROUTES[name]?.who !== "operator"),
  );
  const described = ENDPOINTS.flatMap(({ listeners, method, path }) =>
    listeners.map((listener) => `${listener} ${method} ${path}`),
  );
  expect(described.sort()).toEqual(mounted.sort());
});

describe.each(ENDPOINTS.map((endpoint) => [`${endpoint.method} ${endpoint.path}`, endpoint] as const))(
  "%s",
  (_, endpoint) => {
    test("refuses with what is described beside it, and with nothing else", async () => {
      const refused = new Set<string>();
      for (const listener of endpoint.listeners) {
        for (const [aimed, provoke] of Object.entries(PROVOKED)) {
          if (endpoint.takes === undefined && OF_BODIES.has(aimed)) continue;
          const code = await provoke(endpoint, listener);
          if (Object.hasOwn(PROBLEMS, code)) refused.add(code);
        }
      }
      expect([...refused].sort()).toEqual([...refusalsOf(endpoint)].sort());
    });
  },
);
