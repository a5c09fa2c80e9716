/** What is to go wrong, of which requests, and for how long. */

import { PROVIDER_SETTINGS } from "../../base/config.ts";
import { badGatewayPage } from "./google_errors.ts";
import { html, type SimulatedAnswer } from "./http_message.ts";
import { gonePage } from "./webmaster_tools.ts";
import type { TransportFault } from "./wire.ts";

export type ServerName = "token" | keyof typeof PROVIDER_SETTINGS;
export const SERVERS = ["token", ...Object.keys(PROVIDER_SETTINGS)] as readonly ServerName[];

/** What was asked, as the log keeps it: never a token, a key or an assertion. */
export interface Asked {
  readonly server: ServerName;
  readonly method: string;
  /** Without its query, in which a key may stand. */
  readonly path: string;
  /** `runReport`, `query`, `GetUserSites`, …; `token` for an exchange; empty where the path is none of theirs. */
  readonly operation: string;
  /** The property that was asked about, as its provider names it; empty where none was. */
  readonly property: string;
  /** The body, but for that of an exchange of tokens. */
  readonly body: string;
}

/** What goes wrong with an answer, or in its place. */
export type Fault =
  | TransportFault
  /** Nothing listens: only for a stretch of time, and of a whole server. */
  | { readonly kind: "refused" }
  /** The answer comes later, in milliseconds of the machine. */
  | { readonly kind: "slow"; readonly ms: number }
  /** One of the provider's own errors: of Google by its name in `google_errors.ts` or `search_console.ts`, of webmaster tools by its code (`4`, or `4-text` for a code that is written as a text), of search results by its code (`40101` of the task, `40101-top` of the envelope). */
  | { readonly kind: "error"; readonly error: string; readonly retryAfter?: string; readonly status?: number }
  /** Any answer. */
  | { readonly kind: "answer"; readonly answer: SimulatedAnswer }
  /** A gateway's page for people; 200 where no status is given. */
  | { readonly kind: "html"; readonly status?: number }
  /** The right answer under a wrong content type. */
  | { readonly kind: "wrong-type" }
  /** JSON that ends early though its length is right. */
  | { readonly kind: "cut-json" }
  /** A body that is no JSON; empty where there is no text. */
  | { readonly kind: "text"; readonly text?: string; readonly status?: number }
  | { readonly kind: "redirect"; readonly to?: string; readonly status?: 301 | 302 | 307 }
  /** The right answer after `bend` had it: repeated, absent and future days, other headers. */
  | { readonly kind: "bent"; readonly bend: (answer: never) => unknown }
  /** A day told twice, or one of tomorrow; in the provider's own form. */
  | { readonly kind: "day-twice" | "day-absent" | "day-ahead" }
  /** Lists in pages never end. */
  | { readonly kind: "endless-pages" }
  /** The token endpoint gives an `id_token` and no access token. */
  | { readonly kind: "id-token-only" }
  /** Webmaster tools are shut until nobody has called for `quietMs` of the simulated clock. */
  | { readonly kind: "throttled"; readonly code: 4 | 5; readonly quietMs: number };

/** Which requests a fault meets. */
export interface Where {
  readonly server?: ServerName;
  readonly operation?: string;
  readonly property?: string;
  /** Those whose body has this text somewhere. */
  readonly asking?: string;
  /** How many requests: 1 where neither this nor a stretch is given, and all of a stretch. */
  readonly times?: number;
  /** A stretch of the simulated clock, in milliseconds since the epoch; `to` is not part of it. */
  readonly from?: number;
  readonly to?: number;
}

interface Entry {
  readonly fault: Fault;
  readonly where: Where;
  left: number;
}

/** Faults in the order in which they were queued: the first that fits a request is taken. */
export class Script {
  readonly #entries: Entry[] = [];

  add(fault: Fault, where: Where): void {
    const isStretch = where.from !== undefined || where.to !== undefined;
    this.#entries.push({ fault, where, left: where.times ?? (isStretch ? Number.POSITIVE_INFINITY : 1) });
  }

  clear(): void {
    this.#entries.length = 0;
  }

  take(asked: Asked, now: number): Fault | undefined {
    const entry = this.#entries.find(
      ({ fault, where, left }) =>
        fault.kind !== "refused" &&
        left > 0 &&
        holdsAt(where, now) &&
        (where.server ?? asked.server) === asked.server &&
        (where.operation ?? asked.operation) === asked.operation &&
        (where.property ?? asked.property) === asked.property &&
        asked.body.includes(where.asking ?? ""),
    );
    if (entry === undefined) return undefined;
    entry.left--;
    return entry.fault;
  }

  /** Whether nothing listens in the place of a server. */
  isRefused(server: ServerName, now: number): boolean {
    return this.#entries.some(
      ({ fault, where }) =>
        fault.kind === "refused" && (where.server ?? server) === server && holdsAt(where, now),
    );
  }
}

function holdsAt({ from, to }: Where, now: number): boolean {
  return now >= (from ?? Number.NEGATIVE_INFINITY) && now < (to ?? Number.POSITIVE_INFINITY);
}

/** What a fault makes of a right answer: bodies that are cut, mistyped or bent. How they travel is `wire.ts`. */

/** The answer as the fault leaves it; the same one for faults that are not of its body. */
export function spoiled(answer: SimulatedAnswer, fault: Fault, asked: Asked): SimulatedAnswer {
  switch (fault.kind) {
    case "answer":
      return fault.answer;
    case "html":
      return pageOf(asked, fault.status ?? 200);
    case "wrong-type":
      return { ...answer, headers: { ...answer.headers, "content-type": "text/plain" } };
    case "cut-json": {
      const text = String(answer.body);
      return { ...answer, body: text.slice(0, Math.max(1, Math.floor(text.length / 2))) };
    }
    case "text":
      return {
        status: fault.status ?? 200,
        headers: { "content-type": "text/plain" },
        body: fault.text ?? "",
      };
    case "redirect":
      return {
        status: fault.status ?? 302,
        headers: { location: fault.to ?? "http://127.0.0.1:9/elsewhere" },
        body: "",
      };
    case "bent":
      return bent(answer, fault.bend as (answer: unknown) => unknown);
    case "day-twice":
    case "day-absent":
    case "day-ahead":
      return bent(answer, (told) => withDays(told, fault.kind));
    default:
      return answer;
  }
}

/** A gateway's page, as that provider's gateway writes it. */
function pageOf({ server }: Asked, status: number): SimulatedAnswer {
  const page = server === "webmasterTools" ? gonePage(status) : badGatewayPage(status);
  return html(status, String(page.body));
}

function bent(answer: SimulatedAnswer, bend: (answer: unknown) => unknown): SimulatedAnswer {
  return { ...answer, body: JSON.stringify(bend(JSON.parse(String(answer.body)))) };
}

interface AnalyticsRow {
  readonly dimensionValues: readonly { readonly value: string }[];
}
interface SearchRow {
  readonly keys: readonly string[];
}
interface WebmasterDay {
  readonly Date: string;
}
interface Told {
  readonly rows?: readonly (AnalyticsRow & SearchRow)[];
  readonly d?: readonly WebmasterDay[];
}

/** The days of an answer with its last one told twice, its middle one left out, or one more that lies ten years ahead. */
function withDays(told: unknown, kind: "day-twice" | "day-absent" | "day-ahead"): unknown {
  const { rows, d } = told as Told;
  if (rows !== undefined) return { ...(told as Told), rows: changed(rows, kind, aheadRow) };
  if (d !== undefined)
    return { ...(told as Told), d: changed(d, kind, (day) => ({ ...day, Date: AHEAD_MOMENT })) };
  return told;
}

const AHEAD_MOMENT = `/Date(${Date.UTC(2_099, 0, 1)})/`;

function aheadRow<Row extends AnalyticsRow & SearchRow>(row: Row): Row {
  return row.keys === undefined
    ? {
        ...row,
        dimensionValues: row.dimensionValues.map(({ value }) => ({ value: `20990101${value.slice(8)}` })),
      }
    : { ...row, keys: ["2099-01-01"] };
}

function changed<Item>(items: readonly Item[], kind: string, ahead: (item: Item) => Item): readonly Item[] {
  const last = items.at(-1);
  if (last === undefined) return items;
  if (kind === "day-twice") return [...items, last];
  if (kind === "day-ahead") return [...items, ahead(last)];
  return items.toSpliced(Math.floor(items.length / 2), 1);
}
