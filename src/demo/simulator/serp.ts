/** DataForSEO: search results, one paid task at a time. What it charges is counted, whether or not its answer arrives. */

import { seedOf, uniform } from "./figures.ts";
import { json, type SimulatedAnswer, type SimulatedRequest } from "./http_message.ts";
import { DAY_MS, type World } from "./world.ts";

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

function envelope(task: { readonly status_code: number; readonly [more: string]: unknown }, nano: number) {
  const cost = nano / 1_000_000_000;
  const id = `11210225-1535-0139-0000-${seedOf(nano, JSON.stringify(task)).toString(16).padStart(12, "0")}`;
  const tasks_error = task.status_code === 20_000 ? 0 : 1;
  const head = { status_code: 20_000, status_message: "Ok.", cost, tasks_count: 1, tasks_error };
  return json(200, { ...head, tasks: [{ id, cost, ...task }] });
}

const refusal = (code: number): SimulatedAnswer =>
  json(STATUSES[code] ?? 200, { status_code: code, cost: 0, tasks_count: 0, tasks_error: 0, tasks: [] });
