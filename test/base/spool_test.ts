import { describe, expect, test } from "bun:test";
import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { Spool, SpoolFault, SpoolFile } from "../../src/base/files.ts";
import {
  type BodySink,
  HELD_BYTES,
  type HttpRequest,
  httpClient,
  httpRequest,
  twoRetries,
} from "../../src/base/http_client.ts";
import { temporaryFolder } from "../support/folder.ts";
import { PROMPT } from "../support/http.ts";
import { rawAnswers, rawOk } from "../support/raw_http.ts";

const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8);

async function openedIn(folder: string): Promise<Spool> {
  const spool = new Spool(join(folder, "spool"));
  await spool.open();
  return spool;
}

describe("the spool", () => {
  test("is this user's alone, and empty when it is opened, whatever lay there", async () => {
    using folder = temporaryFolder();
    const path = join(folder.path, "spool");
    mkdirSync(join(path, "deep/deeper"), { recursive: true });
    writeFileSync(join(path, "left"), "of before");
    chmodSync(path, 0o755);
    const spool = await openedIn(folder.path);
    expect([readdirSync(path), modeOf(path)]).toEqual([[], "700"]);
    const one = spool.file();
    const file = new SpoolFile(one);
    await file.begin();
    await file.write(Buffer.from("a"));
    await file.end();
    expect([modeOf(one), readFileSync(one, "utf8"), file.bytes]).toEqual(["600", "a", 1]);
    expect(spool.file()).not.toBe(one);
    await spool.remove([one, spool.file()]);
    expect(readdirSync(path)).toStrictEqual([]);
  });

  test("that cannot be used says so by its own error, whose cause is the system's", async () => {
    using folder = temporaryFolder();
    writeFileSync(join(folder.path, "file"), "");
    const inTheWay = new Spool(join(folder.path, "file"));
    expect(await inTheWay.open().catch((error: unknown) => error)).toBeInstanceOf(SpoolFault);
    const spool = await openedIn(folder.path);
    const path = spool.file();
    symlinkSync("/dev/full", path);
    const file = new SpoolFile(path);
    await file.begin();
    const fault = await file.write(Buffer.from("a")).catch((error: unknown) => error);
    expect(fault).toBeInstanceOf(SpoolFault);
    expect((fault as SpoolFault).cause).toMatchObject({ code: "ENOSPC" });
    await file.end();
  });
});

describe("an answer that goes into a file", () => {
  const get = (url: string | URL, into: BodySink, change: Partial<HttpRequest> = {}): HttpRequest => ({
    url: String(url),
    method: "GET",
    timeoutMs: 5_000,
    maxBytes: 4_000_000,
    into,
    ...change,
  });

  async function into(answer: (request: Request) => Response, change: Partial<HttpRequest> = {}) {
    using folder = temporaryFolder();
    using server = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: answer });
    const spool = await openedIn(folder.path);
    const path = spool.file();
    const file = new SpoolFile(path);
    const result = await httpRequest(get(server.url, file, change));
    return { result, written: readFileSync(path), bytes: file.bytes };
  }

  test("is there byte for byte, decompressed; only its beginning is kept in memory", async () => {
    const body = Buffer.from(Array.from({ length: 3_000_000 }, (_, place) => (place * 7) % 251));
    for (const packed of [false, true]) {
      const { result, written, bytes } = await into(() =>
        packed
          ? new Response(Bun.gzipSync(body), { headers: { "content-encoding": "gzip" } })
          : new Response(body),
      );
      expect(written.equals(body)).toBe(true);
      expect(result).toMatchObject({ ok: true, size: body.byteLength, isWhole: false });
      expect(bytes).toBe(body.byteLength);
      const held = result.ok ? Buffer.concat(result.chunks) : Buffer.alloc(0);
      expect(held.equals(body.subarray(0, HELD_BYTES))).toBe(true);
    }
  });

  test("goes there while more of it is to come", async () => {
    const written = Promise.withResolvers<void>();
    let bytes = 0;
    using server = Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      fetch: () =>
        new Response(
          new ReadableStream({
            start: async (controller) => {
              controller.enqueue(new Uint8Array(100_000));
              await written.promise;
              controller.enqueue(new Uint8Array(50_000));
              controller.close();
            },
          }),
        ),
    });
    const sink: BodySink = {
      begin: () => Promise.resolve(),
      write: async (piece) => {
        bytes += piece.byteLength;
        if (bytes === 100_000) written.resolve();
      },
      end: () => Promise.resolve(),
    };
    expect(await httpRequest(get(server.url, sink))).toMatchObject({ ok: true, size: 150_000 });
  });

  test("is all in memory, too, where it is small: whoever judges it sees the whole of it", async () => {
    const { result, written } = await into(() => new Response("é".repeat(HELD_BYTES / 2), { status: 403 }));
    expect(result).toMatchObject({ ok: true, status: 403, isWhole: true, text: "é".repeat(HELD_BYTES / 2) });
    expect(written.byteLength).toBe(HELD_BYTES);
    const none = await into(() => new Response(null, { status: 204 }));
    expect(none.result).toMatchObject({ ok: true, isWhole: true, text: "" });
    expect(none.written.byteLength).toBe(0);
  });

  test("ends at the limit of its size, packed or not, and as much of it is there", async () => {
    const body = new Uint8Array(300_000).fill(0x61);
    for (const packed of [false, true]) {
      const { result, written } = await into(
        () =>
          packed
            ? new Response(Bun.gzipSync(body), { headers: { "content-encoding": "gzip" } })
            : new Response(body),
        { maxBytes: 100_000 },
      );
      expect(result).toMatchObject({ ok: false, failure: "too-large" });
      expect(written.byteLength).toBe(100_000);
    }
  });

  test("is begun anew when it is asked for again: nothing of the one that was cut stays", async () => {
    using folder = temporaryFolder();
    const whole = rawOk(["Content-Length: 4"], "done");
    using server = rawAnswers(
      { bytes: rawOk(["Content-Length: 400"], "half of it") },
      { bytes: "HTTP/1.1 503 Busy\r\nContent-Length: 3\r\n\r\nno!" },
      { bytes: whole },
    );
    const spool = await openedIn(folder.path);
    const path = spool.file();
    const result = await httpClient(twoRetries(() => 0, PROMPT)).request(
      get(server.url, new SpoolFile(path)),
    );
    expect(result).toMatchObject({ ok: true, requests: 3, text: "done" });
    expect(readFileSync(path, "utf8")).toBe("done");
  });

  test("that cannot be written is thrown as the file's own error, never told as the other side's, and not asked for again", async () => {
    using folder = temporaryFolder();
    let asked = 0;
    using server = Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      fetch: () => {
        asked++;
        return new Response("x".repeat(200_000));
      },
    });
    const spool = await openedIn(folder.path);
    const path = spool.file();
    symlinkSync("/dev/full", path);
    const door = httpClient(twoRetries(() => 0, PROMPT));
    const fault = await door.request(get(server.url, new SpoolFile(path))).catch((error: unknown) => error);
    expect(fault).toBeInstanceOf(SpoolFault);
    expect(asked).toBe(1);
    const gone = new Spool(join(folder.path, "nowhere"));
    expect(
      await door.request(get(server.url, new SpoolFile(gone.file()))).catch((error: unknown) => error),
    ).toBeInstanceOf(SpoolFault);
  });
});
