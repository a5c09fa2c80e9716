/**
 * The order of the checks, over raw HTTP against both listeners as they are composed: each check is broken together with each later
 * one, and the earlier answers.
 */

import { describe, expect, test } from "bun:test";
import { makeTokenText } from "../../src/access/tokens.ts";
import { sha256Hex } from "../../src/base/keys.ts";
import { PROBLEMS, type ProblemCode } from "../../src/base/problem.ts";
import { SendRates } from "../../src/sites/report_sender.ts";
import { HARBOR_TOKEN, ORCHARD_TOKEN, testGround } from "../support/deps.ts";
import { shared } from "../support/fresh.ts";
import { seededIds } from "../support/ids.ts";
import { recordEach } from "../support/mixtures.ts";
import type { ProblemBody } from "../support/problem.ts";
import { type RawAnswer, sendMany } from "../support/raw_http.ts";
import { testTower } from "../support/test_tower.ts";

const CI_TOKEN = makeTokenText("smc", seededIds(5).bytes).text;
/** A site's token that has sent all it may. */
const SPENT_TOKEN = "spent-token-0123456789";
const BURST = 1_000;

const ports = { ingest: 0, tower: 0 };
const service = shared(async () => {
  // What is spent stays spent for as long as the tests run.
  const sendRates = new SendRates({ burst: BURST, perSecond: 1e-6 });
  const made = await testTower({ ground: { ...(await testGround()), sendRates } });
  const { siteTokens, apiTokens, clock } = made.deps;
  siteTokens.setNamed([
    { asset: "harbor", token: HARBOR_TOKEN },
    { asset: "orchard", token: ORCHARD_TOKEN },
    { asset: "harbor", token: SPENT_TOKEN },
  ]);
  apiTokens.add({ id: "ci", digest: sha256Hex(CI_TOKEN), operator: "ci", scopes: ["annotations"] });
  const spent = siteTokens.find(SPENT_TOKEN);
  if (spent === undefined) throw new Error("the token is not known");
  for (let i = 0; i < BURST; i++) sendRates.take(spent, clock.now());
  for (const name of ["ingest", "tower"] as const) ports[name] = made.listen(name).port;
  return made;
});

/** A request in its parts, so that each can be broken by itself. */
interface Parts {
  method: string;
  path: string;
  host: string;
  token: string;
  headers: string[];
  type: string;
  value: Record<string, unknown>;
  /** From the value's JSON to what is sent. */
  written: ((text: string) => string)[];
}

interface Check {
  readonly name: string;
  readonly code: ProblemCode;
  readonly spoil: (parts: Parts) => void;
  /** Checks that spoil the same part cannot fail together. */
  readonly part?: string;
}

const KIB = 1_024;

const check = (name: string, code: ProblemCode, spoil: (parts: Parts) => void, part?: string): Check => ({
  name,
  code,
  spoil,
  ...(part === undefined ? {} : { part }),
});

const HOST = check("1: host", "unknown-host", (parts) => {
  parts.host = "evil.example";
});
const BROWSER = check("1: browser", "browser-origin", (parts) =>
  parts.headers.push("Origin: http://127.0.0.1"),
);
const PATH = check("2: path", "not-found", (parts) => {
  parts.path += "/x";
});
const METHOD = check("2: method", "method-not-allowed", (parts) => {
  parts.method = "PUT";
});
const withToken = (name: string, code: ProblemCode, token: string) =>
  check(
    name,
    code,
    (parts) => {
      parts.token = token;
    },
    "token",
  );
const TOKEN = withToken("3: token", "unauthenticated", "nobody-knows-this-one");
const TYPE = check("4: content type", "unsupported-media-type", (parts) => {
  parts.type = "text/plain";
});
const size = (kib: number) =>
  check("5: size", "body-too-large", (parts) => parts.written.push((text) => text.padEnd(kib * KIB + 1)));
const ENCODING = check("6: content encoding", "unsupported-encoding", (parts) =>
  parts.headers.push("Content-Encoding: gzip"),
);
const JSON_TEXT = check("7: JSON", "malformed-json", (parts) =>
  parts.written.push((text) => text.slice(0, -1)),
);
const contract = (field: string) =>
  check("8: contract", "broken-contract", (parts) => {
    parts.value[field] = 7;
  });
const ASSET = check("9: asset", "asset-mismatch", (parts) => {
  parts.value["asset"] = "orchard";
});

const REPORT_CHECKS = [
  HOST,
  BROWSER,
  PATH,
  METHOD,
  TOKEN,
  withToken("3: scope", "insufficient-scope", CI_TOKEN),
  withToken("3a: rate", "too-many-requests", SPENT_TOKEN),
  TYPE,
  size(256),
  ENCODING,
  JSON_TEXT,
  contract("generatedAt"),
  ASSET,
];
const ANNOTATION_CHECKS = [
  HOST,
  BROWSER,
  PATH,
  METHOD,
  TOKEN,
  withToken("3: scope", "insufficient-scope", HARBOR_TOKEN),
  TYPE,
  size(16),
  ENCODING,
  JSON_TEXT,
  contract("at"),
];

const at = "2026-03-01T11:00:00Z";
const ROUTES = [
  {
    listener: "ingest",
    path: "/api/pulse",
    token: HARBOR_TOKEN,
    value: { asset: "harbor", generatedAt: at, metrics: {} },
    checks: REPORT_CHECKS,
  },
  {
    listener: "ingest",
    path: "/api/codebase-report",
    token: HARBOR_TOKEN,
    value: { asset: "harbor", generatedAt: at, measures: {} },
    checks: REPORT_CHECKS,
  },
  {
    listener: "ingest",
    path: "/api/annotations",
    token: CI_TOKEN,
    value: { asset: "harbor", at: "2026-03-01T00:00:00Z", kind: "deploy", ref: "v1" },
    checks: ANNOTATION_CHECKS,
  },
  {
    listener: "tower",
    path: "/api/annotations",
    token: CI_TOKEN,
    value: { asset: "harbor", at: "2026-03-01T00:00:00Z", kind: "deploy", ref: "v2" },
    // The Tower has pages, so browsers may ask it.
    checks: ANNOTATION_CHECKS.filter((one) => one !== BROWSER),
  },
] as const;

type Route = (typeof ROUTES)[number];

/** The bytes of a request to a route with some checks broken; a withheld body is announced and never sent. */
function bytesOf(route: Route, broken: readonly Check[], isWithheld = false): Uint8Array {
  const parts: Parts = {
    method: "POST",
    path: route.path,
    host: `127.0.0.1:${ports[route.listener]}`,
    token: route.token,
    headers: [],
    type: "application/json",
    value: { ...route.value },
    written: [],
  };
  // What is cut is cut before it is padded: too large stays too large.
  for (const { spoil } of broken.toReversed()) spoil(parts);
  let body = JSON.stringify(parts.value);
  for (const write of parts.written) body = write(body);
  const lines = [
    `${parts.method} ${parts.path} HTTP/1.1`,
    `Host: ${parts.host}`,
    `Authorization: Bearer ${parts.token}`,
    `Content-Type: ${parts.type}`,
    ...parts.headers,
    `Content-Length: ${body.length}`,
  ];
  return Buffer.from(`${lines.join("\r\n")}\r\n\r\n${isWithheld ? "" : body}`);
}

async function ask(route: Route, requests: readonly Uint8Array[], connections = 4): Promise<RawAnswer[]> {
  return sendMany(
    ports[route.listener],
    requests.map((bytes) => ({ bytes, isHead: false })),
    connections,
  );
}

/** "status code", and the headers that belong to it. */
function toldBy({ status, headers, body }: RawAnswer): string {
  if (status < 400) return String(status);
  const problem = JSON.parse(body) as ProblemBody;
  const wanted = { 401: "www-authenticate", 405: "allow", 429: "retry-after", 503: "retry-after" }[status];
  const isWhole =
    headers.get("content-type") === "application/problem+json" &&
    headers.get("x-request-id") === problem.instance &&
    problem.status === status &&
    (wanted === undefined || headers.has(wanted));
  return `${status} ${problem.type.replace("/problems/", "")}${isWhole ? "" : ", not whole"}`;
}

const tells = (code: ProblemCode) => `${PROBLEMS[code].status} ${code}`;

/** Each check with each later one that can fail beside it. */
function pairsOf(checks: readonly Check[]): (readonly [Check, Check])[] {
  return checks.flatMap((first, i) =>
    checks
      .slice(i + 1)
      .filter(({ part }) => part === undefined || part !== first.part)
      .map((later) => [first, later] as const),
  );
}

for (const route of ROUTES) {
  describe(`POST ${route.path} on the ${route.listener}: the earlier check answers (decisions 3)`, () => {
    test("each check alone, and the request with none broken", async () => {
      const cases = [[], ...route.checks.map((one) => [one])];
      const answers = await ask(
        route,
        cases.map((broken) => bytesOf(route, broken)),
      );
      expect(answers.map(toldBy)).toEqual(["201", ...route.checks.map(({ code }) => tells(code))]);
      // What each says, recorded.
      const bodies = new Map(route.checks.map(({ name }, place) => [name, answers[place + 1]?.body ?? "{}"]));
      recordEach([...bodies.keys()], (name) => {
        const { title, detail, errors } = JSON.parse(bodies.get(name) ?? "{}") as ProblemBody;
        // How long to wait goes by the clock.
        return [title, detail.replace(/[\d,]+(?= seconds)/, "many"), errors];
      });
    });

    test("each check with each later one, and with all later ones", async () => {
      const together = route.checks.map((first, i) => {
        const later = route.checks.slice(i + 1);
        return [first, ...later.filter(({ part }) => part === undefined || part !== first.part)];
      });
      const cases: readonly (readonly Check[])[] = [...pairsOf(route.checks), ...together];
      const answers = await ask(
        route,
        cases.map((broken) => bytesOf(route, broken)),
      );
      const named = (told: readonly string[]) =>
        cases.map((broken, i) => `${broken.map(({ name }) => name).join(" + ")} -> ${told[i]}`);
      expect(named(answers.map(toldBy))).toEqual(
        named(cases.map(([first]) => tells(first?.code ?? "conflict"))),
      );
    });

    test("up to the size of the body, the answer does not wait for the body", async () => {
      const early = route.checks.slice(0, route.checks.findIndex(({ name }) => name === "5: size") + 1);
      const requests = early.map((one) => bytesOf(route, [one], true));
      // Each on a connection of its own: what follows would be taken for the body that is missing.
      const answers = await Promise.all(requests.map(async (bytes) => (await ask(route, [bytes], 1))[0]));
      expect(answers.map((answer) => (answer === undefined ? "none" : toldBy(answer)))).toEqual(
        early.map(({ code }) => tells(code)),
      );
    });

    test("storage comes last", async () => {
      const { raw } = service.deps.store;
      raw.run("PRAGMA query_only = ON");
      try {
        const cases = [...route.checks.map((one) => [one]), []];
        const answers = await ask(
          route,
          cases.map((broken) => bytesOf(route, broken)),
        );
        expect(answers.map(toldBy)).toEqual([
          ...route.checks.map(({ code }) => tells(code)),
          tells("storage-unavailable"),
        ]);
      } finally {
        raw.run("PRAGMA query_only = OFF");
      }
    });
  });
}
