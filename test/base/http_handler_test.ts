import { describe, expect, test } from "bun:test";
import { listen } from "../../src/base/http_handler.ts";
import { PROBLEMS, Problem, type ProblemCode, problemResponse } from "../../src/base/problem.ts";
import { MAX_REPORT_BYTES } from "../../src/reports/measures.ts";
import { HARBOR_TOKEN, ORCHARD_TOKEN } from "../support/deps.ts";
import { shared } from "../support/fresh.ts";
import { testIngest } from "../support/ingest.ts";
import { codebaseReport, fullCodebaseReport } from "../support/make/codebase_report.ts";
import { expectBroken, expectProblem } from "../support/problem.ts";

const ingest = shared(testIngest);

const VALID = JSON.stringify(codebaseReport());
const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

/** A valid report of exactly so many bytes: white space is part of the body. */
const sized = (bytes: number) => VALID.padEnd(bytes, " ");

/** A body that is sent in chunks, without a length. */
function chunked(text: string, size = 16_384): ReadableStream<Uint8Array> {
  const bytes = new TextEncoder().encode(text);
  let at = 0;
  return new ReadableStream({
    pull(controller) {
      if (at >= bytes.byteLength) controller.close();
      else controller.enqueue(bytes.slice(at, at + size));
      at += size;
    },
  });
}

const postStream = (text: string, headers: Record<string, string> = {}) =>
  fetch(ingest.url, {
    method: "POST",
    headers: { ...bearer(HARBOR_TOKEN), "content-type": "application/json", ...headers },
    body: chunked(text),
  });

describe("POST /api/codebase-report (decisions 3)", () => {
  test("a report is answered 201 with its place, and every answer carries a request id", async () => {
    const response = await ingest.post(fullCodebaseReport({ generatedAt: "2026-02-11T02:30:00Z" }));
    expect(response.status).toBe(201);
    expect(response.headers.get("x-request-id")).toMatch(/^[0-9a-f-]{36}$/);
    expect(await response.json()).toEqual({
      asset: "harbor",
      date: "2026-02-11",
      revision: 1,
      receivedAt: "2026-03-01T12:00:00.000Z",
      comparison: null,
      alerts: { raised: [], resolved: [] },
      unmeasured: [],
      ignored: [],
    });
  });

  test("raised and resolved flags are named by id and rule, unmeasured keys and ignored fields are listed", async () => {
    const send = async (percent: number, extra: object = {}) =>
      (await (
        await ingest.post({
          ...codebaseReport({
            generatedAt: "2026-02-12T00:00:00Z",
            measures: { duplication_percent: percent },
          }),
          ...extra,
        })
      ).json()) as {
        alerts: { raised: { id: string; rule: string }[]; resolved: { id: string; rule: string }[] };
        unmeasured: string[];
        ignored: string[];
      };
    const first = await send(9, { gernated: 1, repository: { branch: "x" } });
    expect(first.alerts).toEqual({
      raised: [{ id: expect.any(String), rule: "codebase-duplication" }],
      resolved: [],
    });
    expect(first.unmeasured).toHaveLength(22);
    expect(first.ignored.sort()).toEqual(["/gernated", "/repository/branch"]);
    expect((await send(1)).alerts).toEqual({ raised: [], resolved: first.alerts.raised });
  });
});

describe("the checks run in the decided order, and nothing is stored unless all pass (decisions 3)", () => {
  /** Everything is wrong from a step on; each step's refusal must come before all later ones. */
  const wrongBody = "x".repeat(MAX_REPORT_BYTES + 1);
  const wrong = { "content-type": "text/plain", "content-encoding": "gzip" };

  const refusedBy = async (send: Promise<Response>, code: Parameters<typeof expectProblem>[1]) => {
    const before = ingest.stored();
    const problem = await expectProblem(await send, code);
    expect(ingest.stored()).toBe(before);
    return problem;
  };

  test("1: a browser's request, before the path, the method and the token", async () => {
    const url = ingest.url.replace("/api/codebase-report", "/nothing");
    await refusedBy(
      fetch(url, { method: "PUT", headers: { origin: "http://127.0.0.1" }, body: wrongBody }),
      "browser-origin",
    );
    for (const value of ["cross-site", "same-site", "same-origin", "none", ""]) {
      await refusedBy(ingest.post(VALID, { "sec-fetch-site": value }), "browser-origin");
    }
    await refusedBy(ingest.post(VALID, { origin: "null" }), "browser-origin");
  });

  test("2: an unknown path, then another method, before the token", async () => {
    await refusedBy(
      fetch(ingest.url.replace("codebase", "code"), { method: "POST", headers: wrong, body: "x" }),
      "not-found",
    );
    for (const method of ["GET", "PUT", "DELETE", "PATCH", "OPTIONS"]) {
      const response = await fetch(ingest.url, { method });
      expect(response.headers.get("allow")).toBe("POST");
      await expectProblem(response, "method-not-allowed");
    }
  });

  test("3: no token, or an unknown one, before anything of the body", async () => {
    for (const authorization of [
      "",
      "Bearer",
      "Bearer ",
      `Basic ${HARBOR_TOKEN}`,
      HARBOR_TOKEN,
      "Bearer unknown-token-0123",
      `Bearer ${HARBOR_TOKEN}x`,
      `Bearer ${HARBOR_TOKEN.toUpperCase()}`,
      `Bearer ${HARBOR_TOKEN} x`,
      `Bearer ${HARBOR_TOKEN},${ORCHARD_TOKEN}`,
    ]) {
      const response = await fetch(ingest.url, {
        method: "POST",
        headers: { ...wrong, authorization },
        body: wrongBody,
      });
      expect(response.headers.get("www-authenticate")).toBe("Bearer");
      await expectProblem(response, "unauthenticated");
    }
    await refusedBy(fetch(ingest.url, { method: "POST", body: VALID }), "unauthenticated");
    // The scheme's name is read in any case.
    expect((await ingest.post(VALID, { authorization: `bearer ${HARBOR_TOKEN}` })).status).toBe(201);
  });

  test("4: another content type, before the size", async () => {
    for (const type of [
      "text/plain",
      "application/xml",
      "application/x-www-form-urlencoded",
      "multipart/form-data; boundary=x",
      "application/jsonx",
      "application/json; charset=latin1",
      "application/json, text/plain",
    ]) {
      const response = await ingest.post(wrongBody, { "content-type": type, "content-encoding": "gzip" });
      expect(response.headers.get("accept-post")).toBe("application/json");
      await expectProblem(response, "unsupported-media-type");
    }
    for (const type of [
      "application/json",
      "APPLICATION/JSON",
      "application/json; charset=utf-8",
      'application/json;charset="UTF-8"',
    ]) {
      expect((await ingest.post(VALID, { "content-type": type })).status).toBe(201);
    }
  });

  test("5: 262,144 bytes pass and 262,145 do not, with a length and in chunks without one", async () => {
    expect((await ingest.post(sized(262_144))).status).toBe(201);
    expect((await postStream(sized(262_144))).status).toBe(201);
    await refusedBy(ingest.post(sized(262_145)), "body-too-large");
    await refusedBy(postStream(sized(262_145)), "body-too-large");
    await refusedBy(postStream(sized(2_000_000)), "body-too-large");
  });

  test("5: the limit counts bytes, not characters", async () => {
    const report = (letters: number) => JSON.stringify({ ...codebaseReport(), x: "ä".repeat(letters) });
    const room = 262_144 - new TextEncoder().encode(report(0)).byteLength;
    expect((await ingest.post(report(Math.floor(room / 2)))).status).toBe(201);
    await refusedBy(ingest.post(report(Math.floor(room / 2) + 1)), "body-too-large");
  });

  test("6: a compressed body, before it is read as JSON; identity is no compression", async () => {
    const bomb = Bun.gzipSync(new Uint8Array(20_000_000));
    for (const encoding of ["gzip", "br", "zstd", "deflate", "identity, gzip", "x"]) {
      await refusedBy(ingest.post(bomb, { "content-encoding": encoding }), "unsupported-encoding");
    }
    expect((await ingest.post(VALID, { "content-encoding": "identity" })).status).toBe(201);
  });

  test("7: what is no acceptable JSON, before the contract", async () => {
    const bytes = (...parts: (string | number[])[]) =>
      new Uint8Array(
        parts.flatMap((part) => (typeof part === "string" ? [...new TextEncoder().encode(part)] : part)),
      );
    const bodies: readonly (string | Uint8Array)[] = [
      "",
      " ",
      "{",
      VALID.slice(0, -1),
      `${VALID}${VALID}`,
      `\ufeff${VALID}`,
      VALID.replace("{", '{"asset":"orchard",'),
      VALID.replace("{", '{"__proto__":{},'),
      VALID.replace("{", '{"constructor":1,'),
      VALID.replace("{", `{"deep":${"[".repeat(16)}${"]".repeat(16)},`),
      VALID.replace("{}", '{"files":1e999}'),
      VALID.replace("{}", '{"files":NaN}'),
      bytes('{"asset":"', [0xff], '"}'),
      bytes('{"asset":"', [0xc0, 0xaf], '"}'),
      bytes('{"asset":"', [0xed, 0xa0, 0x80], '"}'),
      bytes('{"asset":"', [0xe2, 0x82]),
      new Uint8Array([0xff, 0xfe, 0x7b, 0x00]),
    ];
    for (const body of bodies) await refusedBy(ingest.post(body), "malformed-json");
  });

  test("8: generatedAt may be 5 minutes ahead of the service's clock and not a millisecond more (decisions 3)", async () => {
    expect((await ingest.post(codebaseReport({ generatedAt: "2026-03-01T12:05:00Z" }))).status).toBe(201);
    for (const generatedAt of [
      "2026-03-01T12:05:00.001Z",
      "2026-03-01T14:05:00.001+02:00",
      "9999-12-31T23:59:59Z",
    ]) {
      expect(
        await expectBroken(await ingest.post({ ...codebaseReport({ generatedAt }), asset: "orchard" })),
      ).toEqual(["/generatedAt not-in-future"]);
    }
  });
});

test("a renewed listener answers on the same address, and connections whose request never came whole are closed", async () => {
  const listening = listen(async () => new Response("here"), "127.0.0.1", 0);
  const { promise: closed, resolve } = Promise.withResolvers<void>();
  await Bun.connect({
    hostname: "127.0.0.1",
    port: listening.port,
    socket: {
      open: (socket) => void socket.write("GET / HT"),
      data: () => undefined,
      close: () => resolve(),
    },
  });
  // A request of its own comes back only when the half one has arrived, too.
  await fetch(listening.url);
  await listening.renew(1_000);
  await closed;
  expect(await (await fetch(listening.url)).text()).toBe("here");
  await listening.stop(0);
});

test("a request under way when the listener is renewed is answered within the grace", async () => {
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const { promise: came, resolve: arrived } = Promise.withResolvers<void>();
  const listening = listen(
    async () => {
      arrived();
      await released;
      return new Response("late");
    },
    "127.0.0.1",
    0,
  );
  const asked = fetch(listening.url);
  await came;
  const renewed = listening.renew(10_000);
  release();
  expect(await (await asked).text()).toBe("late");
  await renewed;
  await listening.stop(0);
});

for (const code of Object.keys(PROBLEMS) as ProblemCode[]) {
  test(`${code} is an RFC 9457 document: type, title, status, detail, and the request id as instance (decisions 3)`, async () => {
    const response = problemResponse(new Problem(code, "What happened."), "the-id");
    response.headers.set("x-request-id", "the-id");
    expect(await expectProblem(response, code)).toEqual({
      type: `/problems/${code}`,
      ...PROBLEMS[code],
      detail: "What happened.",
      instance: "the-id",
    });
    expect(response.headers.get("cache-control")).toBe("no-store");
  });
}

test("broken rules are listed, and how many more there are only when there are more", async () => {
  const errors = [{ pointer: "/a", rule: "type", message: "must be a string" }];
  const body = async (more: number) =>
    problemResponse(new Problem("broken-contract", "x", { errors, more }), "id").json();
  expect(await body(0)).toMatchObject({ errors });
  expect(await body(0)).not.toHaveProperty("more");
  expect(await body(3)).toMatchObject({ errors, more: 3 });
});
