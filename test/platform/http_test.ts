import { describe, expect, test } from "bun:test";
import {
  type HttpRequest,
  httpRequest,
  httpRequestWithRetry,
  retryAfterMs,
} from "../../src/platform/http.ts";

function serve(fetch: (request: Request) => Response | Promise<Response>) {
  return Bun.serve({ port: 0, hostname: "127.0.0.1", fetch });
}

function get(url: string | URL, options: Partial<HttpRequest> = {}): HttpRequest {
  return { url: String(url), method: "GET", timeoutMs: 2_000, maxBytes: 1_000, ...options };
}

describe("httpRequest", () => {
  test("gives status, headers and text of any answer", async () => {
    using server = serve(() => new Response("é", { status: 404, headers: { "x-a": "b" } }));
    const result = await httpRequest(get(server.url));
    expect(result).toMatchObject({ ok: true, status: 404, text: "é" });
    expect(result.ok && result.headers.get("x-a")).toBe("b");
  });

  test("sends method, headers and body", async () => {
    using server = serve(
      async (request) =>
        new Response(`${request.method} ${request.headers.get("x-a")} ${await request.text()}`),
    );
    const result = await httpRequest(get(server.url, { method: "POST", headers: { "x-a": "b" }, body: "c" }));
    expect(result).toMatchObject({ text: "POST b c" });
  });

  test("takes http and https addresses only", async () => {
    for (const url of ["file:///etc/passwd", "data:,x", "ftp://x", "x", "", "blob:x"]) {
      expect(await httpRequest(get(url))).toMatchObject({ ok: false, failure: "address" });
    }
  });

  test("follows no redirect", async () => {
    using server = serve(() => Response.redirect("http://127.0.0.1:1/", 302));
    expect(await httpRequest(get(server.url))).toMatchObject({ ok: false, failure: "redirect" });
  });

  test("stops at the size limit, also without a length and when it is packed", async () => {
    using server = serve((request) =>
      request.url.endsWith("/packed")
        ? new Response(Bun.gzipSync(new Uint8Array(100_000)), { headers: { "content-encoding": "gzip" } })
        : new Response(new ReadableStream({ pull: (controller) => controller.enqueue(new Uint8Array(600)) })),
    );
    expect(await httpRequest(get(server.url))).toMatchObject({ ok: false, failure: "too-large" });
    expect(await httpRequest(get(`${server.url}packed`))).toMatchObject({ ok: false, failure: "too-large" });
  });

  test("one time limit holds for headers and body", async () => {
    using server = serve((request) =>
      request.url.endsWith("/body")
        ? new Response(new ReadableStream({ start: (controller) => controller.enqueue(new Uint8Array(1)) }))
        : new Promise<Response>(() => undefined),
    );
    expect(await httpRequest(get(server.url, { timeoutMs: 50 }))).toMatchObject({
      ok: false,
      failure: "timeout",
    });
    expect(await httpRequest(get(`${server.url}body`, { timeoutMs: 50 }))).toMatchObject({
      ok: false,
      failure: "timeout",
    });
  });

  test("no connection is a value, and names no more than the host", async () => {
    const result = await httpRequest(get("http://user:secret@127.0.0.1:1/path?key=secret"));
    expect(result).toEqual({ ok: false, failure: "connection", message: "no connection to 127.0.0.1:1" });
  });
});

describe("httpRequestWithRetry", () => {
  async function tries(answer: (attempt: number) => Response, maxPauseMs = 10_000) {
    const pauses: number[] = [];
    let attempts = 0;
    using server = serve(() => answer(attempts++));
    const policy = {
      retries: 3,
      pauseMs: 100,
      maxPauseMs,
      now: () => 0,
      sleep: async (ms: number) => void pauses.push(ms),
    };
    const result = await httpRequestWithRetry(get(server.url), policy);
    return { attempts, pauses, status: result.ok ? result.status : result.failure };
  }

  test("tries a 5xx again with growing pauses, at most three times", async () => {
    expect(await tries(() => new Response("", { status: 500 }))).toEqual({
      attempts: 4,
      pauses: [100, 200, 400],
      status: 500,
    });
  });

  test("a 4xx is final", async () => {
    expect(await tries(() => new Response("", { status: 429 }))).toMatchObject({ attempts: 1, pauses: [] });
  });

  test("waits as long as Retry-After asks, and gives up when that is too long", async () => {
    const busy = (seconds: string) => new Response("", { status: 503, headers: { "retry-after": seconds } });
    expect(await tries((attempt) => (attempt === 0 ? busy("2") : new Response()))).toEqual({
      attempts: 2,
      pauses: [2_000],
      status: 200,
    });
    expect(await tries(() => busy("3600"))).toEqual({ attempts: 1, pauses: [], status: 503 });
  });

  test("no connection is tried again, a timeout is not", async () => {
    const pauses: number[] = [];
    const policy = {
      retries: 3,
      pauseMs: 1,
      maxPauseMs: 5,
      now: () => 0,
      sleep: async (ms: number) => void pauses.push(ms),
    };
    await httpRequestWithRetry(get("http://127.0.0.1:1/"), policy);
    expect(pauses).toEqual([1, 2, 4]);
    using server = serve(() => new Promise<Response>(() => undefined));
    expect(await httpRequestWithRetry(get(server.url, { timeoutMs: 30 }), policy)).toMatchObject({
      failure: "timeout",
    });
    expect(pauses).toHaveLength(3);
  });
});

test("Retry-After is seconds or an HTTP date (RFC 9110, 10.2.3)", () => {
  const now = Date.parse("2026-03-01T00:00:00Z");
  expect(retryAfterMs("120", now)).toBe(120_000);
  expect(retryAfterMs("Sun, 01 Mar 2026 00:01:00 GMT", now)).toBe(60_000);
  expect(retryAfterMs("Sat, 28 Feb 2026 00:00:00 GMT", now)).toBe(0);
  for (const header of [null, "", "-1", "1.5", "soon", "2026-03-02"])
    expect(retryAfterMs(header, now)).toBeUndefined();
});
