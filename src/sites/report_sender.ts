/** Who sends a report, and how much: the token, its rate, its bytes of a UTC day, and what a known sender is refused for. */

import type { GenericSchema, InferOutput } from "valibot";
import type { Clock } from "../base/base.ts";
import { pathOf } from "../base/http_handler.ts";
import { logOf } from "../base/log.ts";
import { Problem } from "../base/problem.ts";
import {
  bearerToken,
  brokenContract,
  bytesRead,
  receive,
  TOKEN_REFUSALS,
  unauthenticated,
} from "../base/receive.ts";
import { byteWords, countWords } from "../base/text.ts";
import {
  addDays,
  formatInstant,
  isAhead,
  parseInstant,
  startOfDay,
  type UtcDay,
  utcDayOf,
} from "../base/time.ts";
import { type RefusedReports, refusalOf } from "../health/refusals.ts";
import type { Tx } from "../store/store.ts";
import type { Synchronous, Writer } from "../store/writer.ts";
import type { KnownToken, SiteTokenBook } from "./site_tokens.ts";
import { hasAsset } from "./sites.ts";

/** The sender of a report, before any byte of the body. Throws a `Problem`. */
export function authorizeSite(
  request: Request,
  books: { readonly siteTokens: SiteTokenBook; readonly isOperatorToken: (token: string) => boolean },
): KnownToken {
  const token = bearerToken(request);
  if (token === undefined) throw unauthenticated();
  const known = books.siteTokens.find(token);
  if (known !== undefined) return known;
  if (books.isOperatorToken(token)) {
    throw new Problem(
      "insufficient-scope",
      "An operator token does not send reports; use the site's own token.",
    );
  }
  throw unauthenticated();
}

/** The refusal of a body that names another site than the token's. */
function assertOwnAsset(token: KnownToken, asset: string): void {
  if (token.asset !== asset) {
    throw new Problem("asset-mismatch", "The token belongs to another site than the one the body names.");
  }
}

/** A report from the future would become the latest one and stay it; a small difference of clocks is let through. */
function assertNotAhead(generatedAt: string, now: number): void {
  const at = parseInstant(generatedAt);
  if (at !== undefined && isAhead(at, now)) {
    throw brokenContract([
      {
        pointer: "/generatedAt",
        rule: "not-in-future",
        message: "must not be more than 5 minutes ahead of the service's clock",
      },
    ]);
  }
}

/**
 * How much one token may send: so many requests at once, then so many a second, and of a site's token so many bytes a UTC day. Years of
 * nights can be backfilled by a sender that obeys `Retry-After`, and none can flood the service.
 */

/** Each token has a bucket of its own. */
export interface SendRate {
  /** Requests at once. */
  readonly burst: number;
  /** Requests a second after that. */
  readonly perSecond: number;
  /** Bytes of bodies a UTC day; no limit where absent. */
  readonly bytesPerDay?: number;
}

/** The share of a day's bytes from which on the operator is warned. */
const NEAR = 0.8;

interface Sent {
  readonly asset: string;
  bytes: number;
  isNear: boolean;
}

/**
 * The buckets of the tokens that were used: what is left, and when that was worked out, in milliseconds since the epoch. A bucket goes with
 * its token, so there are never more of them than tokens.
 */
export class SendRates {
  readonly #rate: SendRate;
  readonly #buckets = new WeakMap<object, { left: number; at: number }>();
  #day: UtcDay | undefined;
  /** Bytes of `#day`, by the token's digest. */
  #sent = new Map<string, Sent>();

  constructor(rate: SendRate) {
    this.#rate = rate;
  }

  /** Bytes of bodies that a site's token may send in a UTC day. */
  get bytesPerDay(): number {
    return this.#rate.bytesPerDay ?? Number.POSITIVE_INFINITY;
  }

  /** Takes one request out of the bucket of a site's or an operator's token. Returns 0, or the whole seconds until there is one to take. */
  take(token: object, now: number): number {
    const { burst, perSecond } = this.#rate;
    const bucket = this.#buckets.get(token) ?? { left: burst, at: now };
    this.#buckets.set(token, bucket);
    // A clock that was put back gives nothing for the time it takes away, and the time after it counts again at once.
    const seconds = Math.max(0, now - bucket.at) / 1_000;
    bucket.left = Math.min(burst, bucket.left + seconds * perSecond);
    bucket.at = now;
    if (bucket.left < 1) return Math.max(1, Math.ceil((1 - bucket.left) / perSecond));
    bucket.left -= 1;
    return 0;
  }

  /** Takes the most bytes that a body may come to. Returns 0, or the whole seconds until the next UTC day where they are too many. */
  takeBytes(token: KnownToken, most: number, now: number): number {
    const sent = this.#sentBy(token, now);
    if (sent.bytes + most > this.bytesPerDay) {
      return Math.ceil((startOfDay(addDays(utcDayOf(now), 1)) - now) / 1_000);
    }
    sent.bytes += most;
    return 0;
  }

  /** Gives back what was taken beyond the bytes that were read. Says, once a day, that the token comes near its limit. */
  giveBack(token: KnownToken, taken: { readonly most: number; readonly read: number }, now: number): boolean {
    const sent = this.#sentBy(token, now);
    sent.bytes = Math.max(0, sent.bytes - taken.most + taken.read);
    if (sent.isNear || sent.bytes < NEAR * this.bytesPerDay) return false;
    sent.isNear = true;
    return true;
  }

  /** Tokens near their day's limit. */
  nearLimit(now: number): Sent[] {
    return this.#day === utcDayOf(now) ? [...this.#sent.values()].filter(({ isNear }) => isNear) : [];
  }

  #sentBy({ asset, digest }: KnownToken, now: number): Sent {
    const today = utcDayOf(now);
    if (this.#day !== today) this.#sent = new Map();
    this.#day = today;
    const known = this.#sent.get(digest);
    if (known !== undefined) return known;
    const sent = { asset, bytes: 0, isNear: false };
    this.#sent.set(digest, sent);
    return sent;
  }
}

/** What the sender of a report is refused for. */
export const SENDER_REFUSALS = [
  ...TOKEN_REFUSALS,
  "insufficient-scope",
  "too-many-requests",
  "asset-mismatch",
] as const;

/** What every route that takes reports from sites needs. */
export interface ReportSenderDeps {
  readonly clock: Clock;
  readonly siteTokens: SiteTokenBook;
  readonly isOperatorToken: (token: string) => boolean;
  readonly refusals: RefusedReports;
  readonly sendRates: SendRates;
}

/** A report that was taken in. */
export interface TakenReport<R> {
  readonly report: R;
  /** Its text as it is to be kept. */
  readonly body: string;
  /** Milliseconds since the epoch. */
  readonly receivedAt: number;
  /** Pointers to what of it is not kept. */
  readonly ignored?: readonly string[];
}

/**
 * Receives one report of a known site: each check in the decided order, then `store` in one transaction, then the answer with what `told`
 * adds to it. `kept` is what is kept of a report, with pointers to what is not.
 */
export const takeReport = <
  S extends GenericSchema<unknown, { readonly asset: string; readonly generatedAt: string }>,
  Stored extends { readonly date: UtcDay; readonly revision: number },
>(
  request: Request,
  deps: ReportSenderDeps & { readonly writer: Writer },
  of: {
    readonly schema: S;
    readonly maxBytes: number;
    readonly kept?: (value: InferOutput<S>) => {
      readonly report: InferOutput<S>;
      readonly ignored: readonly string[];
    };
    readonly store: (tx: Tx, taken: TakenReport<InferOutput<S>>) => Synchronous<Stored>;
    readonly told: (stored: Stored, report: InferOutput<S>) => object;
  },
): Promise<Response> =>
  fromKnownSite(request, deps, of.maxBytes, async (token, receivedAt) => {
    const received = await receive(request, of);
    const { report, ignored: changed } = of.kept?.(received.value) ?? { report: received.value, ignored: [] };
    const ignored = [...received.ignored, ...changed];
    const { asset } = report;
    assertNotAhead(report.generatedAt, receivedAt);
    assertOwnAsset(token, asset);
    const isAsSent = ignored.length === 0 && report === received.value;
    const body = isAsSent ? received.text : JSON.stringify(report);
    const stored = await deps.writer.write<Stored>(
      (tx) => {
        // It may be taken out, with its tokens, while the body of its report is still on its way, and that would then be stored of no site.
        if (!hasAsset(tx, asset)) throw unauthenticated();
        return of.store(tx, { report, body, receivedAt, ignored });
      },
      { isRepeatable: true },
    );
    const { date, revision } = stored;
    const place = { asset, date, revision, receivedAt: formatInstant(receivedAt) };
    return Response.json({ ...place, ...of.told(stored, report), ignored }, { status: 201 });
  });

/**
 * Checks the sender and how much it sends, runs `accept` for a body of at most `maxBytes` bytes, notes the token's use, and remembers
 * why a known sender was refused. Reports are ordered by when their request began, by the service's own clock: `receivedAt`.
 */
async function fromKnownSite(
  request: Request,
  deps: ReportSenderDeps,
  maxBytes: number,
  accept: (token: KnownToken, receivedAt: number) => Promise<Response>,
): Promise<Response> {
  const at = deps.clock.now();
  const token = knownSender(request, deps);
  const sending = { asset: token.asset, route: pathOf(request) };
  let isTaken = false;
  const most = Math.min(Number(request.headers.get("content-length") ?? maxBytes), maxBytes);
  let read = 0;
  try {
    assertWithinRate(token, deps);
    assertWithinDay(token, most, deps);
    isTaken = true;
    const answer = await accept(token, at);
    read = bytesRead(request);
    deps.refusals.accepted(sending, at, deps.clock.now());
    return answer;
  } catch (error) {
    const refusal = refusalOf(error);
    // What the service could not store is sent again, and must not use up the day.
    if (refusal !== undefined && refusal.status < 500) read = bytesRead(request);
    // A site that was taken out meanwhile has nothing that could be noted of it.
    if (refusal?.code === "unauthenticated") deps.refusals.noteUnknown({ code: refusal.code, at });
    else if (refusal !== undefined) deps.refusals.note({ ...sending, ...refusal, at });
    throw error;
  } finally {
    if (isTaken) settleBytes(token, { most, read }, deps);
    deps.siteTokens.noteUse(token, deps.clock.now());
  }
}

const NO_LONGER_VALID = {
  pointer: "",
  rule: "unauthenticated",
  message: "The site sent a token that was revoked or removed. Give it a current one.",
};

/** Whose token it is. A report without a known one belongs to no site, unless the token was one of its own; that it was sent is remembered. */
function knownSender(request: Request, deps: ReportSenderDeps): KnownToken {
  try {
    return authorizeSite(request, deps);
  } catch (error) {
    const refusal = refusalOf(error);
    const at = deps.clock.now();
    const owner = deps.siteTokens.formerOwner(bearerToken(request) ?? "");
    if (refusal !== undefined && owner !== undefined)
      deps.refusals.note({ asset: owner, route: pathOf(request), ...refusal, faults: [NO_LONGER_VALID], at });
    else if (refusal !== undefined) deps.refusals.noteUnknown({ code: refusal.code, at });
    throw error;
  }
}

/** After the token, before any byte of the body. */
export function assertWithinRate(token: object, deps: Pick<ReportSenderDeps, "sendRates" | "clock">): void {
  const seconds = deps.sendRates.take(token, deps.clock.now());
  if (seconds === 0) return;
  throw tooMuch(
    seconds,
    `This token has sent too much at once. Send again in ${countWords(seconds, "second")}.`,
  );
}

/** Its other half: bytes a UTC day. A body without a length is taken as the longest, until it is read. */
function assertWithinDay(token: KnownToken, most: number, { sendRates, clock }: ReportSenderDeps): void {
  const seconds = sendRates.takeBytes(token, most, clock.now());
  if (seconds === 0) return;
  const limit = byteWords(sendRates.bytesPerDay);
  throw tooMuch(seconds, `This token may send ${limit} a UTC day, and has. Send again after 00:00 UTC.`);
}

function settleBytes(
  token: KnownToken,
  bytes: { readonly most: number; readonly read: number },
  { sendRates, clock }: ReportSenderDeps,
): void {
  if (!sendRates.giveBack(token, bytes, clock.now())) return;
  logOf("ingest").warn("a site's token has sent 80 % of what it may send today (INGEST_BYTES_PER_DAY)", {
    asset: token.asset,
    limit: sendRates.bytesPerDay,
  });
}

function tooMuch(seconds: number, detail: string): Problem {
  return new Problem("too-many-requests", detail, { headers: { "retry-after": String(seconds) } });
}
