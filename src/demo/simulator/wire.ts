/** What goes over a connection in answer to a request, and how the connection is left. */

import { constants, crc32, deflateRawSync, gzipSync } from "node:zlib";
import type { Socket, TCPSocketListener } from "bun";
import { bytesOf, headOf, readRequest, type SimulatedAnswer, type SimulatedRequest } from "./http_message.ts";

export interface Wire {
  /** Written one after the other … */
  readonly parts: readonly Uint8Array[];
  /** … with this long between them, in milliseconds of the machine. */
  readonly pauseMs: number;
  /** `hold` leaves the connection open and says nothing more. */
  readonly leave: "keep" | "close" | "reset" | "hold";
}

/** What a connection does to an answer. */
export type TransportFault =
  /** The connection is broken off before a byte of the answer. */
  | { readonly kind: "reset" }
  /** Nothing is ever answered. */
  | { readonly kind: "hang" }
  /** Status 200 and the headers come at once, then a byte every `everyMs` (of the machine). */
  | { readonly kind: "drip"; readonly everyMs: number }
  /** Closed half way through a body whose length was told. */
  | { readonly kind: "cut-body" }
  /** Closed half way through a body whose length nobody told: only its end says that it is cut. */
  | { readonly kind: "cut-unframed" }
  /** The body in pieces, whole. */
  | { readonly kind: "chunked" }
  /** The body compressed, whole. */
  | { readonly kind: "gzip" }
  /** The body compressed, its end missing. */
  | { readonly kind: "bad-gzip" }
  /** A body of this many bytes, as one JSON text; on the wire as long as it says. */
  | { readonly kind: "huge"; readonly bytes: number }
  /** The same, compressed to about a thousandth. */
  | { readonly kind: "gzip-bomb"; readonly bytes: number };

const CLOSING = { connection: "close" };
const MEBIBYTE = 1024 * 1024;

/** An answer as it should be, as long as its length says. */
export function wholly(answer: SimulatedAnswer, isHead = false): Wire {
  const body = bytesOf(answer.body);
  const head = headOf(answer, { "content-length": String(body.byteLength) });
  return { parts: isHead ? [head] : [Buffer.concat([head, body])], pauseMs: 0, leave: "keep" };
}

/**
 * An answer after which the connection is closed. A client that keeps connections asks again by itself where one that was kept breaks
 * off, so that a fault that meets one request would not be seen.
 */
export function closing(answer: SimulatedAnswer): SimulatedAnswer {
  return { ...answer, headers: { ...answer.headers, ...CLOSING } };
}

/** How a connection is left that is not to be kept. */
export function closed(wire: Wire): Wire {
  return wire.leave === "keep" ? { ...wire, leave: "close" } : wire;
}

/** An answer with what its connection does to it; `undefined` for a fault that is none of the connection. */
export function faulty(answer: SimulatedAnswer, fault: { readonly kind: string }): Wire | undefined {
  return wired(answer, fault as TransportFault);
}

function wired(answer: SimulatedAnswer, fault: TransportFault): Wire | undefined {
  const body = bytesOf(answer.body);
  const half = body.subarray(0, Math.ceil(body.byteLength / 2));
  const length = { "content-length": String(body.byteLength) };
  const wire = (leave: Wire["leave"], ...parts: Uint8Array[]): Wire => ({ parts, pauseMs: 0, leave });
  const gzip = { "content-encoding": "gzip" };
  switch (fault.kind) {
    case "reset":
      return wire("reset");
    case "hang":
      return wire("hold");
    case "drip":
      return {
        parts: [headOf(answer, length), ...Array.from(body, (byte) => Uint8Array.of(byte))],
        pauseMs: fault.everyMs,
        leave: "keep",
      };
    case "cut-body":
      return wire("close", headOf(answer, length), half);
    case "cut-unframed":
      return wire("close", headOf(answer, CLOSING), half);
    case "chunked":
      return wire(
        "keep",
        headOf(answer, { "transfer-encoding": "chunked" }),
        chunk(half),
        chunk(body.subarray(half.byteLength)),
        Buffer.from("0\r\n\r\n"),
      );
    case "gzip":
      return wholly({ ...answer, headers: { ...answer.headers, ...gzip }, body: gzipSync(body) });
    case "bad-gzip": {
      const packed = gzipSync(body);
      const cut = packed.subarray(0, Math.floor(packed.byteLength / 2));
      return wholly({ ...answer, headers: { ...answer.headers, ...gzip }, body: cut });
    }
    case "huge":
      return wire("keep", headOf(answer, { "content-length": String(fault.bytes) }), ...padding(fault.bytes));
    case "gzip-bomb":
      return wire("close", headOf(answer, { ...gzip, ...CLOSING }), ...bomb(fault.bytes));
    default:
      return undefined;
  }
}

function chunk(bytes: Uint8Array): Buffer {
  return Buffer.concat([Buffer.from(`${bytes.byteLength.toString(16)}\r\n`), bytes, Buffer.from("\r\n")]);
}

/** A JSON text of so many bytes, in pieces of which most are the same memory. */
function padding(bytes: number): Uint8Array[] {
  const [before, after] = [Buffer.from('{"rows":["'), Buffer.from('"]}')];
  const filling = Buffer.alloc(MEBIBYTE, "x");
  const parts: Uint8Array[] = [before];
  for (let left = bytes - before.byteLength - after.byteLength; left > 0; left -= filling.byteLength) {
    parts.push(filling.subarray(0, Math.min(left, filling.byteLength)));
  }
  return [...parts, after];
}

/** So many bytes of spaces as one stream of gzip: the same compressed block again and again. */
function bomb(bytes: number): Uint8Array[] {
  const mebibytes = Math.ceil(bytes / MEBIBYTE);
  const spaces = Buffer.alloc(MEBIBYTE, " ");
  // Ten bytes of header, then blocks that end on a byte (a full flush), so that they may stand behind one another.
  const header = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3]);
  const block = deflateRawSync(spaces, { finishFlush: constants.Z_FULL_FLUSH });
  const blocks = Array.from({ length: mebibytes }, () => block);
  // An empty last block, the sum and the length.
  const end = Buffer.from([3, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
  let sum = 0;
  for (let done = 0; done < mebibytes; done++) sum = crc32(spaces, sum);
  end.writeUInt32LE(sum, 2);
  end.writeUInt32LE((mebibytes * MEBIBYTE) % 2 ** 32, 6);
  return [header, ...blocks, end];
}

/** A loopback listener over raw sockets, which can do to a connection what a server of HTTP would not. */

export interface Listener {
  readonly url: string;
  readonly isOpen: boolean;
  /** Refuses connections and breaks off those there are. */
  close(): void;
  /** Takes connections again, at the same address. */
  open(): void;
}

/** What a connection is in the middle of. */
interface Line {
  received: Buffer;
  /** What is to be written, in order. */
  readonly left: Uint8Array[];
  isAnswering: boolean;
  isGone: boolean;
  /** Called when there is room to write, or the other side has gone. */
  wake: () => void;
}

/** Listens on a port of loopback; 0 takes any free one. Throws when the port is taken. */
export function listenOn(port: number, answer: (request: SimulatedRequest) => Promise<Wire>): Listener {
  const sockets = new Set<Socket<Line>>();
  let server: TCPSocketListener<Line> | undefined = bind(port);
  const bound = server.port;

  function bind(at: number): TCPSocketListener<Line> {
    return Bun.listen<Line>({
      hostname: "127.0.0.1",
      port: at,
      socket: {
        open(socket) {
          socket.data = {
            received: Buffer.alloc(0),
            left: [],
            isAnswering: false,
            isGone: false,
            wake: () => undefined,
          };
          sockets.add(socket);
        },
        data(socket, bytes) {
          const { data } = socket;
          data.received =
            data.received.byteLength === 0 ? Buffer.from(bytes) : Buffer.concat([data.received, bytes]);
          if (!data.isAnswering) void serve(socket);
        },
        drain: (socket) => socket.data.wake(),
        close(socket) {
          sockets.delete(socket);
          socket.data.isGone = true;
          socket.data.wake();
        },
        error: () => undefined,
      },
    });
  }

  /** Answers the requests of a connection, one after the other. */
  async function serve(socket: Socket<Line>): Promise<void> {
    const { data } = socket;
    data.isAnswering = true;
    for (;;) {
      const read = readRequest(data.received);
      if (read === undefined || data.isGone) break;
      data.received = data.received.subarray(read.length);
      const wire = await answer(read.request);
      for (const part of wire.parts) {
        await write(socket, part);
        if (data.isGone) return;
        if (wire.pauseMs > 0) await Bun.sleep(wire.pauseMs);
      }
      if (wire.leave === "hold") return;
      if (wire.leave === "close") return void socket.end();
      if (wire.leave === "reset") return void socket.terminate();
    }
    data.isAnswering = false;
  }

  return {
    url: `http://127.0.0.1:${bound}`,
    get isOpen() {
      return server !== undefined;
    },
    close() {
      server?.stop(true);
      server = undefined;
      for (const socket of sockets) socket.terminate();
    },
    open() {
      server ??= bind(bound);
    },
  };
}

/** Writes a part whole, waiting for room where there is none. */
async function write(socket: Socket<Line>, part: Uint8Array): Promise<void> {
  const { data } = socket;
  for (let at = 0; at < part.byteLength && !data.isGone; ) {
    const { promise, resolve } = Promise.withResolvers<void>();
    data.wake = resolve;
    const written = socket.write(part.subarray(at));
    if (written < 0) return;
    at += written;
    if (at < part.byteLength) await promise;
  }
}
