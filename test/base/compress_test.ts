import { describe, expect, test } from "bun:test";
import { chosenEncoding, compressed } from "../../src/base/http_handler.ts";
import { seededIds } from "../support/ids.ts";
import { recordEach } from "../support/mixtures.ts";

const PAGE = "<p>words and words</p>".repeat(200);
const ask = (accept?: string, method = "GET") =>
  new Request("http://localhost/", {
    method,
    ...(accept === undefined ? {} : { headers: { "accept-encoding": accept } }),
  });
const page = (body: string | null = PAGE, headers: Record<string, string> = {}) =>
  new Response(body, { status: 200, headers: { "content-type": "text/html; charset=utf-8", ...headers } });

describe("answers are compressed by us (decisions 8)", () => {
  test("the encoding that is chosen, recorded", () => {
    const accepted =
      "gzip, deflate, br, zstd|gzip, deflate|GZIP|zstd;q=0, gzip;q=0.5|gzip;q=0|br|identity||gzip;q=x";
    recordEach(accepted.split("|"), chosenEncoding);
  });

  test("what comes back unpacks to what was answered, with status and headers kept", async () => {
    for (const [accept, unpack] of [
      ["zstd", Bun.zstdDecompressSync],
      ["gzip", Bun.gunzipSync],
    ] as const) {
      const response = await compressed(ask(accept), page(PAGE, { etag: '"x"' }));
      expect(response.headers.get("content-encoding")).toBe(accept);
      expect(response.headers.get("vary")).toBe("accept-encoding");
      expect(response.headers.get("etag")).toBe('"x"');
      expect(new TextDecoder().decode(unpack(await response.bytes()))).toBe(PAGE);
    }
  });

  test("a large answer is packed on another thread: the loop turns meanwhile", async () => {
    // Hard to pack, so that packing takes many times as long as a turn of the loop.
    const large = Buffer.from(seededIds().bytes(1 << 21)).toString("hex");
    for (const [accept, unpack] of [
      ["zstd", Bun.zstdDecompressSync],
      ["gzip", Bun.gunzipSync],
    ] as const) {
      let turned = false;
      setImmediate(() => {
        turned = true;
      });
      const response = await compressed(ask(accept), page(large));
      expect({ turned, encoding: response.headers.get("content-encoding") }).toEqual({
        turned: true,
        encoding: accept,
      });
      expect(new TextDecoder().decode(unpack(await response.bytes()))).toBe(large);
    }
  });

  test("an answer that comes through twice is as if it came once", async () => {
    for (const [request, body] of [
      [ask(), PAGE],
      [ask("zstd"), PAGE],
      [ask("zstd"), "short"],
    ] as const) {
      const once = await compressed(request, page(body, { vary: "HX-Request" }));
      const twice = await compressed(request, await compressed(request, page(body, { vary: "HX-Request" })));
      expect([...twice.headers]).toEqual([...once.headers]);
      expect(twice.headers.get("vary")).toBe("HX-Request, accept-encoding");
      expect(await twice.bytes()).toEqual(await once.bytes());
    }
  });

  test("small answers, pictures, streams of nothing and answers already packed stay as they are", async () => {
    expect((await compressed(ask("gzip"), page("s".repeat(1_023)))).headers.has("content-encoding")).toBe(
      false,
    );
    expect((await compressed(ask("gzip"), page("s".repeat(1_024)))).headers.has("content-encoding")).toBe(
      true,
    );
    expect(
      (await compressed(ask("gzip"), page(PAGE, { "content-type": "image/png" }))).headers.has("vary"),
    ).toBe(false);
    expect((await compressed(ask("gzip"), page(null))).body).toBeNull();
    expect(
      (await compressed(ask("gzip"), page(PAGE, { "content-encoding": "br" }))).headers.get(
        "content-encoding",
      ),
    ).toBe("br");
  });

  test("an answer that was not packed still says that it may be, for caches", async () => {
    const response = await compressed(ask(), page());
    expect({ vary: response.headers.get("vary"), text: await response.text() }).toEqual({
      vary: "accept-encoding",
      text: PAGE,
    });
  });
});
