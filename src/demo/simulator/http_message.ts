/** Reading requests from bytes and writing answers as bytes: by hand, so that every way in which an answer can go wrong can be told. */

import { seedOf, uniform } from "./figures.ts";
import { DAY_MS, type World } from "./world.ts";

export interface SimulatedRequest {
  readonly method: string;
  /** As it was sent, escapes and all. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: Headers;
  readonly body: string;
}

export interface SimulatedAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array;
}

const HEAD_END = Buffer.from("\r\n\r\n");

/** The first request of some bytes, and how many of them it takes; undefined while more are to come. */
export function readRequest(
  bytes: Buffer,
): { readonly request: SimulatedRequest; readonly length: number } | undefined {
  const headEnd = bytes.indexOf(HEAD_END);
  if (headEnd < 0) return undefined;
  const [first = "", ...lines] = bytes.subarray(0, headEnd).toString("latin1").split("\r\n");
  const [method = "", target = "/"] = first.split(" ");
  const headers = new Headers();
  for (const line of lines) {
    const colon = line.indexOf(":");
    if (colon > 0) headers.append(line.slice(0, colon).trim(), line.slice(colon + 1).trim());
  }
  const from = headEnd + HEAD_END.byteLength;
  const body = headers.get("transfer-encoding")?.toLowerCase().includes("chunked")
    ? readChunks(bytes, from)
    : readLength(bytes, from, Number(headers.get("content-length") ?? 0));
  if (body === undefined) return undefined;
  const mark = target.indexOf("?");
  return {
    length: body.end,
    request: {
      method,
      path: mark < 0 ? target : target.slice(0, mark),
      query: new URLSearchParams(mark < 0 ? "" : target.slice(mark + 1)),
      headers,
      body: body.text,
    },
  };
}

function readLength(bytes: Buffer, from: number, length: number) {
  const end = from + length;
  return bytes.byteLength < end ? undefined : { text: bytes.subarray(from, end).toString("utf8"), end };
}

function readChunks(bytes: Buffer, from: number) {
  const parts: Buffer[] = [];
  for (let at = from; ; ) {
    const lineEnd = bytes.indexOf("\r\n", at);
    if (lineEnd < 0) return undefined;
    const size = Number.parseInt(bytes.subarray(at, lineEnd).toString("latin1"), 16);
    const end = lineEnd + 2 + size + 2;
    if (Number.isNaN(size) || bytes.byteLength < end) return undefined;
    if (size === 0) return { text: Buffer.concat(parts).toString("utf8"), end };
    parts.push(bytes.subarray(lineEnd + 2, end - 2));
    at = end;
  }
}

const PHRASES: Readonly<Record<number, string>> = {
  200: "OK",
  202: "Accepted",
  301: "Moved Permanently",
  302: "Found",
  307: "Temporary Redirect",
  400: "Bad Request",
  401: "Unauthorized",
  403: "Forbidden",
  404: "Not Found",
  429: "Too Many Requests",
  500: "Internal Server Error",
  502: "Bad Gateway",
  503: "Service Unavailable",
  504: "Gateway Timeout",
};

/** The lines before a body, the empty one included. */
export function headOf(answer: SimulatedAnswer, framing: Readonly<Record<string, string>>): Buffer {
  const { status } = answer;
  const lines = Object.entries({ ...answer.headers, ...framing }).map(
    ([name, value]) => `${name}: ${value}\r\n`,
  );
  return Buffer.from(`HTTP/1.1 ${status} ${PHRASES[status] ?? "Status"}\r\n${lines.join("")}\r\n`);
}

export const bytesOf = (body: string | Uint8Array): Buffer =>
  typeof body === "string" ? Buffer.from(body) : Buffer.from(body.buffer, body.byteOffset, body.byteLength);

/** An answer of JSON. */
export function json(
  status: number,
  value: unknown,
  headers: Readonly<Record<string, string>> = {},
): SimulatedAnswer {
  return {
    status,
    headers: { "content-type": "application/json; charset=UTF-8", ...headers },
    body: JSON.stringify(value),
  };
}

/** A page for people, as gateways answer with. */
export function html(status: number, body: string): SimulatedAnswer {
  return { status, headers: { "content-type": "text/html; charset=UTF-8" }, body };
}

/** DataForSEO: search results, one paid task at a time. What it charges is counted, whether or not its answer arrives. */

/** A task as it is sent. */
interface Task {
  readonly keyword: string;
  readonly location_code: number;
  readonly language_code: string;
  readonly device: string;
  readonly depth: number;
  readonly tag: string;
}

/** Something that was charged, in billionths of a dollar. */
export interface SerpCharge {
  readonly at: number;
  readonly tag: string;
  readonly nano: number;
}

const OPERATIONS: Readonly<Record<string, string>> = {
  "POST /v3/serp/google/organic/live/advanced": "live",
  "GET /v3/appendix/user_data": "userData",
};
/** Codes that come with another status than 200. */
const STATUSES: Readonly<Record<number, number>> = { 40100: 401, 40200: 402, 40400: 404, 50000: 500 };
const NO_RESULTS = 40_102;

/** The operation that a request names; empty where there is none. */
export const serpOperation = ({ method, path }: SimulatedRequest): string =>
  OPERATIONS[`${method} ${path}`] ?? "";

export class Serp {
  readonly #seed: number;
  readonly #world: World;
  /** Everything that was charged, in order. */
  readonly charges: SerpCharge[] = [];

  constructor(seed: number, world: World) {
    this.#seed = seed;
    this.#world = world;
  }

  /** The one account. */
  get login(): { readonly login: string; readonly password: string } {
    return { login: "tower@serp.example", password: `api${seedOf(this.#seed, "serp")}` };
  }

  /** The answer; `error` is the code of one that takes its place. */
  answer(
    { headers, body }: SimulatedRequest,
    operation: string,
    at: number,
    error?: string,
  ): SimulatedAnswer {
    const { login, password } = this.login;
    if (operation === "") return refusal(40_400);
    if (headers.get("authorization") !== `Basic ${btoa(`${login}:${password}`)}`) return refusal(40_100);
    if (error?.endsWith("-top") === true) return refusal(Number.parseInt(error, 10));
    if (operation === "userData") return envelope({ status_code: 20_000, result: [{ login }] }, 0);
    const [task, second] = JSON.parse(body) as readonly Task[];
    if (task === undefined || second !== undefined) return refusal(40_000);
    const isGood = task.keyword.length <= 700 && task.location_code < 100_000 && task.depth <= 200;
    const code = Number(error ?? (isGood ? 20_000 : 40_501));
    const isPaid = code === 20_000 || code === NO_RESULTS;
    const items = code === 20_000 ? this.#itemsOf(task, at) : [];
    const nano = isPaid ? 500_000 + 1_500_000 * Math.max(1, Math.ceil((items.length - 1) / 10)) : 0;
    if (isPaid) this.charges.push({ at, tag: task.tag, nano });
    const data = { api: "serp", function: "live", se: "google", se_type: "organic", ...task };
    const datetime = `${new Date(at).toISOString().slice(0, 19).replace("T", " ")} +00:00`;
    const result = code === 20_000 ? [{ keyword: task.keyword, datetime, items }] : null;
    return envelope({ status_code: code, data, result }, nano);
  }

  /** Results with the world's sites among them, each near a rank of its own; for some keywords there are few. */
  #itemsOf({ keyword, location_code, device, depth }: Task, at: number) {
    const words = [keyword, location_code, device];
    const isShort = uniform(seedOf(this.#seed, ...words), 0) < 0.15;
    const ranks = new Map(
      this.#world.sites.map(({ name }) => {
        const own = seedOf(this.#seed, name, ...words);
        return [1 + Math.floor(uniform(own, 0) ** 2 * 34 + uniform(own, Math.floor(at / DAY_MS)) * 4), name];
      }),
    );
    const organic = Array.from({ length: isShort ? Math.min(depth, 7) : depth }, (_, place) => {
      const [rank, domain] = [place + 1, `www.${ranks.get(place + 1) ?? `result-${place}.example`}`];
      const ranked = { rank_group: rank, rank_absolute: rank > 3 ? rank + 1 : rank };
      return { type: "organic", ...ranked, domain, title: keyword, url: `https://${domain}/` };
    });
    return organic.toSpliced(3, 0, { ...ALSO_ASKED, title: keyword });
  }
}

/** An error by its code: `40101` of the task inside an envelope in order; `40101-top` of the envelope itself. */
export const serpError = (name: string): SimulatedAnswer | undefined =>
  /^\d{5}(?:-top)?$/.test(name) ? refusal(Number.parseInt(name, 10)) : undefined;

const ALSO_ASKED = { type: "people_also_ask", rank_group: 1, rank_absolute: 4, domain: "", url: "" };

function envelope(
  task: { readonly status_code: number; readonly [more: string]: unknown },
  nano: number,
): SimulatedAnswer {
  const cost = nano / 1_000_000_000;
  const id = `11210225-1535-0139-0000-${seedOf(nano, JSON.stringify(task)).toString(16).padStart(12, "0")}`;
  const tasks_error = task.status_code === 20_000 ? 0 : 1;
  const head = { status_code: 20_000, status_message: "Ok.", cost, tasks_count: 1, tasks_error };
  return json(200, { ...head, tasks: [{ id, cost, ...task }] });
}

const refusal = (code: number): SimulatedAnswer =>
  json(STATUSES[code] ?? 200, { status_code: code, cost: 0, tasks_count: 0, tasks_error: 0, tasks: [] });
