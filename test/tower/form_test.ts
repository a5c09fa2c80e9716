import { afterAll, afterEach, beforeAll, describe, expect, jest, test } from "bun:test";
import { readFileSync } from "node:fs";
import { Problem, problemResponse } from "../../src/base/problem.ts";
import { readBody } from "../../src/base/receive.ts";
import { readForm, refusedFields, typedInto } from "../../src/tower/kit/route.ts";
import { paths } from "../../src/tower/paths.ts";
import { temporaryFolder } from "../support/folder.ts";
import type { ProblemBody } from "../support/problem.ts";
import { type RawAnswer, sendRaw } from "../support/raw_http.ts";
import { type Service, startService } from "../support/service.ts";
import { Walk } from "../support/tower.ts";
import { until } from "../support/until.ts";

const KIB = 1_024;

describe("a form has a bound and a deadline", () => {
  afterEach(() => {
    jest.useRealTimers();
  });

  const codeOf = async (reading: Promise<unknown>): Promise<string> => {
    const failure = await reading.then(
      () => undefined,
      (error: unknown) => error,
    );
    return failure instanceof Problem ? failure.code : String(failure);
  };
  const request = (body: BodyInit) => new Request("http://localhost/", { method: "POST", body });

  test("what did not arrive within 10 seconds is refused as late", async () => {
    jest.useFakeTimers();
    const code = codeOf(
      readBody(request(new ReadableStream({ pull: () => new Promise(() => undefined) })), 10),
    );
    jest.advanceTimersByTime(9_999);
    let settled = false;
    void code.then(() => {
      settled = true;
    });
    await Promise.resolve();
    expect(settled).toBe(false);
    jest.advanceTimersByTime(1);
    expect(await code).toBe("request-timeout");
  });

  test("of another type is told which one is read, and not that it must be JSON", async () => {
    const refused = await readForm(request("kind=deploy")).catch((error: unknown) => error);
    const told = refused instanceof Problem && (await problemResponse(refused, "1").json());
    expect(told).toMatchObject({
      title: "The content type is not accepted",
      detail: "Send the form as application/x-www-form-urlencoded.",
    });
  });

  test("a signed-in operator's form may have 64 KiB", async () => {
    const walk = await new Walk().signedIn();
    const post = (bytes: number) => walk.post(paths.issueOperatorToken, { name: "x".repeat(bytes) });
    expect((await post(63 * KIB)).status).toBe(422);
    expect((await post(64 * KIB)).status).toBe(413);
  });

  test("the form of the constants document may have 512 KiB", async () => {
    const walk = await new Walk().signedIn();
    const post = (bytes: number) => walk.post(paths.constants, { text: "x".repeat(bytes) });
    expect((await post(511 * KIB)).status).not.toBe(413);
    expect((await post(512 * KIB)).status).toBe(413);
  });
});

describe("before signing in", () => {
  const folder = temporaryFolder();
  let service: Service;
  let port: number;
  beforeAll(async () => {
    const settings = { DATA_DIR: folder.path, INGEST_PORT: "0", TOWER_PORT: "0" };
    // Its memory is looked at: it gives back what it frees, as an installed service does, whatever the tests do.
    service = await startService(settings, { before: ["env", "-u", "MIMALLOC_PURGE_DELAY"] });
    port = Number(new URL(service.towerUrl).port);
  });
  afterAll(async () => {
    await service.end("SIGKILL");
    folder[Symbol.dispose]();
  });

  const head = (path: string, framing: string) =>
    [
      `POST ${path} HTTP/1.1`,
      `Host: 127.0.0.1:${port}`,
      `Origin: http://127.0.0.1:${port}`,
      "Content-Type: application/x-www-form-urlencoded",
      framing,
      "\r\n",
    ].join("\r\n");
  const withLength = (path: string, body: string, length = body.length) =>
    sendRaw(port, [head(path, `Content-Length: ${length}`), body]);
  const inChunks = (path: string, body: string) =>
    sendRaw(port, [
      head(path, "Transfer-Encoding: chunked"),
      `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`,
    ]);
  const codeOf = ({ body }: RawAnswer) => (JSON.parse(body) as ProblemBody).type;

  for (const path of ["/sign-in", "/setup"]) {
    test(`${path} takes 8 KiB and not a byte more, with a length and in chunks`, async () => {
      const form = (bytes: number) => "name=".padEnd(bytes, "a");
      expect((await withLength(path, form(8 * KIB))).status).not.toBe(413);
      expect((await inChunks(path, form(8 * KIB))).status).not.toBe(413);
      expect(codeOf(await withLength(path, form(8 * KIB + 1)))).toBe("/problems/body-too-large");
      expect(codeOf(await inChunks(path, form(8 * KIB + 1)))).toBe("/problems/body-too-large");
      // Refused by its length alone: nothing of it was sent.
      expect(codeOf(await withLength(path, "", 8 * KIB + 1))).toBe("/problems/body-too-large");
    });
  }

  test("no other form is read at all: the answer does not wait for it", async () => {
    for (const path of ["/settings/constants", "/settings/password", "/flags/dispositions", "/sites"]) {
      const { status } = await withLength(path, "text=", 500 * KIB);
      expect([303, 404, 405]).toContain(status);
    }
  });

  test("300 unfinished forms of half a megabyte cost less than 48 MiB, and their senders' leaving is no error", async () => {
    const resident = () =>
      Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${service.pid}/status`, "utf8"))?.[1]) / KIB;
    const before = resident();
    const sockets: Bun.Socket[] = [];
    for (let i = 0; i < 300; i++) {
      const framing = i % 2 === 0 ? "Content-Length: 524000" : "Transfer-Encoding: chunked";
      const start = i % 2 === 0 ? "" : "7fee0\r\n";
      let left: Uint8Array = Buffer.from(`${head("/sign-in", framing)}${start}${"a".repeat(523_000)}`);
      const pump = (socket: Bun.Socket) => {
        while (left.byteLength > 0) {
          const written = socket.write(left);
          if (written <= 0) return;
          left = left.subarray(written);
        }
      };
      sockets.push(
        await Bun.connect({
          hostname: "127.0.0.1",
          port,
          socket: { open: pump, drain: pump, data: () => undefined, error: () => undefined },
        }),
      );
    }
    const small = await Bun.connect({ hostname: "127.0.0.1", port, socket: { data: () => undefined } });
    small.write(`${head("/sign-in", "Content-Length: 5000")}name=`);
    await fetch(`${service.towerUrl}/healthz`);
    expect(resident() - before).toBeLessThan(48);
    for (const socket of [...sockets, small]) socket.terminate();
    const figures = await until(
      async () => (await fetch(`${service.towerUrl}/metrics`)).text(),
      (text) => text.includes('tower_http_answers_total{listener="tower",status="400"} 1'),
    );
    expect(figures.seen).toContain('status="400"');
    expect(figures.seen).not.toMatch(/status="5\d\d"/);
    await service.end("SIGTERM");
    expect(await service.errors()).not.toMatch(/"level":"(?:error|warning)"/);
  });
});

describe("what was typed", () => {
  test("comes without the space around it, and a field that was not sent is as it was before", () => {
    const form = new URLSearchParams({ url: " https://shop.example ", more: "x" });
    expect(typedInto(form, { url: "", lifecycle: "live" })).toEqual({
      url: "https://shop.example",
      lifecycle: "live",
    });
  });

  test("what is chosen comes as it was sent: a form of ours has no space around a choice", () => {
    const form = new URLSearchParams({ url: " https://shop.example ", lifecycle: " live" });
    expect(typedInto(form, { url: "", lifecycle: "live" }, ["lifecycle"])).toEqual({
      url: "https://shop.example",
      lifecycle: " live",
    });
  });

  test("a refused field has the first of its sentences", () => {
    const broken = (pointer: string, message: string) => ({ pointer, rule: "r", message });
    const errors = [
      broken("/url", "must be an address"),
      broken("/url", "must be short"),
      broken("/families/1/storage", "must be one of d1, kv"),
    ];
    expect(refusedFields(errors)).toEqual({
      url: "It must be an address.",
      storage: "It must be one of d1, kv.",
    });
  });
});
