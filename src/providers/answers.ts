/**
 * A provider's answer before its figures are looked at, the same for every provider: each way in which it is none is tried in order, and
 * nothing is a success before the last. A status of 200 proves nothing: it comes with half a body, with a gateway's page and with an
 * error inside.
 */

import * as v from "valibot";
import {
  type HttpFailureKind,
  type HttpResponse,
  type HttpResult,
  retryAfterMs,
} from "../base/http_client.ts";
import { isCutJson } from "../base/json_list.ts";
import { type Fault, type FaultCode, faultOf, type Outcome, refused } from "./faults.ts";

/** An answer as a provider's own table of errors is asked about it. */
export interface AnswerSeen {
  readonly status: number;
  /** The parsed body. */
  readonly json: unknown;
  /** The body as it came. */
  readonly text: string;
  /** What the header asks for. */
  readonly retryAfterMs: number | undefined;
}

/** The provider's table: the fault where the body is one of its errors, whatever the status says; undefined where it is none. */
export type ErrorTable = (answer: AnswerSeen) => Fault | undefined;

/** A body that is no error: as it came, and parsed. Of one that went elsewhere and is large there is its beginning, and nothing parsed. */
export interface Body {
  readonly text: string;
  readonly json: unknown;
}

/** The body of an answer that is no error, or why there is none. */
export function readAnswer(result: HttpResult, errors: ErrorTable, now: number): Outcome<Body> {
  if (!result.ok) return { ok: false, fault: faultOf(FAILURES[result.failure]) };
  const retryAfter = retryAfterMs(result.headers.get("retry-after"), now);
  const read = jsonIn(result);
  if ("code" in read) {
    return { ok: false, fault: faultOf(read.code, { retryAfterMs: retryAfter }) };
  }
  const { status, text } = result;
  const answer = { status, json: read.json, text, retryAfterMs: retryAfter };
  const fault = errors(answer) ?? statusFault(answer);
  return fault === undefined ? { ok: true, value: { text, json: read.json } } : { ok: false, fault };
}

/** Transport: a body that could not be read to its end counts, whatever the status was. */
export const FAILURES: Readonly<Record<HttpFailureKind, FaultCode>> = {
  address: "wrong_address",
  refused: "connection_refused",
  dns: "host_unknown",
  tls: "no_secure_connection",
  reset: "connection_lost",
  connection: "connection_lost",
  timeout: "timed_out",
  aborted: "stopped",
  redirect: "redirected",
  cut: "answer_cut_off",
  encoding: "answer_garbled",
  "too-large": "report_too_large",
};

/**
 * The body as JSON. Judged by its first sign, not by its content type: gateways send pages as anything. Of a large one that went
 * elsewhere nothing but that sign is known here: what reads it says the rest. No error is that long.
 */
function jsonIn({
  text,
  status,
  isWhole,
}: HttpResponse): { readonly json: unknown } | { readonly code: FaultCode } {
  const page = { code: PAGES[status] ?? "not_a_report" };
  if (!isWhole) return JSON_BEGINS.test(text) ? { json: undefined } : page;
  try {
    return { json: JSON.parse(text) };
  } catch {
    if (!JSON_BEGINS.test(text)) return page;
    return { code: isCutJson(text) ? "report_cut_off" : "unreadable_report" };
  }
}

const JSON_BEGINS = /^\s*[{["]/;

/** What a page that is no JSON says by its status alone; with every other status, 200 too, it is a gateway's. */
const PAGES: Readonly<Record<number, FaultCode>> = {
  401: "signed_out",
  403: "access_refused",
  404: "wrong_address",
  429: "rate_limited",
};

/** A status that tells of an error, with a body that does not say which. */
function statusFault({ status, retryAfterMs: known }: AnswerSeen): Fault | undefined {
  if (status >= 200 && status < 300) return undefined;
  return faultOf(codeOfStatus(status), { retryAfterMs: known });
}

/** By the status alone. */
export function codeOfStatus(status: number): FaultCode {
  if (status in PAGES) return PAGES[status] ?? "provider_failed";
  // Too early, a time limit on their side, and a client that left: nothing of ours is wrong.
  if (status === 408 || status === 425 || status === 499) return "provider_failed";
  return status >= 400 && status < 500 ? "request_refused" : "provider_failed";
}

/** An object with these parts, and others beside them; a list is none, though it may seem one without parts. */
export function objectOf<Entries extends v.ObjectEntries>(entries: Entries) {
  return v.pipe(
    v.custom<object>((value) => typeof value === "object" && value !== null && !Array.isArray(value)),
    v.object(entries),
  );
}

/** An answer may come as JSON in a string of JSON. */
export function unwrapped(json: unknown): unknown {
  if (typeof json !== "string" || !/^\s*[{[]/.test(json)) return json;
  try {
    return JSON.parse(json);
  } catch {
    return json;
  }
}

/** A value of the shape that a report has. */
export function shaped<Schema extends v.GenericSchema>(
  value: unknown,
  schema: Schema,
): Outcome<v.InferOutput<Schema>> {
  const read = v.safeParse(schema, value);
  return read.success ? { ok: true, value: read.output } : refused("unexpected_report");
}
