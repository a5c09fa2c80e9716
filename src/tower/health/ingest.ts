/** What sites send to this service, taken together. Pure. */
import type { SendRates, SentToday } from "../../assets/mod.ts";
import type { HealthState } from "../../health/contract.ts";
import { NIGHTLY_REPORTS } from "../../health/mod.ts";
import type { CapabilityView, HealthView, TargetView } from "../../integrations/mod.ts";
import type { RefusedReports, UnknownSenders } from "../../refusals/mod.ts";

/** The newest report of a kind, whose it is, and when it was accepted (milliseconds since the epoch). */
export interface Newest {
  readonly asset: string;
  readonly at: number;
}

/** What is known of the ingest beside the evidence of each site: from memory, since Tower started. */
export interface IngestMemory {
  readonly sendRates: Pick<SendRates, "nearLimit" | "bytesPerDay">;
  readonly refusals: Pick<RefusedReports, "unknownSenders">;
}

export interface IngestFacts {
  readonly nightly: Newest | undefined;
  readonly codebase: Newest | undefined;
  /** Sites whose nightly report is late, and of how many it is expected. */
  readonly missing: readonly string[];
  readonly expected: number;
  /** Sites of which a report was refused since the last good one. */
  readonly refused: readonly string[];
  /** Reports that came with no site's token, since Tower started. */
  readonly unknown: UnknownSenders | undefined;
  /** Tokens that have sent most of a day's bytes. */
  readonly nearLimit: readonly SentToday[];
  readonly bytesPerDay: number;
  /** The worst state of nightly reports; undefined where no site is expected to send one. */
  readonly state: HealthState | undefined;
}

const EXPECTED: readonly HealthState[] = ["working", "stale", "failing", "unknown"];

export function ingestFacts(
  { capabilities }: Pick<HealthView, "capabilities">,
  { sendRates, refusals }: IngestMemory,
  now: number,
): IngestFacts {
  const nightly = capabilities.find(({ capability }) => capability === NIGHTLY_REPORTS);
  const codebase = capabilities.find(({ capability }) => capability === "ingest.codebase");
  const expected = (nightly?.targets ?? []).filter(({ state }) => EXPECTED.includes(state));
  return {
    nightly: newestOf(nightly),
    codebase: newestOf(codebase),
    missing: expected.filter(isLate).map(({ asset }) => asset),
    expected: expected.length,
    refused: [
      ...new Set(
        [nightly, codebase].flatMap((of) => (of?.targets ?? []).filter(isRefused).map(({ asset }) => asset)),
      ),
    ],
    unknown: refusals.unknownSenders(),
    nearLimit: sendRates.nearLimit(now),
    bytesPerDay: sendRates.bytesPerDay,
    state: nightly?.state,
  };
}

const isRefused = ({ state }: TargetView): boolean => state === "failing";

/** A site whose reports are refused may be late, too. */
const isLate = ({ state, dueAt, lastSuccessStartedAt, since }: TargetView): boolean =>
  state === "stale" ||
  (state === "failing" && dueAt !== null && lastSuccessStartedAt !== null && since !== null && dueAt < since);

function newestOf(of: CapabilityView | undefined): Newest | undefined {
  let newest: Newest | undefined;
  for (const { asset, lastSuccessStartedAt: at } of of?.targets ?? []) {
    if (at !== null && (newest === undefined || at > newest.at)) newest = { asset, at };
  }
  return newest;
}
