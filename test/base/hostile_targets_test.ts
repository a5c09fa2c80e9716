/** Requests to each listener. */

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import fc from "fast-check";
import { PROBLEMS } from "../../src/base/problem.ts";
import { temporaryFolder } from "../support/folder.ts";
import type { ProblemBody } from "../support/problem.ts";
import { type RawAnswer, sendMany } from "../support/raw_http.ts";
import { type Service, startService } from "../support/service.ts";
import { words } from "../support/words.ts";

const EACH = 5_000;
/** What a failing run is repeated with. */
const SEED = Date.now() & 0x7fffffff;

const folder = temporaryFolder();
let service: Service;
beforeAll(async () => {
  service = await startService({ DATA_DIR: folder.path, INGEST_PORT: "0", TOWER_PORT: "0" });
});
afterAll(async () => {
  await service.end("SIGTERM");
  folder[Symbol.dispose]();
});

interface Spelt {
  readonly method: string;
  readonly target: string;
  readonly version: string;
  /** Undefined sends no Host at all. */
  readonly host: string | undefined;
  readonly accept: string;
}

const OURS = ["127.0.0.1", "localhost", "[::1]", "LOCALHOST"];

/** Characters of a header's value: what ends a line would begin another header, and NUL is refused by the runtime. */
const headerText = fc
  .array(
    fc.oneof(fc.constantFrom(..."[]:@/?#%\\^|<>{} \t,;*.-_~'\"`"), fc.integer({ min: 0x21, max: 0xff })),
    {
      maxLength: 12,
    },
  )
  .map((units) =>
    units.map((unit) => (typeof unit === "number" ? String.fromCharCode(unit) : unit)).join(""),
  );

const brokenHost = fc
  .tuple(fc.constantFrom(...OURS, "evil.example", "a", ""), headerText, fc.boolean())
  .map(([name, text, before]) => (before ? `${text}${name}` : `${name}${text}`));

const hosts = (port: number) =>
  fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom(...OURS.flatMap((name) => [name, `${name}:${port}`])) },
    { weight: 5, arbitrary: brokenHost },
    { weight: 2, arbitrary: headerText },
    { weight: 1, arbitrary: fc.constant(undefined) },
    {
      weight: 1,
      arbitrary: fc.constantFrom(
        "evil:443",
        "localhost:99999",
        "0.0.0.0",
        "127.1",
        "[",
        "[::1",
        "a:b:c",
        "%",
        "a@b",
      ),
    },
  );

const PATHS = words(`
  / /sign-in /setup /flags /sites/harbor /settings /healthz /api/pulse /api/codebase-report /api/annotations
  /api/flags
`);

/** What may stand in a request line without ending it. */
const targetText = fc
  .array(fc.oneof(fc.constantFrom(..."/%?#\\:@[].&=+~*"), fc.integer({ min: 0x21, max: 0xff })), {
    maxLength: 16,
  })
  .map((units) =>
    units.map((unit) => (typeof unit === "number" ? String.fromCharCode(unit) : unit)).join(""),
  );

const targets = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...PATHS) },
  { weight: 3, arbitrary: targetText.map((text) => `/${text}`) },
  { weight: 2, arbitrary: fc.tuple(fc.constantFrom(...PATHS), targetText).map((parts) => parts.join("")) },
  { weight: 1, arbitrary: targetText.map((text) => `//${text}`) },
  {
    weight: 2,
    arbitrary: fc
      .tuple(
        fc.constantFrom("http://", "https://", "HTTP://", "http:", "ftp://"),
        headerText,
        fc.constantFrom(...PATHS),
      )
      .map(([scheme, host, path]) => `${scheme}${host.replace(/[ \t]/g, "")}${path}`),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom("*", "//", "evil:443", "evil.example", "?x", "http://", "http://[/x"),
  },
);

const spellings = (port: number) =>
  fc.record<Spelt>({
    method: fc.constantFrom("GET", "GET", "POST", "HEAD", "CONNECT", "OPTIONS", "PUT", "DELETE"),
    target: targets,
    version: fc.constantFrom("1.1", "1.1", "1.1", "1.0"),
    host: hosts(port),
    accept: fc.constantFrom("text/html", "application/json", "*/*"),
  });

/** As bytes, each character one of them. */
function written({ method, target, version, host, accept }: Spelt): Uint8Array {
  const lines = [
    `${method} ${target} HTTP/${version}`,
    ...(host === undefined ? [] : [`Host: ${host}`]),
    `Accept: ${accept}`,
    "Connection: keep-alive",
    ...(method === "POST" || method === "PUT" ? ["Content-Length: 0"] : []),
  ];
  return Buffer.from(`${lines.join("\r\n")}\r\n\r\n`, "latin1");
}

/** Refused by the runtime before any code of ours: a bare status, or a connection that is only closed. */
function isOfTheRuntime({ status, headers, body }: RawAnswer): boolean {
  return !headers.has("x-request-id") && body === "" && [0, 400, 414, 431, 501, 505].includes(status);
}

/** What is wrong with an answer, or undefined. */
function faultOf(
  spelt: Spelt,
  answer: RawAnswer,
  port: number,
  listener: "ingest" | "tower",
): string | undefined {
  const { status, headers, body } = answer;
  if (status >= 500 && status !== 501 && status !== 505) return "a 5xx";
  if (isOfTheRuntime(answer)) return undefined;
  const id = headers.get("x-request-id");
  if (id === null || !/^[0-9a-f-]{36}$/.test(id)) return "no request id";
  const ours = OURS.flatMap((name) => [name.toLowerCase(), `${name.toLowerCase()}:${port}`]);
  const host = spelt.host?.replace(/^[ \t]+|[ \t]+$/g, "");
  // What the target itself names as the host does not count.
  const isOurs = host !== undefined && ours.includes(host.toLowerCase());
  if (!isOurs && status !== 421) return `a host that is none of ours was answered ${status}`;
  if (isOurs && status === 421) return "a host of ours was refused";
  if (listener === "ingest" && isOurs && ![401, 404, 405].includes(status))
    return "the ingest let something in";
  if (status < 400) return listener === "ingest" ? "the ingest let something in" : undefined;
  const isPage = listener === "tower" && spelt.accept === "text/html";
  const type = headers.get("content-type");
  if (isPage)
    return type?.startsWith("text/html") || type === "application/problem+json"
      ? undefined
      : `a page of type ${type}`;
  if (type !== "application/problem+json") return `no problem document but ${type}`;
  if (spelt.method === "HEAD") return undefined;
  const problem = JSON.parse(body) as ProblemBody;
  const known = PROBLEMS[problem.type.replace("/problems/", "") as keyof typeof PROBLEMS];
  return known?.status === status && problem.status === status && problem.instance === id
    ? undefined
    : `a problem document that does not fit the answer: ${body}`;
}

/** Answers of our own code to each listener. */
const answered = { ingest: 0, tower: 0 };

describe("no spelling of a host or a target gets a 5xx (decisions 3, check 1)", () => {
  for (const listener of ["ingest", "tower"] as const) {
    test(`${EACH} generated requests to the ${listener}, seed ${SEED}`, async () => {
      const port = Number(new URL(listener === "ingest" ? service.ingestUrl : service.towerUrl).port);
      const sent = fc.sample(spellings(port), { numRuns: EACH, seed: SEED });
      const answers = await sendMany(
        port,
        sent.map((spelt) => ({ bytes: written(spelt), isHead: spelt.method === "HEAD" })),
        32,
      );
      const faults = sent.flatMap((spelt, at) => {
        const answer = answers[at] as RawAnswer;
        const fault = faultOf(spelt, answer, port, listener);
        return fault === undefined ? [] : [{ fault, spelt, status: answer.status }];
      });
      expect({ faults: faults.slice(0, 5), count: faults.length }).toEqual({ faults: [], count: 0 });
      // Most spellings must reach our code, or nothing was tried.
      answered[listener] = answers.filter((answer) => answer.headers.has("x-request-id")).length;
      expect(answered[listener]).toBeGreaterThan(EACH / 2);
      const refused = answers.filter(({ status }) => status === 421).length;
      expect(refused).toBeGreaterThan(EACH / 10);
    });
  }

  test("each answer was counted, and nothing of it was an error to the log", async () => {
    const figures = await (await fetch(`${service.towerUrl}/metrics`)).text();
    const counted = { ingest: 0, tower: 0 };
    for (const [, listener, count] of figures.matchAll(
      /^tower_http_answers_total\{listener="(ingest|tower)",status="\d+"\} (\d+)$/gm,
    )) {
      counted[listener as keyof typeof counted] += Number(count);
    }
    expect(counted).toEqual(answered);
    await service.end("SIGTERM");
    const lines = (await service.errors()).trim().split("\n");
    const told = lines.map((line) => JSON.parse(line) as { level: string; message: string });
    const warned = told.filter(({ level }) => level !== "info").map(({ message }) => message);
    // Some of them reached a route without a token.
    expect([...new Set(warned)]).toEqual(["reports without a known site token were refused"]);
  });
});
