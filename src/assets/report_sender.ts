import { byteWords } from "../lib/byte_words.ts";
import { countWords } from "../lib/plural.ts";
import { bytesRead } from "../platform/body.ts";
import type { Clock } from "../platform/clock.ts";
import { logOf } from "../platform/log.ts";
import { Problem } from "../platform/problem.ts";
import { bearerToken } from "../platform/receive.ts";
import { pathOf } from "../platform/routing.ts";
import { type RefusedReports, refusalOf } from "../refusals/mod.ts";
import { AUTHORIZE_REFUSALS, authorizeSite, OWN_ASSET_REFUSALS } from "./authorize.ts";
import type { SendRates } from "./send_rate.ts";
import type { KnownToken, SiteTokenBook } from "./tokens.ts";

/** What a report is refused for, by who sends it and how much. */
export const SENDER_REFUSALS = [...AUTHORIZE_REFUSALS, "too-many-requests", ...OWN_ASSET_REFUSALS] as const;

/** What every route that takes reports from sites needs. */
export interface ReportSenderDeps {
  readonly clock: Clock;
  readonly siteTokens: SiteTokenBook;
  readonly isOperatorToken: (token: string) => boolean;
  readonly refusals: RefusedReports;
  readonly sendRates: SendRates;
}

/**
 * Checks the sender and how much it sends, runs `accept` for a body of at most `maxBytes` bytes, notes the token's use, and remembers
 * why a known sender was refused. What came is ordered by when its request began, by the service's own clock: `receivedAt`.
 */
export async function fromKnownSite(
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
    if (refusal?.code === "unauthenticated")
      deps.refusals.noteStray({ code: refusal.code, tokenOf: null, at });
    else if (refusal !== undefined) deps.refusals.note({ ...sending, ...refusal, at });
    if (refusal?.code === "asset-mismatch")
      deps.refusals.noteStray({ code: refusal.code, tokenOf: token.asset, at });
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

/** Whose token it is. A report without a known one belongs to no site, unless the token was one of its own; that one came is remembered. */
function knownSender(request: Request, deps: ReportSenderDeps): KnownToken {
  try {
    return authorizeSite(request, deps);
  } catch (error) {
    const refusal = refusalOf(error);
    const at = deps.clock.now();
    const owner = deps.siteTokens.formerOwner(bearerToken(request) ?? "");
    if (refusal !== undefined && owner !== undefined)
      deps.refusals.note({ asset: owner, route: pathOf(request), ...refusal, faults: [NO_LONGER_VALID], at });
    else if (refusal !== undefined) deps.refusals.noteStray({ code: refusal.code, tokenOf: null, at });
    throw error;
  }
}

/** Check 3a of the decided order: after the token, before any byte of the body. */
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
