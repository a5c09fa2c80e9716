import type { Clock } from "../platform/clock.ts";
import { Problem } from "../platform/problem.ts";
import type { RefusedReports } from "../platform/refusals.ts";
import { authorizeSite } from "./authorize.ts";
import type { SendRates } from "./send_rate.ts";
import type { KnownToken, SiteTokenBook } from "./token_book.ts";

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
  const token = authorizeSite(request, deps);
  try {
    assertWithinRate(token, deps);
    return await accept(token);
  } catch (error) {
    if (error instanceof Problem)
      deps.refusals.note(token.asset, { at: deps.clock.now(), reason: reasonOf(error) });
    throw error;
  } finally {
    deps.siteTokens.noteUse(token, deps.clock.now());
  }
}

/** Check 3a of the decided order: after the token, before any byte of the body. */
function assertWithinRate(token: KnownToken, { sendRates, clock }: ReportSenderDeps): void {
  const seconds = sendRates.take(token, clock.now());
  if (seconds === 0) return;
  throw new Problem(
    "too-many-requests",
    `This token has sent too much at once. Send the next report in ${seconds} ${seconds === 1 ? "second" : "seconds"}.`,
    { headers: { "retry-after": String(seconds) } },
  );
}

function reasonOf(problem: Problem): string {
  const [first] = problem.errors ?? [];
  return first === undefined ? problem.detail : `${first.pointer || "the body"} ${first.message}`;
}
