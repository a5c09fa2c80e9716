/** What is said once over the reports of a panel: whose they are, how far they reach, and what keeps others from being there. */
import { capabilityOf, failureWords } from "../../health/mod.ts";
import { dayOfNumber } from "../../lib/day_number.ts";
import type { Provider } from "../../provider/contract.ts";
import { Glyph } from "../component/glyph.tsx";
import { PROVIDER_WORDS } from "../component/provider_words.ts";
import { Told } from "../component/text.tsx";
import { Moment } from "../component/time.tsx";
import { formatCount, formatDay } from "../format.ts";
import { paths } from "../paths.ts";
import { familyWords } from "./family_words.ts";
import { type PanelReport, reportOf, type SitePanels } from "./panel_report.ts";
import { accountTroubleOf, type Trouble, troublesOf } from "./panel_state.ts";
import { Standing } from "./standing.tsx";

interface SourceProps {
  readonly site: SitePanels;
  readonly provider: Provider;
  /** The names of the families that the panel shows of it. */
  readonly families: readonly string[];
  readonly now: number;
}

/** One provider over the reports that a panel shows of it. */
export function SourceLine({ site, provider, families, now }: SourceProps) {
  const whole = site.sources[provider];
  const source = { ...whole, reports: families.map((name) => reportOf(whole, name)) };
  const troubles = troublesOf(source.reports);
  const ofAccount = accountTroubleOf(whole.reports, source.reports);
  const isFailing = troubles.length > 0 || ofAccount !== undefined;
  return (
    <div class="source" id={`insights-${provider}-${families[0]}`}>
      <b>{PROVIDER_WORDS[provider]}</b>{" "}
      <Standing site={site} source={source} isFailing={isFailing} now={now} />{" "}
      {source.property === undefined ? null : <Told class="wrap dim">{source.property}</Told>}
      {troubles.map((trouble) => (
        <TroubleLine trouble={trouble} site={site} provider={provider} now={now} />
      ))}
      {ofAccount === undefined ? null : (
        <TroubleLine trouble={ofAccount} site={site} provider={provider} isElsewhere now={now} />
      )}
      {source.reports.map(({ family, leftOut }) =>
        leftOut === undefined ? null : (
          <span class="whole">
            {familyWords(family.name).title} are left out:{" "}
            {LEFT_OUT[leftOut.reason] ?? "the property is not set up for them."}
          </span>
        ),
      )}
    </div>
  );
}

/** Why a report is left out, and what ends it. */
const LEFT_OUT: Readonly<Record<string, string>> = {
  parameter_unregistered:
    "the property has not registered the parameters of its error events as custom dimensions. Once it has, they are asked for.",
};

/** Titles named of those that one cause concerns. */
const NAMED = 2;

/** Why reports failed, said once for all of them, with what to do. */
function TroubleLine(props: {
  readonly trouble: Trouble;
  readonly site: SitePanels;
  readonly provider: Provider;
  /** The account failed at a report of another panel: those of this one were not asked for. */
  readonly isElsewhere?: boolean;
  readonly now: number;
}) {
  const { trouble, site, provider, isElsewhere = false, now } = props;
  const { latest, reports, category, code, isIncomplete, since } = trouble;
  const { why, action } = failureWords({ category, code }, capabilityOf(`${provider}.archive`)?.copy);
  const failed = `${titlesOf(reports)} of ${formatDay(dayOfNumber(latest.date), now)} ${isIncomplete ? "came in part only" : "failed"}`;
  return (
    <span class="state" data-state="failing">
      <Glyph name="s-failing" />
      <span>
        {isElsewhere ? (
          <>
            <b>Not asked for</b> since the account failed on{" "}
            <Moment at={since ?? latest.attemptedAt} now={now} />
          </>
        ) : (
          <b>{failed}</b>
        )}
        {since === undefined || isElsewhere ? null : (
          <>
            , as all attempts since <Moment at={since} now={now} />
          </>
        )}
        . {why} {action.text}
        <NextTry site={site} notBefore={latest.nextRetryAt} now={now} />{" "}
        <a href={paths.archiveReport(latest.id)}>The attempt</a>
      </span>
    </span>
  );
}

/** The next run, where it may ask: nobody asks for reports between two runs. */
function NextTry(props: {
  readonly site: SitePanels;
  readonly notBefore: number | null;
  readonly now: number;
}) {
  const { site, notBefore, now } = props;
  const { nextRun, isRetired } = site;
  if (nextRun === undefined || isRetired) return null;
  return notBefore === null || notBefore <= nextRun ? (
    <>
      {" "}
      Next try <Moment at={nextRun} now={now} />.
    </>
  ) : (
    <>
      {" "}
      Next try with the first run after <Moment at={notBefore} now={now} />.
    </>
  );
}

/** "Queries, devices and 8 more". */
function titlesOf(reports: readonly PanelReport[]): string {
  const titles = reports.map(({ family }, place) => {
    const { title } = familyWords(family.name);
    return place === 0 ? title : title.charAt(0).toLowerCase() + title.slice(1);
  });
  if (titles.length <= NAMED) return titles.join(" and ");
  return `${titles.slice(0, NAMED).join(", ")} and ${formatCount(titles.length - NAMED)} more`;
}
