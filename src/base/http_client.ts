/**
 * The one way out by HTTP: one time limit, one size limit, no redirects, failures as values (`httpRequest`), and one policy of sending
 * again (`httpClient`).
 */

import { setTimeout as wait } from "node:timers/promises";

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

export type HttpResult = HttpResponse | ReturnType<typeof failed>;

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
      : answerOf(response, body, requests);
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
function isRepeatable({ repeatable, method }: HttpRequest): boolean {
  return repeatable ?? (method === "GET" || method === "HEAD");
}

/** A body as far as it is kept in memory, and how many bytes it has in all. */
interface Held {
  readonly chunks: readonly Uint8Array[];
  readonly size: number;
}

function answerOf({ status, headers }: Response, { chunks, size }: Held, requests: number): HttpResponse {
  const isWhole = size === chunks.reduce((sum, chunk) => sum + chunk.byteLength, 0);
  let text: string | undefined;
  return {
    ok: true,
    status,
    headers,
    chunks,
    size,
    isWhole,
    get text() {
      text ??= new TextDecoder().decode(Buffer.concat(chunks));
      return text;
    },
    requests,
  };
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

/** `message` is for logs: it may name the host, never a path, a query, a header or a body, any of which may hold a secret. */
function failed(failure: HttpFailureKind, message: string, requests: number) {
  return { ok: false, failure, message, requests } as const;
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

// Retry-After (RFC 9110, 10.2.3): how long another server asks to be left alone.

/** Longest period that is believed: a server that means longer is asked once a day. */
export const MAX_RETRY_AFTER_MS = 86_400_000;

/**
 * Reads a Retry-After header (whole seconds or an HTTP date) as milliseconds from `now`, at most a day. Undefined where there is none
 * and where it says nothing: what is no such value, no time at all, or a moment that is over.
 */
export function retryAfterMs(header: string | null, now: number): number | undefined {
  const value = header?.trim() ?? "";
  const ms = /^\d+$/.test(value) ? Number(value) * 1_000 : dateOf(value) - now;
  return ms > 0 ? Math.min(ms, MAX_RETRY_AFTER_MS) : undefined;
}

/** A date in the form in use or one of the two obsolete ones, of which one names no zone (RFC 9110, 5.6.7); NaN for any other text. */
const DATE = /^[A-Z][a-z]{2,8},? .*\d{2}:\d{2}:\d{2}(?: GMT| \d{4})$/;
const dateOf = (text: string): number =>
  DATE.test(text) ? Date.parse(text.endsWith(" GMT") ? text : `${text} GMT`) : Number.NaN;

/** How often and how long a request is tried again. Times are milliseconds. */
export interface RetryPolicy {
  /** Tries after the first one. */
  readonly retries: number;
  /** How many of them may follow a time limit that was reached: each costs that time once more. */
  readonly afterTimeouts: number;
  /** Longest pause before the first retry; it doubles each time. The pause itself is drawn between 0 and that. */
  readonly pauseMs: number;
  /** Longest pause at all; a server that asks for more gets no retry. */
  readonly maxPauseMs: number;
  readonly now: () => number;
  /** A number from 0 up to 1. */
  readonly random: () => number;
  /** Waits, at most until the signal aborts. */
  readonly sleep: (ms: number, signal: AbortSignal | undefined) => Promise<void>;
}

/** Everything that goes out of the service by HTTP goes through one of these. */
export interface HttpClient {
  /** Sends a request, and sends it again within the door's policy. `requests` of the result counts every one. Throws what its sink throws, and nothing else. */
  request(request: HttpRequest): Promise<HttpResult>;
}

/** What a policy takes from the machine. */
export type Waiting = Pick<RetryPolicy, "random" | "sleep">;

export const systemWaiting: Waiting = {
  random: Math.random,
  sleep: (ms, signal) => wait(ms, undefined, { signal }).catch(() => undefined),
};

/** For a command that somebody waits for: three retries within 1, 2 and 4 seconds, or after what Retry-After asks, up to a minute. */
export function threeRetries(now: () => number, waiting: Waiting = systemWaiting): RetryPolicy {
  return { retries: 3, afterTimeouts: 0, pauseMs: 1_000, maxPauseMs: 60_000, now, ...waiting };
}

/** For questions to providers, which are asked again soon in any case: two retries within 1 and 2 seconds, one after a time limit. */
export function twoRetries(now: () => number, waiting: Waiting = systemWaiting): RetryPolicy {
  return { retries: 2, afterTimeouts: 1, pauseMs: 1_000, maxPauseMs: 10_000, now, ...waiting };
}

/** A door to the outside with this policy. */
export function httpClient(policy: RetryPolicy): HttpClient {
  return { request: (request) => requestWithin(policy, request) };
}

async function requestWithin(policy: RetryPolicy, request: HttpRequest): Promise<HttpResult> {
  let timeouts = 0;
  for (let tried = 0; ; tried++) {
    const result = await httpRequest(request, tried);
    if (tried >= Math.min(policy.retries, request.retries ?? policy.retries) || !mayRepeat(request, result))
      return result;
    if (!result.ok && result.failure === "timeout" && ++timeouts > policy.afterTimeouts) return result;
    const asked = result.ok ? retryAfterMs(result.headers.get("retry-after"), policy.now()) : undefined;
    const longest = Math.min(policy.pauseMs * 2 ** tried, policy.maxPauseMs);
    const pause = asked ?? policy.random() * longest;
    if (pause > policy.maxPauseMs) return result;
    // Once it has aborted, the next turn sends nothing and says so.
    await policy.sleep(pause, request.signal);
  }
}

/** A 429 is never among them: a server that is asked too often is not asked once more. */
function mayRepeat(request: HttpRequest, result: HttpResult): boolean {
  if (!result.ok && (result.failure === "refused" || result.failure === "dns")) return true;
  if (!isRepeatable(request)) return false;
  return result.ok ? result.status >= 500 : REPEATED.has(result.failure);
}

const REPEATED: ReadonlySet<string> = new Set(["reset", "connection", "timeout", "cut", "encoding"]);
