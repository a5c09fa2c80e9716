/** A loopback listener over raw sockets, which can do to a connection what a server of HTTP would not. */
import type { Socket, TCPSocketListener } from "bun";
import { readRequest, type SimulatedRequest } from "./http_message.ts";
import type { Wire } from "./wire.ts";

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
