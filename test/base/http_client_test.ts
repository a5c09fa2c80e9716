import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import {
  type HttpRequest,
  httpClient,
  httpRequest,
  MAX_RETRY_AFTER_MS,
  type RetryPolicy,
  retryAfterMs,
  systemWaiting,
  twoRetries,
} from "../../src/base/http_client.ts";
import { recordEach } from "../support/mixtures.ts";
import { rawAnswers, rawOk } from "../support/raw_http.ts";
import { texts } from "../support/words.ts";

function serve(fetch: (request: Request) => Response | Promise<Response>) {
  return Bun.serve({ port: 0, hostname: "127.0.0.1", fetch });
}

function get(url: string | URL, options: Partial<HttpRequest> = {}): HttpRequest {
  return { url: String(url), method: "GET", timeoutMs: 2_000, maxBytes: 1_000, ...options };
}

/** Why a request to this address came to nothing; 'ok' where it did not. */
async function failureOf(url: string | URL, options: Partial<HttpRequest> = {}): Promise<string> {
  const result = await httpRequest(get(url, options));
  return result.ok ? "ok" : result.failure;
}

describe("one request", () => {
  test("gives status, headers, bytes and text of any answer", async () => {
    using server = serve(() => new Response("é", { status: 404, headers: { "x-a": "b" } }));
    const result = await httpRequest(get(server.url));
    expect(result).toMatchObject({ ok: true, status: 404, text: "é", size: 2, requests: 1 });
    expect(result.ok && Buffer.concat(result.chunks).toString()).toBe("é");
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

  test("a large body is kept in pieces, byte for byte, also when it came packed", async () => {
    const body = Buffer.from("0123456789abcdef".repeat(65_536));
    using server = serve(() => new Response(Bun.gzipSync(body), { headers: { "content-encoding": "gzip" } }));
    const result = await httpRequest(get(server.url, { maxBytes: body.byteLength }));
    expect(result.ok && result.chunks.length).toBeGreaterThan(1);
    expect(result.ok && Buffer.concat(result.chunks).equals(body)).toBe(true);
  });

  test("takes http and https addresses only", async () => {
    for (const url of ["file:///etc/passwd", "data:,x", "ftp://x", "x", "", "blob:x"]) {
      expect(await httpRequest(get(url))).toMatchObject({ ok: false, failure: "address", requests: 0 });
    }
  });

  test("follows no redirect", async () => {
    using server = serve(() => Response.redirect("http://127.0.0.1:1/", 302));
    expect(await failureOf(server.url)).toBe("redirect");
  });

  test("stops at the size limit, also without a length and when it is packed", async () => {
    using server = serve((request) =>
      request.url.endsWith("/packed")
        ? new Response(Bun.gzipSync(new Uint8Array(100_000)), { headers: { "content-encoding": "gzip" } })
        : new Response(new ReadableStream({ pull: (controller) => controller.enqueue(new Uint8Array(600)) })),
    );
    expect(await failureOf(server.url)).toBe("too-large");
    expect(await failureOf(`${server.url}packed`)).toBe("too-large");
  });

  test("one time limit holds for headers and body", async () => {
    using server = serve((request) =>
      request.url.endsWith("/body")
        ? new Response(new ReadableStream({ start: (controller) => controller.enqueue(new Uint8Array(1)) }))
        : new Promise<Response>(() => undefined),
    );
    expect(await failureOf(server.url, { timeoutMs: 50 })).toBe("timeout");
    expect(await failureOf(`${server.url}body`, { timeoutMs: 50 })).toBe("timeout");
  });

  test("the caller's signal ends it before, during the wait and in the middle of the body", async () => {
    const abort = new AbortController();
    let asked = 0;
    using server = serve((request) => {
      asked++;
      queueMicrotask(() => abort.abort());
      return request.url.endsWith("/body")
        ? new Response(new ReadableStream({ start: (controller) => controller.enqueue(new Uint8Array(1)) }))
        : new Promise<Response>(() => undefined);
    });
    const { signal } = abort;
    expect(await httpRequest(get(server.url, { signal }))).toMatchObject({ failure: "aborted", requests: 1 });
    expect(await httpRequest(get(server.url, { signal }))).toMatchObject({ failure: "aborted", requests: 0 });
    expect(asked).toBe(1);
    const late = new AbortController();
    using slow = serve(() => {
      setTimeout(() => late.abort(), 1);
      return new Response(new ReadableStream({ start: (one) => one.enqueue(new Uint8Array(1)) }));
    });
    expect(await failureOf(slow.url, { signal: late.signal })).toBe("aborted");
  });
});

describe("what the connection does to an answer", () => {
  const json = '{"rows":[1,2,3]}';
  const packed = Bun.gzipSync(Buffer.from(json.repeat(20)));

  test("nobody listens, no such host, no HTTP, no TLS", async () => {
    expect(await failureOf("http://127.0.0.1:1/")).toBe("refused");
    expect(await failureOf("http://no-such-host.invalid/")).toBe("dns");
    using noise = rawAnswers({ bytes: "this is no HTTP\r\n\r\n" });
    expect(await failureOf(noise.url)).toBe("connection");
    expect(await failureOf(noise.url.replace("http:", "https:"))).toBe("tls");
  });

  test("torn down before or inside the headers it is a reset", async () => {
    using torn = rawAnswers({ bytes: "", ending: "reset" }, { bytes: "HTTP/1.1 200 OK\r\nConte" });
    expect(await failureOf(torn.url)).toBe("reset");
    expect(await failureOf(torn.url)).toBe("reset");
  });

  test("an answer of status 200 that ends before its length or its last chunk is cut, not an answer", async () => {
    using short = rawAnswers({ bytes: rawOk(["Content-Length: 400"], json) });
    expect(await failureOf(short.url)).toBe("cut");
    using chunked = rawAnswers({ bytes: rawOk(["Transfer-Encoding: chunked"], `10\r\n${json}\r\n`) });
    expect(await failureOf(chunked.url)).toBe("cut");
    using half = rawAnswers({
      bytes: rawOk(["Content-Encoding: gzip", `Content-Length: ${packed.length}`], packed.subarray(0, 20)),
    });
    expect(await failureOf(half.url)).toBe("cut");
  });

  test("a body that cannot be unpacked is told from one that is cut", async () => {
    const bytes = packed.subarray(0, 20);
    using bad = rawAnswers({
      bytes: rawOk(["Content-Encoding: gzip", `Content-Length: ${bytes.length}`], bytes),
    });
    expect(await failureOf(bad.url)).toBe("encoding");
  });

  test("without a length or chunks the end of a connection is the end of the body: only its text can tell", async () => {
    using open = rawAnswers({ bytes: rawOk([], json.slice(0, 9)) });
    expect(await httpRequest(get(open.url))).toMatchObject({ ok: true, status: 200, text: json.slice(0, 9) });
  });
});

test("no failure says more than the host: paths, queries, users and headers hold secrets", async () => {
  using torn = rawAnswers({ bytes: "", ending: "reset" }, { bytes: rawOk(["Content-Length: 9"], "") });
  using moved = serve((request) => Response.redirect(`${request.url}&again=1`, 302));
  using slow = serve(() => new Promise<Response>(() => undefined));
  const bases = [
    torn.url,
    torn.url,
    `${moved.url}`,
    `${slow.url}`,
    "http://127.0.0.1:1/",
    "http://no.invalid/",
  ];
  for (const base of bases) {
    const url = `${base.replace("//", "//user:s3cret@")}s3cret?apikey=s3cret`;
    const result = await httpRequest(
      get(url, { timeoutMs: 100, headers: { authorization: "Bearer s3cret" } }),
    );
    expect(result.ok).toBe(false);
    expect(JSON.stringify(result)).not.toContain("s3cret");
    expect(Bun.inspect(result)).not.toContain("s3cret");
  }
});

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
  const door = httpClient({
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

const paid = { method: "POST", body: "{}" } as const;
const hung = () => new Promise<Response>(() => undefined);
const quick = { timeoutMs: 20 };
const busy = (retryAfter: string) => (nth: number) =>
  nth === 0 ? status(503, { "retry-after": retryAfter }) : status(200);
const drawn = () => {
  const left = [0, 0.25, 0.999];
  return { random: () => left.shift() ?? 0 };
};
const served = async (bytes: Uint8Array, request: Partial<HttpRequest> = {}) => {
  using server = rawAnswers({ bytes }, { bytes: rawOk(["Content-Length: 2"], "{}") });
  return await asked(server.url, request);
};

/** What meets a request, and what it is asked to do about it. */
const MET: Readonly<Record<string, () => Promise<Tried>>> = {
  "a 5xx": () => tries(() => status(500)),
  "a 5xx, then none": () => tries((nth) => status(nth === 0 ? 503 : 200)),
  "a 5xx, pauses drawn between nothing and the longest": () => tries(() => status(500), {}, drawn()),
  "a 5xx, pauses that grow past the longest there is": () => tries(() => status(500), {}, { pauseMs: 8_000 }),
  ...Object.fromEntries(
    [400, 401, 403, 404, 408, 425, 429].map((code) => [
      `a ${code}, to be tried after a second`,
      () => tries(() => status(code, { "retry-after": "1" })),
    ]),
  ),
  "a 5xx, to be tried after 2 seconds": () => tries(busy("2")),
  "a 5xx, to be tried at a date": () => tries(busy("Thu, 01 Jan 1970 00:00:03 GMT")),
  "a 5xx, to be tried after an hour": () => tries(busy("3600")),
  "a 5xx, to be tried soon": () => tries(busy("soon")),
  "a lost connection": () => served(rawOk([], "").subarray(0, 9)),
  "an answer that is cut": () => served(rawOk(["Content-Length: 9"], "x")),
  "one that cannot be unpacked": () => served(rawOk(["Content-Encoding: gzip", "Content-Length: 4"], "none")),
  "a time limit": () => tries(hung, quick),
  "a time limit, where nothing is sent again after one": () => tries(hung, quick, { afterTimeouts: 0 }),
  "an answer that leads elsewhere": () => tries(() => Response.redirect("http://127.0.0.1:1/", 302)),
  "an answer that is too large": () => tries(() => new Response("x".repeat(2_000))),
  "no address": () => asked("x"),
  "a POST that does something, and a 5xx": () => tries(() => status(500), paid),
  "a POST that does something, and a time limit": () => tries(hung, { ...paid, ...quick }),
  "a POST that does something, and an answer that is cut": () =>
    served(rawOk(["Content-Length: 9"], "x"), paid),
  "a POST that does something, and nobody who listens": () => asked("http://127.0.0.1:1/", paid),
  "a POST that does something, and no such host": () => asked("http://no-such-host.invalid/", paid),
  "a POST that only reads, and a 5xx": () => tries(() => status(500), { ...paid, repeatable: true }),
  "a GET that must not be repeated, and a 5xx": () => tries(() => status(500), { repeatable: false }),
  "a question to a provider, and a 5xx": () => tries(() => status(502), {}, TWO_RETRIES),
  "a question to a provider, and a time limit": () => tries(hung, quick, TWO_RETRIES),
};
const TWO_RETRIES = twoRetries(() => 0, { random: () => 0, sleep: () => Promise.resolve() });

test("what is sent again, after which pauses, and what came of it: recorded", async () => {
  const came = new Map<string, string>();
  for (const [met, ask] of Object.entries(MET)) {
    const { sent, pauses, came: end } = await ask();
    came.set(met, `${end}: sent ${sent}${pauses.length > 0 ? `, after ${pauses.join(", ")} ms` : ""}`);
  }
  recordEach([...came.keys()], (met) => came.get(met));
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

const NOW = Date.parse("2026-03-01T00:00:00Z");

describe("Retry-After (RFC 9110, 10.2.3)", () => {
  test("is whole seconds or an HTTP date of any form, believed for a day at most, and nothing else: recorded", () => {
    const headers = texts(
      "120| 1 |Sun, 01 Mar 2026 00:01:00 GMT|Sunday, 01-Mar-26 00:01:00 GMT|Sun Mar  1 00:01:00 2026|86400",
      "86401|Wed, 01 Apr 2026 00:00:00 GMT|Fri, 31 Dec 9999 23:59:59 GMT||0|-1|+5|1.5|1e3|0x10|soon|2026-03-02",
      "2026-03-02T00:00:00Z|Sat, 28 Feb 2026 00:00:00 GMT|Sunday, 06-Nov-94 08:49:37 GMT",
      "Saturday, 01-Jan-77 00:00:00 GMT|Mon, 02 Mar 2026 25:00:00 GMT|Mon, 02 Mar 2026 00:00:00 PST",
    );
    recordEach([null, ...headers, "9".repeat(400)], (header) => retryAfterMs(header, NOW));
  });

  test("no header whatever makes a pause that is none or longer than a day", () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.integer().map(String),
          fc.date({ noInvalidDate: true }).map((date) => date.toUTCString()),
        ),
        (header) => {
          const ms = retryAfterMs(header, NOW);
          expect(ms === undefined || (ms > 0 && ms <= MAX_RETRY_AFTER_MS)).toBe(true);
        },
      ),
    );
  });
});
