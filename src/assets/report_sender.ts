import { countWords } from "../lib/plural.ts";
import type { Clock } from "../platform/clock.ts";
import { Problem } from "../platform/problem.ts";
import { pathOf } from "../platform/routing.ts";
import { type RefusedReports, refusalOf } from "../refusals/mod.ts";
import { AUTHORIZE_REFUSALS, authorizeSite, OWN_ASSET_REFUSALS } from "./authorize.ts";
import type { SendRates } from "./send_rate.ts";
import type { KnownToken, SiteTokenBook } from "./token_book.ts";

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

/** Checks the sender and how much it sends, runs `accept` for it, notes the token's use, and remembers why a known sender was refused. */
export async function fromKnownSite(
  request: Request,
  deps: ReportSenderDeps,
  accept: (token: KnownToken) => Promise<Response>,
): Promise<Response> {
  const token = knownSender(request, deps);
  const sending = { asset: token.asset, route: pathOf(request) };
  try {
    assertWithinRate(token, deps);
    const answer = await accept(token);
    deps.refusals.accepted(sending, deps.clock.now());
    return answer;
  } catch (error) {
    const refusal = refusalOf(error);
    const at = deps.clock.now();
    // A site that was taken out meanwhile has nothing that could be noted of it.
    if (refusal?.code === "unauthenticated")
      deps.refusals.noteStray({ code: refusal.code, tokenOf: null, at });
    else if (refusal !== undefined) deps.refusals.note({ ...sending, ...refusal, at });
    if (refusal?.code === "asset-mismatch")
      deps.refusals.noteStray({ code: refusal.code, tokenOf: token.asset, at });
    throw error;
  } finally {
    deps.siteTokens.noteUse(token, deps.clock.now());
  }
}

/** Whose token it is. A report without a known one belongs to no site; that one came is remembered. */
function knownSender(request: Request, deps: ReportSenderDeps): KnownToken {
  try {
    return authorizeSite(request, deps);
  } catch (error) {
    const refusal = refusalOf(error);
    if (refusal !== undefined)
      deps.refusals.noteStray({ code: refusal.code, tokenOf: null, at: deps.clock.now() });
    throw error;
  }
}

/** Check 3a of the decided order: after the token, before any byte of the body. */
function assertWithinRate(token: KnownToken, { sendRates, clock }: ReportSenderDeps): void {
  const seconds = sendRates.take(token, clock.now());
  if (seconds === 0) return;
  throw new Problem(
    "too-many-requests",
    `This token has sent too much at once. Send the next report in ${countWords(seconds, "second")}.`,
    { headers: { "retry-after": String(seconds) } },
  );
}
