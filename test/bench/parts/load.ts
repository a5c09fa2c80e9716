/**
 * A load client of our own: keep-alive connections with one request under way each, bounded in time, loopback only. It runs as a
 * process of its own, so that it can stand on another core than the server, and prints one line of JSON.
 */

/** What a run of the client is asked to do; read from standard input as JSON. */
export interface LoadOrder {
  readonly port: number;
  readonly path: string;
  readonly connections: number;
  readonly warmUpMs: number;
  readonly measureMs: number;
  /** Requests are taken in turn. */
  readonly requests: readonly { readonly token: string; readonly body: string }[];
}

/** What it saw. Times are milliseconds. */
export interface LoadResult {
  readonly perSecond: number;
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
  readonly answers: number;
  /** Answers of the warm-up, too: what the server's CPU time is divided by. */
  readonly all: number;
  /** Answers whose status is not 2xx, and connections that broke. */
  readonly refused: number;
}

/** Runs the client on its own core, when the machine has `taskset` and a second core. */
export async function runLoad(order: LoadOrder): Promise<LoadResult> {
  const child = Bun.spawn([...onCore(1), process.execPath, import.meta.path], {
    stdin: new Blob([JSON.stringify(order)]),
    stdout: "pipe",
    stderr: "inherit",
  });
  return JSON.parse(await new Response(child.stdout).text()) as LoadResult;
}

/** The words that pin a command to a core; none where that cannot be done. */
export function onCore(core: number): string[] {
  return Bun.which("taskset") !== null && navigator.hardwareConcurrency > 1
    ? ["taskset", "-c", String(core)]
    : [];
}

interface Connection {
  left: Buffer[];
  sentAt: number;
  wanted: number;
  received: Buffer;
}

async function drive(order: LoadOrder): Promise<LoadResult> {
  const packets = order.requests.map(({ token, body }) => {
    const bytes = Buffer.from(body);
    const head = `POST ${order.path} HTTP/1.1\r\nHost: 127.0.0.1:${order.port}\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\nContent-Length: ${bytes.byteLength}\r\n\r\n`;
    return Buffer.concat([Buffer.from(head), bytes]);
  });
  const times: number[] = [];
  let refused = 0;
  let all = 0;
  let turn = 0;
  const begin = performance.now() + order.warmUpMs;
  const end = begin + order.measureMs;

  type Socket = Bun.Socket<Connection>;
  const write = (socket: Socket) => {
    for (let first = socket.data.left[0]; first !== undefined; first = socket.data.left[0]) {
      const written = socket.write(first);
      if (written < first.byteLength) {
        socket.data.left[0] = first.subarray(Math.max(0, written));
        return;
      }
      socket.data.left.shift();
    }
  };
  const send = (socket: Socket) => {
    const packet = packets[turn++ % packets.length];
    if (packet === undefined) return;
    socket.data.left = [packet];
    socket.data.sentAt = performance.now();
    write(socket);
  };
  const { promise: finished, resolve } = Promise.withResolvers<void>();
  let open = order.connections;
  const close = () => {
    if (--open === 0) resolve();
  };
  for (let i = 0; i < order.connections; i++) {
    await Bun.connect<Connection>({
      hostname: "127.0.0.1",
      port: order.port,
      data: { left: [], sentAt: 0, wanted: -1, received: Buffer.alloc(0) },
      socket: {
        open: send,
        drain: write,
        close,
        data: (socket, chunk) => {
          const { data } = socket;
          data.received =
            data.received.byteLength === 0 ? Buffer.from(chunk) : Buffer.concat([data.received, chunk]);
          const cut = data.received.indexOf("\r\n\r\n");
          if (cut < 0) return;
          const head = data.received.subarray(0, cut).toString("latin1");
          const length = Number(/content-length: *(\d+)/i.exec(head)?.[1] ?? 0);
          if (data.received.byteLength < cut + 4 + length) return;
          data.received = Buffer.alloc(0);
          all++;
          const now = performance.now();
          if (data.sentAt >= begin && now <= end) {
            if (head.startsWith("HTTP/1.1 2")) times.push(now - data.sentAt);
            else refused++;
          }
          if (now < end) send(socket);
          else socket.end();
        },
      },
    });
  }
  await Promise.race([finished, Bun.sleep(order.warmUpMs + order.measureMs + 5_000)]);
  times.sort((a, b) => a - b);
  const at = (share: number) => times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? 0;
  return {
    perSecond: times.length / (order.measureMs / 1000),
    p50: at(0.5),
    p99: at(0.99),
    max: times.at(-1) ?? 0,
    answers: times.length,
    all,
    refused,
  };
}

if (import.meta.main) {
  const order = (await Bun.stdin.json()) as LoadOrder;
  process.stdout.write(`${JSON.stringify(await drive(order))}\n`);
  process.exit(0);
}
