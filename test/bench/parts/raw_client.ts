/** One keep-alive connection with one request under way, timed at the socket: what `fetch` costs would hide what a server does. */

/** An answer, with the milliseconds from the request's first byte to the answer's last. */
export interface RawAnswer {
  readonly status: number;
  readonly body: string;
  readonly ms: number;
}

interface State {
  left: Buffer;
  received: Buffer;
  sentAt: number;
  answered: (answer: RawAnswer) => void;
  broken: (error: Error) => void;
}

/** A connection to a port of this machine. */
export class RawClient {
  readonly #socket: Bun.Socket<State>;

  private constructor(socket: Bun.Socket<State>) {
    this.#socket = socket;
  }

  static async connect(port: number): Promise<RawClient> {
    const ended = (socket: Bun.Socket<State>) => socket.data.broken(new Error("the connection ended"));
    const write = (socket: Bun.Socket<State>) => {
      const written = Math.max(0, socket.write(socket.data.left));
      socket.data.left = socket.data.left.subarray(written);
    };
    const socket = await Bun.connect<State>({
      hostname: "127.0.0.1",
      port,
      data: {
        left: Buffer.alloc(0),
        received: Buffer.alloc(0),
        sentAt: 0,
        answered: () => undefined,
        broken: () => undefined,
      },
      socket: {
        drain: write,
        close: ended,
        error: ended,
        data: ({ data }, chunk) => {
          data.received = Buffer.concat([data.received, chunk]);
          const cut = data.received.indexOf("\r\n\r\n");
          if (cut < 0) return;
          const head = data.received.subarray(0, cut).toString("latin1");
          const length = Number(/content-length: *(\d+)/i.exec(head)?.[1] ?? 0);
          if (data.received.byteLength < cut + 4 + length) return;
          const body = data.received.subarray(cut + 4, cut + 4 + length).toString();
          data.received = Buffer.alloc(0);
          data.answered({ status: Number(head.slice(9, 12)), body, ms: performance.now() - data.sentAt });
        },
      },
    });
    return new RawClient(socket);
  }

  /** Sends a request made by `getPacket` or `postPacket`; `since` is when it was due, where that was earlier than now. */
  ask(packet: Buffer, since = performance.now()): Promise<RawAnswer> {
    const { promise, resolve, reject } = Promise.withResolvers<RawAnswer>();
    const { data } = this.#socket;
    Object.assign(data, { left: packet, sentAt: since, answered: resolve, broken: reject });
    data.left = packet.subarray(Math.max(0, this.#socket.write(packet)));
    return promise;
  }

  close(): void {
    this.#socket.data.broken = () => undefined;
    this.#socket.end();
  }
}

export function getPacket(port: number, path: string): Buffer {
  return Buffer.from(`GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n\r\n`);
}

export function postPacket(port: number, path: string, token: string, body: string): Buffer {
  const bytes = Buffer.from(body);
  const head = `POST ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\nContent-Length: ${bytes.byteLength}\r\n\r\n`;
  return Buffer.concat([Buffer.from(head), bytes]);
}
