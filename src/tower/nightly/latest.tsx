import { type FamilyState, MIDNIGHT_MINUTES, type NightlySummary } from "../../pulse/mod.ts";
import type { Streak } from "../../refusals/mod.ts";
import { Block } from "../component/block.tsx";
import { Callout } from "../component/callout.tsx";
import { Empty } from "../component/empty.tsx";
import { Facts } from "../component/facts.tsx";
import { ShortName } from "../component/short_name.tsx";
import { Age, Day, Moment } from "../component/time.tsx";
import { countOf, formatCount } from "../format.ts";
import { paths } from "../paths.ts";
import { MIDNIGHT_HINT, OWN_NIGHTLY } from "../sending/ways.tsx";
import { missedText, NightTicks } from "./nights.tsx";
import { RefusedNote } from "./refused.tsx";

const SOURCES = {
  settings: "declared in the site's settings",
  report: "announced by the report itself",
  both: "declared in the settings and announced by the report",
} as const;

function Family({ state }: { readonly state: FamilyState }) {
  return (
    <li>
      <span class="mono wrap">
        <ShortName name={state.family} />
      </span>{" "}
      {state.state === "missing" ? (
        <>
          <span class="nm">Declared, but missing</span> <small>{SOURCES[state.source]}</small>
        </>
      ) : (
        <span class="dim">
          {countOf(state.metrics, "metric")}
          {state.state === "undeclared" ? ", not declared" : ""}
        </span>
      )}
    </li>
  );
}

/** Families listed before the rest is folded away. */
const OPEN_FAMILIES = 6;

function Families({ families }: { readonly families: readonly FamilyState[] }) {
  const [first, rest] = [families.slice(0, OPEN_FAMILIES), families.slice(OPEN_FAMILIES)];
  return (
    <>
      <ul class="families">
        {first.map((state) => (
          <Family state={state} />
        ))}
      </ul>
      {rest.length === 0 ? null : (
        <details class="items">
          <summary>{countOf(rest.length, "more family", "more families")}</summary>
          <ul class="families">
            {rest.map((state) => (
              <Family state={state} />
            ))}
          </ul>
        </details>
      )}
    </>
  );
}

/** The latest nightly report in time, the nights before it, and the families it was to hold. */
export function LatestNightly(props: {
  readonly asset: string;
  readonly summary: NightlySummary;
  readonly refused?: Streak | undefined;
  /** It is the service's own site, whose reports Tower writes. */
  readonly own?: boolean;
  readonly now: number;
}) {
  const { asset, summary, refused, own = false, now } = props;
  const { latest, families } = summary;
  const all = <a href={paths.reports(asset)}>All reports</a>;
  if (latest === undefined) {
    return (
      <Block heading="Latest nightly report" tools={all}>
        <div class="stack tight">
          <RefusedNote asset={asset} streak={refused} since={false} now={now} />
          <Empty heading="No nightly report yet">
            <p>
              {own ? OWN_NIGHTLY : "The site's own scheduler sends it once a night."}
              {summary.awaited.length === 0
                ? null
                : ` ${countOf(summary.awaited.length, "metric family", "metric families")} declared, nothing received.`}
            </p>
            {own ? null : (
              <a class="btn" href={paths.firstReport(asset)}>
                Send the first report
              </a>
            )}
          </Empty>
        </div>
      </Block>
    );
  }
  const missing = families.filter(({ state }) => state === "missing").length;
  return (
    <Block heading="Latest nightly report" note={<Age at={latest.receivedAt} now={now} />} tools={all}>
      <div class="stack tight">
        <RefusedNote asset={asset} streak={refused} since now={now} />
        {missing === 0 ? null : (
          <Callout tone="stale">
            <p>
              {countOf(missing, "declared metric family is", "declared metric families are")} missing from the
              report of <Day day={latest.date} now={now} />. A report came; these figures did not.
            </p>
          </Callout>
        )}
        <Facts
          facts={[
            ["Received", <Moment at={latest.receivedAt} now={now} />],
            ["Made", <Moment at={latest.generatedAt} now={now} />],
            [
              "Covers",
              <>
                <Day day={latest.date} now={now} /> (UTC day it was made on); its last 24 h begin{" "}
                <Moment at={latest.coversFrom} now={now} />
              </>,
            ],
            [
              "Revision",
              <a href={paths.nightlyReport(asset, latest.date, latest.revision)}>
                {formatCount(latest.revision)} of the day
              </a>,
            ],
            ["Metrics", formatCount(latest.metrics)],
            [
              "Nights",
              <span class="row">
                <NightTicks nights={summary.nights} />
                {missedText(summary)}
              </span>,
            ],
            [
              "Families",
              families.length === 0 ? (
                <span class="dim">none declared</span>
              ) : (
                <Families families={families} />
              ),
            ],
          ]}
        />
        {latest.nearMidnight ? (
          <p class="note">
            Made within {MIDNIGHT_MINUTES} minutes of midnight. {MIDNIGHT_HINT}
          </p>
        ) : null}
      </div>
    </Block>
  );
}
