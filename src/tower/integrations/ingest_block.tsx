/** What sites send to this service, on System health. */

import { byteWords, countWords as countOf } from "../../base/text.ts";
import { NIGHTLY_REPORTS } from "../../health/catalogue.ts";
import type { HealthState } from "../../health/health.ts";
import type { RefusedReports, UnknownSenders } from "../../health/refusals.ts";
import type { CapabilityView, HealthView, TargetView } from "../../integrations/integrations.ts";
import type { SendRates, SentToday } from "../../sites/report_sender.ts";
import { formatCount } from "../format.ts";
import { StateMark } from "../kit/glyph.tsx";
import { ShortName } from "../kit/links.tsx";
import { Block } from "../kit/list.tsx";
import { Facts, When } from "../kit/proof.tsx";
import { paths } from "../paths.ts";
import { integrationsHref } from "./coverage.tsx";

/** The newest report of a kind, whose it is, and when it was accepted (milliseconds since the epoch). */
interface Newest {
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

const MOST_NAMED = 5;
/** Longest name of a site, in characters. */
const LONGEST = 40;

/** What sites send here. */
export function IngestBlock({ facts, silentHours }: { facts: IngestFacts; silentHours: number }) {
  const { nightly, codebase, missing, expected, refused, unknown, nearLimit, bytesPerDay, state } = facts;
  return (
    <Block
      id="ingest"
      heading="Incoming reports"
      note={state === undefined ? undefined : <StateMark state={state} />}
    >
      <Facts
        facts={[
          ["Newest nightly report", <NewestReport of={nightly} />],
          ["Newest codebase report", <NewestReport of={codebase} />],
          [
            "Missing tonight",
            expected === 0 ? (
              "no site is expected to report yet"
            ) : (
              <>
                {missing.length === 0 ? "none" : formatCount(missing.length)} of {formatCount(expected)}
                {missing.length === 0 ? null : ": "}
                <Sites of={missing} state="stale" />
              </>
            ),
          ],
          [
            "Refused",
            refused.length === 0 ? (
              "none since the last good report of each site"
            ) : (
              <>
                reports of {countOf(refused.length, "site")}: <Sites of={refused} state="failing" />
              </>
            ),
          ],
          [
            "Unknown token",
            unknown === undefined ? (
              "none since Tower started"
            ) : (
              <>
                {countOf(unknown.count, "report")} refused since Tower started, last <When at={unknown.at} />
              </>
            ),
          ],
          [
            "Near the daily limit",
            nearLimit.length === 0
              ? "none"
              : nearLimit.map(({ asset, bytes }, place) => (
                  <>
                    {place === 0 ? null : ", "}
                    <Site asset={asset} /> ({byteWords(bytes)} of {byteWords(bytesPerDay)})
                  </>
                )),
          ],
          ["Flag when silent for", [formatCount(silentHours), " h ", <a href={paths.constants}>change</a>]],
        ]}
      />
    </Block>
  );
}

function NewestReport({ of }: { of: Newest | undefined }) {
  if (of === undefined) return <span class="dim">none yet</span>;
  return (
    <>
      <When at={of.at} />, from <Site asset={of.asset} />
    </>
  );
}

function Site({ asset }: { asset: string }) {
  return (
    <a class="wrap" href={paths.site(asset)}>
      <ShortName name={asset} longest={LONGEST} />
    </a>
  );
}

function Sites({ of, state }: { of: readonly string[]; state: "stale" | "failing" }) {
  return (
    <>
      {of.slice(0, MOST_NAMED).map((asset, place) => (
        <>
          {place === 0 ? null : ", "}
          <Site asset={asset} />
        </>
      ))}
      {of.length <= MOST_NAMED ? null : (
        <>
          {" "}
          and <a href={integrationsHref({ state })}>{formatCount(of.length - MOST_NAMED)} more</a>
        </>
      )}
    </>
  );
}
