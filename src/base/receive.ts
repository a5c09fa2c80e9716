/**
 * Receiving a JSON body from outside, in the decided order: token, content type, size, content encoding, well-formed JSON,
 * contract. Nothing of the body is read before the token is known.
 */

import type * as v from "valibot";
import { TimeSlicer } from "./concurrency.ts";
import { type BrokenRule, readContract } from "./contract.ts";
import { Problem } from "./problem.ts";

/** What reading a body is refused for. */
const BODY_REFUSALS = ["body-too-large", "request-timeout", "incomplete-body"] as const;

/** How long a body may take to arrive, in milliseconds. */
const DEADLINE_MS = 10_000;

/**
 * What is left of a body that is too large is let through to nowhere by the runtime, up to this length: a reverse proxy that is still
 * sending when the connection is closed tells its client 502 and not what we said.
 */
const LONGEST_LEFT = 16 * 1024 * 1024;

/** What is left of any other refused body is not waited for. */
const CLOSE = { headers: { connection: "close" } } as const;

const read = new WeakMap<Request, number>();

/** How many bytes of a request's body were read or awaited, whatever came of them. */
export function bytesRead(request: Request): number {
  return read.get(request) ?? 0;
}

/**
 * Reads a body of at most `maxBytes` bytes; what lies beyond is never looked at, with or without a declared length. Throws a
 * `Problem`: nothing that a sender does here is a fault of the service.
 */
export async function readBody(request: Request, maxBytes: number): Promise<Uint8Array> {
  const declared = request.headers.get("content-length");
  if (declared !== null && Number(declared) > maxBytes) throw tooLarge(maxBytes, Number(declared));
  if (request.body === null) return new Uint8Array();
  if (declared !== null) read.set(request, Number(declared));
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    // Made only when it is: its stack would cost every report more than reading it.
    timer = setTimeout(
      () => reject(new Problem("request-timeout", "The body did not arrive within 10 seconds.", CLOSE)),
      DEADLINE_MS,
    );
  });
  try {
    // The server holds a body to its declared length, so one with a length within the bound needs no counting.
    return await Promise.race([
      declared === null ? readCounted(request, request.body, maxBytes) : request.bytes(),
      late,
    ]);
  } catch (error) {
    throw error instanceof Problem
      ? error
      : new Problem("incomplete-body", "The body ended before it was whole.", CLOSE);
  } finally {
    clearTimeout(timer);
  }
}

async function readCounted(
  request: Request,
  body: ReadableStream<Uint8Array>,
  maxBytes: number,
): Promise<Uint8Array> {
  const reader = body.getReader();
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return Buffer.concat(chunks, size);
      size += value.byteLength;
      read.set(request, size);
      if (size > maxBytes) throw tooLarge(maxBytes);
      chunks.push(value);
    }
  } finally {
    reader.cancel().catch(() => undefined);
  }
}

function tooLarge(maxBytes: number, declared = 0): Problem {
  const rest = declared > LONGEST_LEFT ? CLOSE : {};
  return new Problem("body-too-large", `The body may have at most ${maxBytes} bytes.`, rest);
}

/** How long nothing may come of a body that is let through, in milliseconds: an answer never waits for one that is not under way. */
const STILL_MS = 250;

/**
 * Lets the body of a refused request come to its end, unseen, where the connection closes after the answer: a reverse proxy that speaks
 * HTTP/1.0 to us, as nginx does unless told otherwise, is still sending then, and what was said is lost with the connection.
 */
export async function letPass(request: Request, answer: Response): Promise<void> {
  const { headers, body } = request;
  const isClosing = [request, answer].some((side) => /\bclose\b/i.test(side.headers.get("connection") ?? ""));
  const length = Number(headers.get("content-length") ?? Number.POSITIVE_INFINITY);
  if (!isClosing || body === null || request.bodyUsed || length > LONGEST_LEFT) return;
  const reader = body.getReader();
  const giveUp = () => void reader.cancel().catch(() => undefined);
  const end = performance.now() + DEADLINE_MS;
  try {
    for (let isDone = false; !isDone && performance.now() < end; ) {
      const timer = setTimeout(giveUp, STILL_MS);
      isDone = (await reader.read()).done;
      clearTimeout(timer);
    }
  } catch {
    // The sender left.
  }
}

/** What receiving a body is refused for, in the order of the checks. */
export const RECEIVE_REFUSALS = [
  "unsupported-media-type",
  ...BODY_REFUSALS,
  "unsupported-encoding",
  "malformed-json",
  "broken-contract",
] as const;
/** What a request without a known token is refused for. */
export const TOKEN_REFUSALS = ["unauthenticated"] as const;

/** A body that passed the contract. */
interface Received<T> {
  readonly value: T;
  /** Fields that the contract does not know, as JSON Pointers: accepted, not stored. */
  readonly ignored: readonly string[];
  /** The body as it was sent. */
  readonly text: string;
}

/** Bodies longer than this, in bytes, are checked in slices: many that arrive together would hold up everybody else. */
const LONG_BODY = 16 * 1024;
const SLICE_MS = 4;
const longBodies = new TimeSlicer(SLICE_MS);

const JSON_TYPE = /^application\/json\s*(?:;\s*charset\s*=\s*"?utf-8"?\s*)?$/i;

/** The token of the one `Authorization: Bearer` header, or undefined. Two headers are joined by a comma and so refused. */
export function bearerToken(request: Request): string | undefined {
  const header = request.headers.get("authorization");
  if (header === null) return undefined;
  return /^Bearer +([\x21-\x2b\x2d-\x7e]+)$/i.exec(header)?.[1];
}

/** The answer to a missing, unknown or revoked token: one and the same. */
export function unauthenticated(): Problem {
  return new Problem("unauthenticated", "Send the token as: Authorization: Bearer <token>.", {
    headers: { "www-authenticate": "Bearer" },
  });
}

/** Reads and checks a body of at most `maxBytes` bytes. Throws a `Problem`. */
export async function receive<S extends v.GenericSchema>(
  request: Request,
  options: { readonly schema: S; readonly maxBytes: number },
): Promise<Received<v.InferOutput<S>>> {
  const bytes = await receiveBytes(request, options.maxBytes);
  const read = () => readJson(bytes, options.schema);
  return bytes.byteLength > LONG_BODY ? longBodies.run(read) : read();
}

function readJson<S extends v.GenericSchema>(bytes: Uint8Array, schema: S): Received<v.InferOutput<S>> {
  const text = textOf(bytes);
  const json = readJsonText(text);
  if (!json.ok) throw new Problem("malformed-json", json.detail);
  const checked = readContract(schema, json.value);
  if (!checked.ok) throw brokenContract(checked.errors, checked.more);
  return { value: checked.value, ignored: checked.ignored, text };
}

/** The refusal of a body that breaks rules of its contract. */
export function brokenContract(errors: readonly BrokenRule[], more = 0): Problem {
  const count = errors.length + more;
  const detail = `${count} ${count === 1 ? "rule is" : "rules are"} broken; nothing was stored.`;
  return new Problem("broken-contract", detail, { errors, more });
}

async function receiveBytes(request: Request, maxBytes: number): Promise<Uint8Array> {
  if (!JSON_TYPE.test(request.headers.get("content-type") ?? "")) {
    throw new Problem("unsupported-media-type", "Send the body with content-type: application/json.", {
      headers: { "accept-post": "application/json" },
    });
  }
  const bytes = await readBody(request, maxBytes);
  const encoding = request.headers.get("content-encoding");
  if (encoding !== null && encoding.trim().toLowerCase() !== "identity") {
    throw new Problem("unsupported-encoding", "Send the body without content-encoding.");
  }
  return bytes;
}

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

function textOf(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes);
  } catch {
    throw new Problem("malformed-json", "The body is not well-formed UTF-8.");
  }
}

// Strict reading of JSON text from outside. `JSON.parse` lets duplicate keys overwrite each other in silence, takes any
// depth (recursive code then overflows), reads 1e999 as Infinity and accepts `__proto__` as a key; this reader refuses
// all four with a sentence.

/** Deepest nesting of objects and lists; the outermost value counts as 1. */
export const MAX_JSON_DEPTH = 16;

const FORBIDDEN_KEYS = new Set(["__proto__", "constructor", "prototype"]);

/** Parses `text`; `detail` says what is wrong with it without echoing it. */
export function readJsonText(text: string) {
  if (text.length === 0) return { ok: false, detail: "The body is empty." } as const;
  // No editor shows it, so nothing would be found wrong with the text.
  if (text.startsWith("\ufeff")) {
    return { ok: false, detail: "The body begins with a byte order mark: send UTF-8 without one." } as const;
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { ok: false, detail: "The body is not well-formed JSON." } as const;
  }
  const fault = findFault(text, value);
  return fault === undefined ? ({ ok: true, value } as const) : ({ ok: false, detail: fault } as const);
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const MINUS = 0x2d;

/**
 * Judges text that is known to be well-formed. A key that stands twice is found by counting: the text then writes more keys than
 * the parsed value has.
 */
function findFault(text: string, value: unknown): string | undefined {
  const { fault, keys } = scan(text);
  if (fault !== undefined) return fault;
  const counted = countKeys(value);
  if (counted.forbidden !== undefined) return `The key ${counted.forbidden} is not allowed.`;
  return counted.keys === keys ? undefined : "An object holds the same key twice.";
}

/**
 * What can only be seen in the text: whether it nests too deep, and how many keys it writes. Follows the structure; strings are skipped
 * whole, so that a colon in one is no key.
 */
function scan(text: string) {
  let depth = 0;
  let keys = 0;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit === QUOTE) {
      i = endOfString(text, i + 1);
    } else if (unit === 0x3a) {
      keys++; // :
    } else if (unit === 0x7b || unit === 0x5b) {
      // { [
      if (++depth > MAX_JSON_DEPTH) return { fault: `The nesting is deeper than ${MAX_JSON_DEPTH}.`, keys };
    } else if (unit === 0x7d || unit === 0x5d) {
      depth--; // } ]
    } else if (unit === MINUS || isDigit(unit)) {
      const end = endOfNumber(text, i);
      // Fewer than 300 characters without an exponent cannot overflow; most numbers end here.
      if (end < 0) return { fault: "A number is too large.", keys };
      i = end - 1;
    }
  }
  return { fault: undefined, keys };
}

function endOfString(text: string, from: number): number {
  let end = text.indexOf('"', from);
  while (text.charCodeAt(end - 1) === BACKSLASH) {
    let slashes = 0;
    for (let i = end - 1; i >= from && text.charCodeAt(i) === BACKSLASH; i--) slashes++;
    if (slashes % 2 === 0) return end;
    end = text.indexOf('"', end + 1);
  }
  return end;
}

function isDigit(unit: number): boolean {
  return unit >= 0x30 && unit <= 0x39;
}

/** Where the number that starts at `from` ends; -1 when it overflows to infinity. */
function endOfNumber(text: string, from: number): number {
  let end = from + 1;
  let plain = true;
  for (; end < text.length; end++) {
    const unit = text.charCodeAt(end);
    if (isDigit(unit)) continue;
    // . + - e E
    if (unit !== 0x2e && unit !== 0x2b && unit !== MINUS && unit !== 0x65 && unit !== 0x45) break;
    plain = false;
  }
  const mayOverflow = !plain || end - from > 300;
  return mayOverflow && !Number.isFinite(Number(text.slice(from, end))) ? -1 : end;
}

/** Counts the keys of a parsed value, whose depth is known to be bounded. */
function countKeys(value: unknown): { readonly keys: number; readonly forbidden: string | undefined } {
  let keys = 0;
  let forbidden: string | undefined;
  const visit = (part: unknown): void => {
    if (typeof part !== "object" || part === null) return;
    if (Array.isArray(part)) {
      for (const item of part) visit(item);
      return;
    }
    for (const key of Object.keys(part)) {
      keys++;
      if (FORBIDDEN_KEYS.has(key)) forbidden = key;
      visit((part as Record<string, unknown>)[key]);
    }
  };
  visit(value);
  return { keys, forbidden };
}
