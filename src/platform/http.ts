/** The one outgoing HTTP door: one time limit, one size limit, no redirects, failures as values. */

/** One request. Times are milliseconds, sizes are bytes. */
export interface HttpRequest {
  readonly url: string;
  readonly method: "GET" | "HEAD" | "POST" | "PUT" | "PATCH" | "DELETE";
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array<ArrayBuffer>;
  /** From the call to the last byte of the body. */
  readonly timeoutMs: number;
  /** Largest body after decompression. */
  readonly maxBytes: number;
}

/** An answer of any status: whether 404 or 500 is a failure is for the caller to judge. */
export interface HttpResponse {
  readonly ok: true;
  readonly status: number;
  readonly headers: Headers;
  /** The body as UTF-8; bytes that are no UTF-8 become U+FFFD. */
  readonly text: string;
}

/** Why there is no answer. `message` is for logs: it may name the host, never a header or a body. */
export interface HttpFailure {
  readonly ok: false;
  readonly failure: "address" | "connection" | "timeout" | "redirect" | "too-large";
  readonly message: string;
}

export type HttpResult = HttpResponse | HttpFailure;

/** Sends one request, once. Never throws for anything the network or the other side does. */
export async function httpRequest(request: HttpRequest): Promise<HttpResult> {
  const address = URL.parse(request.url);
  if (address === null || (address.protocol !== "http:" && address.protocol !== "https:")) {
    return failure("address", "the address is not an http or https URL");
  }
  const abort = new AbortController();
  const timer = setTimeout(() => abort.abort(), request.timeoutMs);
  try {
    const response = await fetch(address, {
      method: request.method,
      redirect: "error",
      signal: abort.signal,
      ...(request.headers === undefined ? {} : { headers: request.headers }),
      ...(request.body === undefined ? {} : { body: request.body }),
    });
    const text = await readText(response, request.maxBytes);
    if (text === undefined) {
      return failure("too-large", `${address.host} answered with more than ${request.maxBytes} bytes`);
    }
    return { ok: true, status: response.status, headers: response.headers, text };
  } catch (error) {
    if (abort.signal.aborted) {
      return failure("timeout", `${address.host} did not answer within ${request.timeoutMs} ms`);
    }
    return isRedirect(error)
      ? failure("redirect", `${address.host} answered with a redirect, which is not followed`)
      : failure("connection", `no connection to ${address.host}`);
  } finally {
    clearTimeout(timer);
    abort.abort();
  }
}

function failure(kind: HttpFailure["failure"], message: string): HttpFailure {
  return { ok: false, failure: kind, message };
}

function isRedirect(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "UnexpectedRedirect";
}

async function readText(response: Response, maxBytes: number): Promise<string | undefined> {
  if (response.body === null) return "";
  const decoder = new TextDecoder();
  let text = "";
  let size = 0;
  for await (const chunk of response.body) {
    size += chunk.byteLength;
    if (size > maxBytes) return undefined;
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}

/** How often and how long a request is tried again. */
export interface RetryPolicy {
  /** Tries after the first one. */
  readonly retries: number;
  /** Pause before the first retry in milliseconds; it doubles each time. */
  readonly pauseMs: number;
  /** Longest pause; a server that asks for more gets no retry. */
  readonly maxPauseMs: number;
  readonly now: () => number;
  readonly sleep: (ms: number) => Promise<void>;
}

/** A policy with real pauses: three retries after 1, 2 and 4 seconds, or after what Retry-After asks, up to a minute. */
export function threeRetries(now: () => number): RetryPolicy {
  return { retries: 3, pauseMs: 1_000, maxPauseMs: 60_000, now, sleep: (ms) => Bun.sleep(ms) };
}

/**
 * Sends a request and, when no connection came about or the answer is a 5xx, sends it again within the policy.
 * A timeout is not tried again: the other side may have done the work.
 */
export async function httpRequestWithRetry(request: HttpRequest, policy: RetryPolicy): Promise<HttpResult> {
  for (let tried = 0; ; tried++) {
    const result = await httpRequest(request);
    const again = result.ok ? result.status >= 500 : result.failure === "connection";
    if (!again || tried >= policy.retries) return result;
    const asked = result.ok ? retryAfterMs(result.headers.get("retry-after"), policy.now()) : undefined;
    const pause = asked ?? Math.min(policy.pauseMs * 2 ** tried, policy.maxPauseMs);
    if (pause > policy.maxPauseMs) return result;
    await policy.sleep(pause);
  }
}

/** Reads a Retry-After header (RFC 9110, 10.2.3: seconds or an HTTP date) as milliseconds from `now`. */
export function retryAfterMs(header: string | null, now: number): number | undefined {
  if (header === null) return undefined;
  const value = header.trim();
  if (/^\d{1,9}$/.test(value)) return Number(value) * 1_000;
  if (!/^[A-Z][a-z]{2},? /.test(value)) return undefined;
  const at = Date.parse(value);
  return Number.isNaN(at) ? undefined : Math.max(0, at - now);
}
