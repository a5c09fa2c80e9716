import { describe, expect, test } from "bun:test";
import { openApiDocument } from "../../src/app/openapi.ts";
import { HARBOR_TOKEN } from "../support/deps.ts";
import { shared } from "../support/fresh.ts";
import { testIngest } from "../support/ingest.ts";
import { codebaseReport } from "../support/make/codebase_report.ts";
import { recordEach } from "../support/mixtures.ts";
import { sendRaw } from "../support/raw_http.ts";
import { until } from "../support/until.ts";
import { texts, words } from "../support/words.ts";

const ingest = shared(testIngest);

const BODY = JSON.stringify(codebaseReport());
const LENGTH = `Content-Length: ${BODY.length}`;
const CHUNKED = "Transfer-Encoding: chunked";
const inChunks = (...sizes: string[]) => `${sizes.map((size) => `${size}\r\n`).join("")}0\r\n\r\n`;

interface Written {
  readonly line?: string;
  readonly host?: readonly string[];
  readonly headers?: readonly string[];
  readonly body?: string;
  readonly end?: string;
}

/** A request written byte by byte; what is not given is right. */
function written({
  line = "POST /api/codebase-report HTTP/1.1",
  host,
  headers = [LENGTH],
  body = BODY,
  end = "\r\n",
}: Written): string {
  const lines = [
    line,
    ...(host ?? [`Host: 127.0.0.1:${ingest.port}`]),
    `Authorization: Bearer ${HARBOR_TOKEN}`,
    "Content-Type: application/json",
    ...headers,
  ];
  return `${lines.join(end)}${end}${end}${body}`;
}

async function statusOf(request: Written): Promise<number> {
  return (await sendRaw(ingest.port, [written(request)])).status;
}

describe("requests written byte by byte (reliability 3.5)", () => {
  test("a right one is taken, with a length and in chunks", async () => {
    expect(await statusOf({})).toBe(201);
    const half = BODY.length >> 1;
    const parts = [BODY.slice(0, half), BODY.slice(half)].map(
      (part) => `${part.length.toString(16)}\r\n${part}`,
    );
    expect(await statusOf({ headers: [CHUNKED], body: inChunks(...parts) })).toBe(201);
    expect(
      await statusOf({
        headers: [CHUNKED],
        body: inChunks(`${BODY.length.toString(16)};name=value\r\n${BODY}`),
      }),
    ).toBe(201);
  });

  /** Hosts as they stand in the request: one in each place between bars, several between slashes. */
  const HOSTS = texts(
    "|Host: |Host: evil.example|Host: 127.0.0.1.evil.example|Host: 127.0.0.1:1|Host: a@127.0.0.1|Host: localhost.",
    "Host: 0.0.0.0|Host: 127.0.0.1/Host: 127.0.0.1|Host: 127.0.0.1/Host: evil.example|Host: evil.example/Host: 127.0.0.1",
    "Host: localhost|HOST: LOCALHOST|Host: [::1]|Host: ingest.example",
  );
  const ELSEWHERE = [
    "POST http://127.0.0.1/api/codebase-report HTTP/1.1",
    "POST /api/codebase-report HTTP/1.0",
  ];

  test("what each Host is answered, and by HTTP/1.0 and beside an address in the request line, which never stands in for it: recorded", async () => {
    const asked = [
      ...HOSTS.map((host) => ["", host] as const),
      ...ELSEWHERE.flatMap((line) =>
        ["Host: 127.0.0.1", "Host: evil.example", ""].map((host) => [line, host] as const),
      ),
    ];
    const statuses = await Promise.all(
      asked.map(([line, host]) =>
        statusOf({ host: host.split("/").filter((one) => one !== ""), ...(line !== "" && { line }) }),
      ),
    );
    const names = asked.map((parts) => parts.filter((part) => part !== "").join(" "));
    recordEach(names, (name) => statuses[names.indexOf(name)]);
  });

  test("a body that is too large does not end the connection, unless it is far too large: a proxy hears what is said", async () => {
    const endOf = async (length: number) => {
      const head = written({ headers: [`Content-Length: ${length}`], body: "" });
      const { status, headers } = await sendRaw(ingest.port, [head]);
      return [status, headers.get("connection")];
    };
    expect(await endOf(262_145)).toEqual([413, null]);
    expect(await endOf(16 * 1024 * 1024)).toEqual([413, null]);
    expect(await endOf(16 * 1024 * 1024 + 1)).toEqual([413, "close"]);
  });

  const framings: readonly (readonly [string, Written])[] = [
    ["a length and chunks", { headers: [LENGTH, CHUNKED], body: inChunks() }],
    ["chunks and a length", { headers: [CHUNKED, LENGTH], body: inChunks() }],
    ["two different lengths", { headers: [LENGTH, "Content-Length: 5"] }],
    ["a length of +7", { headers: [`Content-Length: +${BODY.length}`] }],
    ["a length of -1", { headers: ["Content-Length: -1"] }],
    ["a length in hexadecimal", { headers: ["Content-Length: 0x7"] }],
    ["a length of 20 digits", { headers: ["Content-Length: 99999999999999999999"] }],
    ["an unknown transfer encoding", { headers: ["Transfer-Encoding: xchunked"] }],
    ["the transfer encoding identity", { headers: ["Transfer-Encoding: identity", LENGTH] }],
    ["a space before the colon", { headers: ["Transfer-Encoding : chunked", LENGTH] }],
    ["a chunk without a size", { headers: [CHUNKED], body: inChunks(`zz\r\n${BODY}`) }],
    ["a folded header", { headers: ["X-A: b\r\n c", LENGTH] }],
    ["a NUL in a header", { headers: ["X-A: b\u0000c", LENGTH] }],
    ["bare line feeds", { end: "\n" }],
    ["100 kB of headers", { headers: [`X-A: ${"y".repeat(100_000)}`, LENGTH] }],
    ["20 kB of path", { line: `POST /${"x".repeat(20_000)} HTTP/1.1` }],
    ["an unknown method", { line: "FOO /api/codebase-report HTTP/1.1" }],
    ["TRACE", { line: "TRACE /api/codebase-report HTTP/1.1" }],
    ["no HTTP at all", { line: "\u0016\u0003\u0001" }],
  ];
  test("what cannot be told apart or read is refused and stores nothing", async () => {
    const before = ingest.stored();
    for (const [name, request] of framings) {
      const status = await statusOf(request);
      // 0: the connection was closed without an answer, as the runtime does for what it cannot read.
      const isRefused = status === 0 || (status >= 400 && status < 500) || status === 505;
      expect([name, isRefused, ingest.stored()]).toEqual([name, true, before]);
    }
  });

  test("an answer of the server itself is named in the description of the API", async () => {
    const { info } = openApiDocument({ ingest: "http://a.example", tower: "http://b.example" });
    const named = String((info as { description: string }).description).split(
      "refused by the server itself",
    )[1];
    for (const [status, request] of [
      [400, { headers: ["Content-Length: -1"] }],
      [413, { headers: ["Content-Length: 99999999999"] }],
      [431, { headers: [`X-A: ${"y".repeat(100_000)}`, LENGTH] }],
      [505, { line: "POST /api/codebase-report HTTP/2.0" }],
    ] as const) {
      expect(await statusOf(request)).toBe(status);
      expect(named).toContain(String(status));
    }
  });

  test("a path is taken as it is written: no second spelling of a route", async () => {
    for (const path of words(`
      /api/codebase-report/ //api/codebase-report /api//codebase-report /api/%63odebase-report
      /API/codebase-report /api/codebase-report%00
    `)) {
      expect(await statusOf({ line: `POST ${path} HTTP/1.1` })).toBe(404);
    }
    expect(await statusOf({ line: "POST /api/codebase-report?x=1 HTTP/1.1" })).toBe(201);
  });

  test("a token in two headers is none", async () => {
    expect(await statusOf({ headers: [`Authorization: Bearer ${HARBOR_TOKEN}`, LENGTH] })).toBe(401);
  });

  test("a second request before the first answer ends the connection or is answered; it is never read as part of the first", async () => {
    const before = ingest.stored();
    const { status } = await sendRaw(ingest.port, [written({}) + written({})]);
    // The runtime closes a pipelined connection while an answer is under way.
    expect([0, 201]).toContain(status);
    await until(
      async () => ingest.pending(),
      (pending) => pending === 0,
    );
    expect(ingest.stored()).toBeLessThanOrEqual(before + 2);
  });

  test("a sender that goes away in the middle of the body stores nothing and is no fault of the service", async () => {
    const before = ingest.stored();
    const socket = await Bun.connect({
      hostname: "127.0.0.1",
      port: ingest.port,
      socket: { data: () => undefined },
    });
    socket.write(written({ headers: ["Content-Length: 5000"] }));
    await until(
      async () => ingest.pending(),
      (pending) => pending === 1,
    );
    socket.terminate();
    const left = await until(
      async () => ingest.pending(),
      (pending) => pending === 0,
    );
    expect(left.seen).toBe(0);
    expect(ingest.stored()).toBe(before);
    expect(ingest.lines).toStrictEqual([]);
  });
});
