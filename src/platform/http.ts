/** The one outgoing HTTP door: one time limit, one size limit, no redirects, failures as values. */

/**
 * Takes a body as it comes, in the place of memory. What a method throws the request throws, too: that a disk is full says nothing of
 * the other side.
 */
export interface BodySink {
  /** Before the first piece of an answer. What came of one before, of a request that is sent again, is to be forgotten. */
  begin(status: number): Promise<void>;
  write(piece: Uint8Array): Promise<void>;
  /** After the last piece, or where no more of the answer is read. */
  end(): Promise<void>;
}

/** What is kept in memory of a body that goes elsewhere, in bytes: enough for every error and every page of a gateway. */
export const HELD_BYTES = 65_536;

/** One request. Times are milliseconds, sizes are bytes. */
export interface HttpRequest {
  readonly url: string;
  readonly method: "GET" | "HEAD" | "POST" | "PUT" | "PATCH" | "DELETE";
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array<ArrayBuffer> | Blob;
  /** From the call to the last byte of the body. */
  readonly timeoutMs: number;
  /** Largest body after decompression; no more of one is read. */
  readonly maxBytes: number;
  /** Gives the request up, and every pause between its repetitions. */
  readonly signal?: AbortSignal;
  /** Whether it may be sent again when it is not known what became of it. Unless said, only GET and HEAD may. */
  readonly repeatable?: boolean;
  /** Most repetitions, where fewer than the door's policy allows. */
  readonly retries?: number;
  /** Where the body goes, up to `maxBytes` of it where there is more. */
  readonly into?: BodySink;
  /** Connects to an address that was checked, in the place of resolving the host again; the name is what a certificate must be for. */
  readonly connect?: {
    /** In brackets where it is one of IPv6. */
    readonly address: string;
    readonly name: string | undefined;
    readonly ca: string | undefined;
  };
}

/** An answer of any status: whether 404 or 500 is a failure is for the caller to judge. */
export interface HttpResponse {
  readonly ok: true;
  readonly status: number;
  readonly headers: Headers;
  /**
   * The body's exact bytes, decompressed, in the pieces in which they came: a large one can go on as it is. Of one that went into a
   * sink its first `HELD_BYTES` at most.
   */
  readonly chunks: readonly Uint8Array[];
  /** How many bytes the body has. */
  readonly size: number;
  /** Whether `chunks` and `text` hold all of the body. */
  readonly isWhole: boolean;
  /** The body as UTF-8, decoded when it is first asked for; bytes that are no UTF-8 become U+FFFD. */
  readonly text: string;
  /** Requests sent to get it, those before the last one too. */
  readonly requests: number;
}

/** Why there is no answer. After `refused` and `dns` the other side has seen nothing of the request. */
export type HttpFailureKind =
  | "address"
  | "refused"
  | "dns"
  | "tls"
  | "reset"
  | "connection"
  | "timeout"
  | "aborted"
  | "redirect"
  /** The connection ended before the body did. */
  | "cut"
  /** The body cannot be decompressed. */
  | "encoding"
  | "too-large";

export interface HttpFailure {
  readonly ok: false;
  readonly failure: HttpFailureKind;
  /** For logs: it may name the host, never a path, a query, a header or a body, any of which may hold a secret. */
  readonly message: string;
  readonly requests: number;
}

export type HttpResult = HttpResponse | HttpFailure;

/**
 * Sends one request, once. Never throws for anything the network or the other side does; throws what its sink does. `before` is how
 * many were sent for the same answer already.
 */
export async function httpRequest(request: HttpRequest, before = 0): Promise<HttpResult> {
  const { signal } = request;
  const address = URL.parse(request.url);
  if (address === null || (address.protocol !== "http:" && address.protocol !== "https:")) {
    return failed("address", "the address is not an http or https URL", before);
  }
  const { host } = address;
  const isGivenUp = () => signal?.aborted === true;
  if (isGivenUp()) return failed("aborted", `the request to ${host} was given up`, before);
  const abort = new AbortController();
  const giveUp = () => abort.abort();
  const timer = setTimeout(giveUp, request.timeoutMs);
  signal?.addEventListener("abort", giveUp);
  const requests = before + 1;
  let answered = false;
  try {
    const { target, headers, tls } = connection(address, request);
    const response = await fetch(target, {
      ...tls,
      method: request.method,
      redirect: "error",
      signal: abort.signal,
      // A kept connection may be gone by now: that is found out by what is sent over it, and cannot be told from an answer that was lost.
      keepalive: isRepeatable(request),
      ...(headers === undefined ? {} : { headers }),
      ...(request.body === undefined ? {} : { body: request.body }),
    });
    answered = true;
    const body = await readBody(response, request);
    return body === undefined
      ? failed("too-large", `${host} answered with more than ${request.maxBytes} bytes`, requests)
      : new Answer(response, body, requests);
  } catch (error) {
    if (error instanceof SinkFailure) throw error.cause;
    if (isGivenUp()) return failed("aborted", `the request to ${host} was given up`, requests);
    const kind = abort.signal.aborted ? "timeout" : kindOf(error, answered);
    return failed(kind, wordsOf(kind, host, request.timeoutMs), requests);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", giveUp);
    // Ends a body of which no more is read.
    abort.abort();
  }
}

/** Where the request goes: to the host of its address, or to the address that stands in for it, under the host's name. */
function connection(address: URL, { connect, headers }: HttpRequest) {
  if (connect === undefined) return { target: address, headers, tls: {} };
  const target = new URL(address);
  target.hostname = connect.address;
  const { name: serverName, ca } = connect;
  const tls = { ...(serverName === undefined ? {} : { serverName }), ...(ca === undefined ? {} : { ca }) };
  return { target, headers: { ...headers, host: address.host }, tls: { tls } };
}

/** Whether a request may be sent again when it is not known what became of it. */
export function isRepeatable({ repeatable, method }: HttpRequest): boolean {
  return repeatable ?? (method === "GET" || method === "HEAD");
}

/** A body as far as it is kept in memory, and how many bytes it has in all. */
interface Held {
  readonly chunks: readonly Uint8Array[];
  readonly size: number;
}

class Answer implements HttpResponse {
  readonly ok = true;
  readonly status: number;
  readonly headers: Headers;
  readonly chunks: readonly Uint8Array[];
  readonly size: number;
  readonly requests: number;
  #text: string | undefined;

  constructor(response: Response, { chunks, size }: Held, requests: number) {
    this.status = response.status;
    this.headers = response.headers;
    this.chunks = chunks;
    this.size = size;
    this.requests = requests;
  }

  get isWhole(): boolean {
    return this.size === this.chunks.reduce((sum, chunk) => sum + chunk.byteLength, 0);
  }

  get text(): string {
    this.#text ??= decoded(this.chunks);
    return this.#text;
  }
}

function decoded(chunks: readonly Uint8Array[]): string {
  const decoder = new TextDecoder();
  let text = "";
  for (const chunk of chunks) text += decoder.decode(chunk, { stream: true });
  return text + decoder.decode();
}

/** The body; undefined once there is more of it than may be. */
async function readBody(
  response: Response,
  { maxBytes, into }: Pick<HttpRequest, "maxBytes" | "into">,
): Promise<Held | undefined> {
  if (into === undefined) return readPieces(response, maxBytes, undefined);
  try {
    await intoSink(() => into.begin(response.status));
    return await readPieces(response, maxBytes, into);
  } finally {
    await intoSink(() => into.end());
  }
}

async function readPieces(
  response: Response,
  maxBytes: number,
  into: BodySink | undefined,
): Promise<Held | undefined> {
  const chunks: Uint8Array[] = [];
  if (response.body === null) return { chunks, size: 0 };
  let size = 0;
  for await (const chunk of response.body) {
    const before = size;
    size += chunk.byteLength;
    const held = into === undefined ? maxBytes : HELD_BYTES;
    if (size <= maxBytes && before < held) chunks.push(chunk.subarray(0, held - before));
    if (into !== undefined) await intoSink(() => into.write(chunk.subarray(0, maxBytes - before)));
    if (size > maxBytes) return undefined;
  }
  return { chunks, size };
}

/** What a sink threw, told apart from what the connection did. */
class SinkFailure extends Error {}

async function intoSink(step: () => Promise<void>): Promise<void> {
  try {
    await step();
  } catch (cause) {
    throw new SinkFailure("a sink failed", { cause });
  }
}

function failed(failure: HttpFailureKind, message: string, requests: number): HttpFailure {
  return { ok: false, failure, message, requests };
}

/** Codes of what `fetch` throws before there is an answer. Its messages are not looked at: they hold the address. */
const BEFORE_AN_ANSWER: Readonly<Record<string, HttpFailureKind>> = {
  ECONNREFUSED: "refused",
  ENOTFOUND: "dns",
  EAI_AGAIN: "dns",
  ECONNRESET: "reset",
  EPROTO: "tls",
  UnexpectedRedirect: "redirect",
};

function kindOf(error: unknown, answered: boolean): HttpFailureKind {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  if (/^(?:Zlib|Brotli|Zstd)|Decompression/.test(code)) return "encoding";
  if (answered) return "cut";
  if (/CERT|SIGNATURE|TLS|SSL/.test(code)) return "tls";
  return BEFORE_AN_ANSWER[code] ?? "connection";
}

function wordsOf(kind: HttpFailureKind, host: string, timeoutMs: number): string {
  switch (kind) {
    case "timeout":
      return `${host} did not answer within ${timeoutMs} ms`;
    case "redirect":
      return `${host} answered with a redirect, which is not followed`;
    case "cut":
      return `the answer of ${host} was cut off`;
    case "encoding":
      return `the answer of ${host} cannot be decompressed`;
    case "tls":
      return `no secure connection to ${host}`;
    default:
      return `no connection to ${host}`;
  }
}
