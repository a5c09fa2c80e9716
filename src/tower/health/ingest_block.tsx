import { byteWords } from "../../lib/byte_words.ts";
import { Block } from "../component/block.tsx";
import { Facts } from "../component/facts.tsx";
import { ShortName } from "../component/short_name.tsx";
import { StateMark } from "../component/state.tsx";
import { Moment } from "../component/time.tsx";
import { countOf, formatCount } from "../format.ts";
import { integrationsHref } from "../integrations/query.ts";
import { paths } from "../paths.ts";
import type { IngestFacts, Newest } from "./ingest.ts";

/** Most sites that are named. */
const MOST_NAMED = 5;
/** Longest name of a site, in characters. */
const LONGEST = 40;

/** What sites send here. */
export function IngestBlock(props: {
  readonly facts: IngestFacts;
  readonly silentHours: number;
  readonly now: number;
}) {
  const { facts, silentHours, now } = props;
  const { nightly, codebase, missing, expected, refused, unknown, nearLimit, bytesPerDay, state } = facts;
  return (
    <Block
      id="ingest"
      heading="This service’s own ingest"
      note={state === undefined ? undefined : <StateMark state={state} />}
    >
      <Facts
        facts={[
          ["Newest nightly report", <NewestReport of={nightly} now={now} />],
          ["Newest codebase report", <NewestReport of={codebase} now={now} />],
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
                {countOf(unknown.count, "report")} refused since Tower started, last{" "}
                <Moment at={unknown.at} now={now} />
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
          [
            "Flag when silent for",
            <>
              {formatCount(silentHours)} h <a href={paths.constants}>change</a>
            </>,
          ],
        ]}
      />
    </Block>
  );
}

function NewestReport({ of, now }: { readonly of: Newest | undefined; readonly now: number }) {
  if (of === undefined) return <span class="dim">none yet</span>;
  return (
    <>
      <Moment at={of.at} now={now} />, from <Site asset={of.asset} />
    </>
  );
}

function Site({ asset }: { readonly asset: string }) {
  return (
    <a class="wrap" href={paths.site(asset)}>
      <ShortName name={asset} longest={LONGEST} />
    </a>
  );
}

function Sites({ of, state }: { readonly of: readonly string[]; readonly state: "stale" | "failing" }) {
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
