/** HTTP for tests: the client without its pauses, and answers that are made up without a server. */

import type { Clock } from "../../src/base/base.ts";
import {
  type HttpClient,
  type HttpFailureKind,
  type HttpRequest,
  type HttpResult,
  httpClient,
  twoRetries,
  type Waiting,
} from "../../src/base/http_client.ts";

export const PROMPT: Waiting = { random: () => 0.5, sleep: () => Promise.resolve() };

/**
 * The service's own door to the outside, whose pauses pass at once. `timeoutMs` is a shorter time limit for all that is asked, where
 * something does not answer on purpose.
 */
export function promptHttp(clock: Clock, timeoutMs?: number): HttpClient {
  const door = httpClient(twoRetries(() => clock.now(), PROMPT));
  return timeoutMs === undefined ? door : { request: (request) => door.request({ ...request, timeoutMs }) };
}

// Answers of other servers as tests make them up, without a server.

/** An answer with this body, as JSON unless it is text. */
export function answered(
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): HttpResult {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  const bytes = new TextEncoder().encode(text);
  return {
    ok: true,
    status,
    headers: new Headers(headers),
    chunks: [bytes],
    size: bytes.byteLength,
    isWhole: true,
    text,
    requests: 1,
  };
}

export function unanswered(failure: HttpFailureKind): HttpResult {
  return { ok: false, failure, message: "no answer", requests: 1 };
}

export interface ScriptedHttp extends HttpClient {
  /** Every request so far. */
  readonly sent: readonly HttpRequest[];
}

/** A way out that leads to `answer`, which is given each request and its place. */
export function scriptedHttp(
  answer: (request: HttpRequest, nth: number) => HttpResult | Promise<HttpResult>,
): ScriptedHttp {
  const sent: HttpRequest[] = [];
  return {
    sent,
    request: async (request) => {
      sent.push(request);
      if (request.signal?.aborted === true) return { ...unanswered("aborted"), requests: 0 };
      return answer(request, sent.length - 1);
    },
  };
}

/** Posts with a token, as programs do: an object as JSON, a text or bytes as they are. */
export const poster =
  (token: string) =>
  (url: string, body: unknown, headers: Readonly<Record<string, string>> = {}): Promise<Response> =>
    fetch(url, {
      method: "POST",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json", ...headers },
      body:
        typeof body === "string" || body instanceof Uint8Array ? (body as BodyInit) : JSON.stringify(body),
    });

/** A page as gateways send them. */
export const HTML_PAGE = "<!DOCTYPE html>\n<html lang=en><title>Error 502 (Server Error)!!1</title>";

/** An error in the newer form of Google's APIs. */
export function googleError(
  code: number,
  status: string,
  message: string,
  details?: readonly unknown[],
): { readonly error: Readonly<Record<string, unknown>> } {
  return { error: { code, message, status, ...(details === undefined ? {} : { details }) } };
}

/** The detail that names a reason. */
export function errorInfo(reason: string): unknown {
  return { "@type": "type.googleapis.com/google.rpc.ErrorInfo", reason, domain: "googleapis.com" };
}

/** An error in the older form, which has no status. */
export function legacyError(code: number, reason: string, message: string) {
  return { error: { code, message, errors: [{ message, domain: "global", reason }] } };
}
