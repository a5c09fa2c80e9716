import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { MAX_ANNOTATION_BYTES } from "../../src/sites/annotation_schema.ts";
import { HARBOR_TOKEN } from "../support/deps.ts";
import { expectBroken, expectProblem } from "../support/problem.ts";
import { sendRaw } from "../support/raw_http.ts";
import {
  type AnnotationListener,
  annotation,
  annotationListener,
  CI_TOKEN,
  READER_TOKEN,
} from "./listener.ts";

let listener: AnnotationListener;
beforeEach(async () => {
  listener = await annotationListener();
});
afterEach(async () => {
  await listener.stop();
});

const NOT_JSON = { "content-type": "text/plain" };
const as = (token: string) => ({ authorization: `Bearer ${token}` });
const padded = (bytes: number) => {
  const bare = JSON.stringify(annotation());
  return bare + " ".repeat(bytes - bare.length);
};

describe("the checks before an annotation is stored, in the decided order (decisions 3)", () => {
  test("1: another host's name is 421, before the token", async () => {
    await expectProblem(
      await listener.post(annotation(), { host: "evil.example", ...as("x") }),
      "unknown-host",
    );
  });

  test("1: on the ingest a request that a browser made is 403", async () => {
    await expectProblem(await listener.post(annotation(), { origin: "http://127.0.0.1" }), "browser-origin");
    await expectProblem(await listener.post(annotation(), { "sec-fetch-site": "none" }), "browser-origin");
  });

  test("2: an unknown path is 404, another method 405 with Allow, both before the token", async () => {
    await expectProblem(await fetch(`${listener.url}/1`, { method: "POST" }), "not-found");
    const response = await fetch(listener.url, { method: "DELETE" });
    expect(response.headers.get("allow")).toBe("POST");
    await expectProblem(response, "method-not-allowed");
  });

  test("3: without a token, with an unknown one, or with two, 401 with WWW-Authenticate, before the content type", async () => {
    const anonymous = await fetch(listener.url, { method: "POST", headers: NOT_JSON, body: "{" });
    expect(anonymous.headers.get("www-authenticate")).toBe("Bearer");
    await expectProblem(anonymous, "unauthenticated");
    for (const authorization of [
      "Bearer unknown",
      "Basic Y2k6eA==",
      `Bearer ${CI_TOKEN}, Bearer ${CI_TOKEN}`,
      CI_TOKEN,
    ]) {
      await expectProblem(await listener.post("{", { authorization, ...NOT_JSON }), "unauthenticated");
    }
  });

  test("3: a site's token and an operator's token without the scope are 403, before the content type", async () => {
    for (const token of [HARBOR_TOKEN, READER_TOKEN]) {
      await expectProblem(await listener.post("{", { ...as(token), ...NOT_JSON }), "insufficient-scope");
    }
    listener.apiTokens.remove(new Bun.CryptoHasher("sha256").update(CI_TOKEN).digest("hex"));
    await expectProblem(await listener.post(annotation()), "unauthenticated");
  });

  test("4: another content type is 415, before the size", async () => {
    await expectProblem(
      await listener.post("x".repeat(MAX_ANNOTATION_BYTES + 1), NOT_JSON),
      "unsupported-media-type",
    );
  });

  test("5: 16 KiB pass and one byte more is 413, before the encoding", async () => {
    expect((await listener.post(padded(MAX_ANNOTATION_BYTES))).status).toBe(201);
    const over = padded(MAX_ANNOTATION_BYTES + 1);
    await expectProblem(await listener.post(over, { "content-encoding": "gzip" }), "body-too-large");
  });

  test("5: the bound holds for a chunked body without a length", async () => {
    const chunk = `4000\r\n${" ".repeat(0x4000)}\r\n`;
    const head = [
      "POST /api/annotations HTTP/1.1",
      `Host: 127.0.0.1:${listener.port}`,
      `Authorization: Bearer ${CI_TOKEN}`,
      "Content-Type: application/json",
      "Transfer-Encoding: chunked",
    ].join("\r\n");
    const answer = await sendRaw(listener.port, [`${head}\r\n\r\n`, chunk, "1\r\n \r\n", "0\r\n\r\n"]);
    expect(answer.status).toBe(413);
    expect(JSON.parse(answer.body)).toMatchObject({ type: "/problems/body-too-large" });
  });

  test("6: a content encoding is 415, before the JSON", async () => {
    await expectProblem(await listener.post("{", { "content-encoding": "gzip" }), "unsupported-encoding");
    expect((await listener.post(annotation(), { "content-encoding": "identity" })).status).toBe(201);
  });

  test("7: malformed JSON, a key twice, deep nesting and bad UTF-8 are 400, before the contract", async () => {
    const deep = `${"[".repeat(17)}${"]".repeat(17)}`;
    for (const body of ["", "{", '{"ref":"a","ref":"b"}', deep, new Uint8Array([0x22, 0xff, 0x22])]) {
      await expectProblem(await listener.post(body), "malformed-json");
    }
  });

  test("8: a broken contract is 422 with the pointers", async () => {
    expect(await expectBroken(await listener.post(annotation({ kind: "x" })))).toEqual(["/kind enum"]);
  });

  test("10: when storage fails the answer is 503 with Retry-After and nothing is stored", async () => {
    listener.store.raw.run("PRAGMA query_only = ON");
    const response = await listener.post(annotation());
    listener.store.raw.run("PRAGMA query_only = OFF");
    expect(response.headers.get("retry-after")).toBe("2");
    await expectProblem(response, "storage-unavailable");
    expect(listener.stored()).toBe(0);
    expect(listener.lines.filter(({ message }) => message === "storage refused a write")).toHaveLength(1);
  });

  test("nothing is stored by any refused request", async () => {
    await listener.post(annotation(), as(READER_TOKEN));
    await listener.post(annotation(), NOT_JSON);
    await listener.post(annotation({ ref: "" }));
    expect(listener.stored()).toBe(0);
  });

  test("a use of the token is noted for its last-used time", async () => {
    await listener.post(annotation());
    expect(listener.apiTokens.takeUses().map(({ token, at }) => [token.id, at])).toEqual([
      ["ci", listener.clock.now()],
    ]);
  });
});
