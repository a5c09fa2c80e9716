/** One HTTP answer as it came over a socket. */
export interface RawAnswer {
  /** 0 when the connection ended without an answer. */
  readonly status: number;
  readonly headers: Headers;
  readonly body: string;
}

/** Writes bytes to a loopback port as they are and reads the first answer, up to its declared length or the end. */
export async function sendRaw(port: number, parts: readonly (string | Uint8Array)[]): Promise<RawAnswer> {
  const bytes = Buffer.concat(parts.map((part) => Buffer.from(part as Uint8Array)));
  const line = await Line.open(port);
  const answer = await line.ask({ bytes, isHead: false });
  line.end();
  return answer;
}

/** One of many requests: its bytes, and whether the answer has no body whatever its length says. */
interface RawRequest {
  readonly bytes: Uint8Array;
  readonly isHead: boolean;
}

/** Longest wait for an answer. */
const PATIENCE_MS = 20_000;

/** Sends requests over some connections at once, each after the answer to the one before it, and reads every answer. */
export async function sendMany(
  port: number,
  requests: readonly RawRequest[],
  connections: number,
): Promise<RawAnswer[]> {
  const answers: RawAnswer[] = [];
  let next = 0;
  const work = async () => {
    let line: Line | undefined;
    for (let at = next++; at < requests.length; at = next++) {
      const request = requests[at] as RawRequest;
      line = line?.isOpen === true ? line : await Line.open(port);
      answers[at] = await line.ask(request);
    }
    line?.end();
  };
  await Promise.all(Array.from({ length: connections }, work));
  return answers;
}

/** A connection that is kept for as long as the other side keeps it. */
class Line {
  isOpen = true;
  #left: Uint8Array = Buffer.alloc(0);
  #received = Buffer.alloc(0);
  #isHead = false;
  #wake: () => void = () => undefined;
  #socket: { write(bytes: Uint8Array): number; end(): unknown } | undefined;

  static async open(port: number): Promise<Line> {
    const line = new Line();
    const gone = () => {
      line.isOpen = false;
      line.#wake();
    };
    const drain = () => line.#write();
    line.#socket = await Bun.connect({
      hostname: "127.0.0.1",
      port,
      socket: {
        data: (_, chunk) => {
          line.#received = Buffer.concat([line.#received, chunk]);
          if (isWhole(line.#received, line.#isHead)) line.#wake();
        },
        drain,
        close: gone,
        end: gone,
        error: gone,
      },
    });
    return line;
  }

  async ask({ bytes, isHead }: RawRequest): Promise<RawAnswer> {
    this.#received = Buffer.alloc(0);
    this.#isHead = isHead;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#wake = resolve;
    const timer = setTimeout(() => {
      this.end();
      resolve();
    }, PATIENCE_MS);
    this.#left = bytes;
    this.#write();
    if (this.isOpen) await promise;
    clearTimeout(timer);
    const answer = parse(this.#received);
    if (answer.status === 0 || answer.headers.get("connection") === "close") this.end();
    return answer;
  }

  #write(): void {
    this.#left = this.#left.subarray(Math.max(0, this.#socket?.write(this.#left) ?? 0));
  }

  end(): void {
    this.isOpen = false;
    this.#socket?.end();
  }
}

function split(bytes: Buffer): { head: string; body: Buffer } | undefined {
  const at = bytes.indexOf("\r\n\r\n");
  return at < 0
    ? undefined
    : { head: bytes.subarray(0, at).toString("latin1"), body: bytes.subarray(at + 4) };
}

function isWhole(bytes: Buffer, isHead = false): boolean {
  const parts = split(bytes);
  if (parts === undefined) return false;
  if (isHead || /^HTTP\/1\.[01] [23]04/.test(parts.head)) return true;
  const length = /\r\ncontent-length: *(\d+)/i.exec(parts.head)?.[1];
  return length !== undefined && parts.body.byteLength >= Number(length);
}

function parse(bytes: Buffer): RawAnswer {
  const parts = split(bytes);
  if (parts === undefined) return { status: 0, headers: new Headers(), body: bytes.toString("utf8") };
  const [first = "", ...lines] = parts.head.split("\r\n");
  const headers = new Headers();
  for (const line of lines) {
    const cut = line.indexOf(":");
    headers.append(line.slice(0, cut), line.slice(cut + 1).trim());
  }
  return {
    status: Number(/^HTTP\/1\.[01] (\d{3})/.exec(first)?.[1] ?? 0),
    headers,
    body: parts.body.toString("utf8"),
  };
}

// A loopback server that answers with bytes as they are given to it, whether they make HTTP or not.

/** How a connection ends after its bytes: closed, torn down, or held open. */
export type Ending = "close" | "reset" | "hold";

export interface RawServer extends Disposable {
  readonly url: string;
  /** Connections that asked for something. */
  readonly asked: number;
}

/** Answers each connection with the next of `answers`, the last one ever after. */
export function rawAnswers(
  ...answers: readonly { readonly bytes: string | Uint8Array; readonly ending?: Ending }[]
): RawServer {
  let asked = 0;
  const listener = Bun.listen({
    hostname: "127.0.0.1",
    port: 0,
    socket: {
      data(socket) {
        const { bytes, ending = "close" } = answers[Math.min(asked, answers.length - 1)] ?? { bytes: "" };
        asked++;
        socket.write(bytes);
        socket.flush();
        if (ending === "close") socket.end();
        else if (ending === "reset") socket.terminate();
      },
    },
  });
  return {
    url: `http://127.0.0.1:${listener.port}/`,
    get asked() {
      return asked;
    },
    [Symbol.dispose]: () => listener.stop(true),
  };
}

/** The head of an answer of status 200 with these header lines, then its body. */
export function rawOk(headers: readonly string[], body: string | Uint8Array): Uint8Array {
  const head = `${["HTTP/1.1 200 OK", ...headers].join("\r\n")}\r\n\r\n`;
  return Buffer.concat([Buffer.from(head), typeof body === "string" ? Buffer.from(body) : body]);
}
