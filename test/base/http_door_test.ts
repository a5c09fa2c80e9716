import { describe, expect, test } from "bun:test";
import {
  type HttpRequest,
  httpDoor,
  type RetryPolicy,
  systemWaiting,
  twoRetries,
} from "../../src/base/http.ts";
import { rawAnswers, rawOk } from "../support/raw_answer.ts";

interface Tried {
  readonly sent: number;
  readonly pauses: readonly number[];
  readonly came: number | string;
}

const POLICY = { retries: 3, afterTimeouts: 1, pauseMs: 100, maxPauseMs: 10_000, now: () => 0 };

async function asked(
  url: string | URL,
  request: Partial<HttpRequest> = {},
  policy: Partial<RetryPolicy> = {},
): Promise<Tried> {
  const pauses: number[] = [];
  const door = httpDoor({
    ...POLICY,
    random: () => 1,
    sleep: async (ms) => void pauses.push(ms),
    ...policy,
  });
  const result = await door.request({
    url: String(url),
    method: "GET",
    timeoutMs: 2_000,
    maxBytes: 1_000,
    ...request,
  });
  return { sent: result.requests, pauses, came: result.ok ? result.status : result.failure };
}

/** What becomes of a request to a server that gives the nth answer to the nth request. */
async function tries(
  answer: (nth: number) => Response | Promise<Response>,
  request: Partial<HttpRequest> = {},
  policy: Partial<RetryPolicy> = {},
): Promise<Tried> {
  let nth = 0;
  using server = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => answer(nth++) });
  const tried = await asked(server.url, request, policy);
  // What ran out of its time may have done so before the server was reached.
  if (tried.came === "timeout") expect(nth).toBeLessThanOrEqual(tried.sent);
  else expect(nth).toBe(tried.sent);
  return tried;
}

const status = (code: number, headers: Record<string, string> = {}) =>
  new Response("", { status: code, headers });

describe("what is sent again", () => {
  test("a 5xx, within growing pauses, as often as the policy says", async () => {
    expect(await tries(() => status(500))).toEqual({ sent: 4, pauses: [100, 200, 400], came: 500 });
    expect(await tries((nth) => status(nth === 0 ? 503 : 200))).toEqual({
      sent: 2,
      pauses: [100],
      came: 200,
    });
  });

  test("the pause is drawn between nothing and its longest, so that many do not come back at one moment", async () => {
    const drawn = [0, 0.25, 0.999];
    const random = () => drawn.shift() ?? 0;
    expect((await tries(() => status(500), {}, { random })).pauses).toEqual([0, 50, 399.6]);
    const { pauses } = await tries(() => status(500), {}, { pauseMs: 8_000 });
    expect(pauses).toEqual([8_000, 10_000, 10_000]);
  });

  test("no 4xx, and a 429 least of all", async () => {
    for (const code of [400, 401, 403, 404, 408, 425, 429])
      expect(await tries(() => status(code, { "retry-after": "1" }))).toEqual({
        sent: 1,
        pauses: [],
        came: code,
      });
  });

  test("what Retry-After asks for is waited for, and where that is too long nothing is sent", async () => {
    const busy = (seconds: string) => (nth: number) =>
      nth === 0 ? status(503, { "retry-after": seconds }) : status(200);
    expect(await tries(busy("2"))).toEqual({ sent: 2, pauses: [2_000], came: 200 });
    expect(await tries(busy("Thu, 01 Jan 1970 00:00:03 GMT"))).toMatchObject({ pauses: [3_000], came: 200 });
    expect(await tries(busy("3600"))).toEqual({ sent: 1, pauses: [], came: 503 });
    expect(await tries(busy("soon"))).toMatchObject({ pauses: [100], came: 200 });
  });

  test("a lost connection, an answer that is cut, one that cannot be unpacked", async () => {
    for (const bytes of [
      rawOk([], "").subarray(0, 9),
      rawOk(["Content-Length: 9"], "x"),
      rawOk(["Content-Encoding: gzip", "Content-Length: 4"], "none"),
    ]) {
      using server = rawAnswers({ bytes }, { bytes: rawOk(["Content-Length: 2"], "{}") });
      expect(await asked(server.url)).toEqual({ sent: 2, pauses: [100], came: 200 });
      expect(server.asked).toBe(2);
    }
  });

  test("after a time limit only as often as the policy says", async () => {
    const hung = () => new Promise<Response>(() => undefined);
    expect(await tries(hung, { timeoutMs: 20 })).toEqual({ sent: 2, pauses: [100], came: "timeout" });
    expect(await tries(hung, { timeoutMs: 20 }, { afterTimeouts: 0 })).toMatchObject({ sent: 1 });
  });

  test("not what leads elsewhere, is too large or has no address", async () => {
    const { url } = { url: "http://127.0.0.1:1/" };
    expect(await tries(() => Response.redirect(url, 302))).toMatchObject({ sent: 1, came: "redirect" });
    expect(await tries(() => new Response("x".repeat(2_000)))).toMatchObject({ sent: 1, came: "too-large" });
    expect(await asked("x")).toEqual({ sent: 0, pauses: [], came: "address" });
  });
});

describe("what is safe to send again", () => {
  const paid = { method: "POST", body: "{}" } as const;

  test("a POST that does something, only when nobody can have seen it", async () => {
    expect(await tries(() => status(500), paid)).toMatchObject({ sent: 1 });
    expect(
      await tries(() => new Promise<Response>(() => undefined), { ...paid, timeoutMs: 20 }),
    ).toMatchObject({
      sent: 1,
    });
    using cut = rawAnswers({ bytes: rawOk(["Content-Length: 9"], "x") });
    expect(await asked(cut.url, paid)).toMatchObject({ sent: 1, came: "cut" });
    expect(await asked("http://127.0.0.1:1/", paid)).toMatchObject({ sent: 4, came: "refused" });
    expect(await asked("http://no-such-host.invalid/", paid)).toMatchObject({ sent: 4, came: "dns" });
  });

  test("a POST that only reads, where it is said so", async () => {
    expect(await tries(() => status(500), { ...paid, repeatable: true })).toMatchObject({ sent: 4 });
  });

  test("a GET that must not be, where it is said so", async () => {
    expect(await tries(() => status(500), { repeatable: false })).toMatchObject({ sent: 1 });
  });
});

describe("giving up", () => {
  test("nothing is sent once the signal has aborted, and a pause ends with it", async () => {
    const abort = new AbortController();
    const { sleep } = systemWaiting;
    const stopping = (ms: number, signal: AbortSignal | undefined) => {
      queueMicrotask(() => abort.abort());
      return sleep(ms, signal);
    };
    const tried = await tries(
      () => status(500),
      { signal: abort.signal },
      { pauseMs: 600_000, maxPauseMs: 600_000, sleep: stopping },
    );
    expect(tried).toMatchObject({ sent: 1, came: "aborted" });
  });

  test("a pause that is asked for after the abort is none", async () => {
    const abort = new AbortController();
    abort.abort();
    await systemWaiting.sleep(600_000, abort.signal);
    expect(abort.signal.aborted).toBe(true);
  });
});

test("a question to a provider is sent three times at most, twice where it times out", async () => {
  const policy = twoRetries(() => 0, { random: () => 0, sleep: () => Promise.resolve() });
  expect(await tries(() => status(502), {}, policy)).toMatchObject({ sent: 3 });
  expect(await tries(() => new Promise<Response>(() => undefined), { timeoutMs: 20 }, policy)).toMatchObject({
    sent: 2,
  });
});
