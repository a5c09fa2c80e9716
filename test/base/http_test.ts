import { describe, expect, test } from "bun:test";
import { type HttpRequest, httpRequest } from "../../src/base/http.ts";
import { rawAnswers, rawOk } from "../support/raw_answer.ts";

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
