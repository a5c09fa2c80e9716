/**
 * Receiving a JSON body from outside, in the decided order: token, content type, size, content encoding, well-formed JSON,
 * contract. Nothing of the body is read before the token is known.
 */
import type * as v from "valibot";
import { type BrokenRule, readContract } from "../lib/contract.ts";
import { readJsonText } from "../lib/json_text.ts";
import { BODY_REFUSALS, readBody } from "./body.ts";
import { Problem } from "./problem.ts";
import { Slices } from "./slices.ts";

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
export interface Received<T> {
  readonly value: T;
  /** Fields that the contract does not know, as JSON Pointers: accepted, not stored. */
  readonly ignored: readonly string[];
  /** The body as it was sent. */
  readonly text: string;
}

/** Bodies longer than this, in bytes, are judged in slices: many that arrive together would hold up everybody else. */
const LONG_BODY = 16 * 1024;
const SLICE_MS = 4;
const longBodies = new Slices(SLICE_MS);

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

/** Reads and judges a body of at most `maxBytes` bytes. Throws a `Problem`. */
export async function receive<S extends v.GenericSchema>(
  request: Request,
  options: { readonly schema: S; readonly maxBytes: number },
): Promise<Received<v.InferOutput<S>>> {
  const bytes = await receiveBytes(request, options.maxBytes);
  const judge = () => judgeBytes(bytes, options.schema);
  return bytes.byteLength > LONG_BODY ? longBodies.run(judge) : judge();
}

function judgeBytes<S extends v.GenericSchema>(bytes: Uint8Array, schema: S): Received<v.InferOutput<S>> {
  const text = textOf(bytes);
  const json = readJsonText(text);
  if (!json.ok) throw new Problem("malformed-json", json.detail);
  const judged = readContract(schema, json.value);
  if (!judged.ok) throw brokenContract(judged.errors, judged.more);
  return { value: judged.value, ignored: judged.ignored, text };
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
