/** How far the reports of a source reach, or why there are none and what comes next. */

import { dayOfNumber, type UtcDay } from "../../base/time.ts";
import { failureWords } from "../../health/capability_words.ts";
import { capabilityOf } from "../../health/catalogue.ts";
import { PROVIDER_NAMES as PROVIDER_WORDS, type Provider } from "../../providers/adapter.ts";
import { formatCount, formatDay } from "../format.ts";
import { Glyph } from "../kit/glyph.tsx";
import { here } from "../kit/here.ts";
import { Told } from "../kit/links.tsx";
import { Moment } from "../kit/proof.tsx";
import { Term } from "../kit/term.tsx";
import { paths } from "../paths.ts";
import { dateWords, familyWords } from "./family_words.ts";
import {
  type PanelReport,
  type PanelSource,
  type SitePanels,
  sourceState,
  type Trouble,
  troublesOf,
} from "./panel_state.ts";

interface StandingProps {
  readonly site: SitePanels;
  readonly source: PanelSource;
  /** Something keeps its reports from coming, which is said beside this: no next run is promised to bring them. */
  readonly isFailing: boolean;
}

function Standing(props: StandingProps) {
  const { site, source } = props;
  switch (sourceState(source)) {
    case "not_connected":
      return (
        <span>
          not connected
          <Attach site={site} />
        </span>
      );
    case "never_archived":
      return (
        <span>
          nothing archived yet
          <NextRun {...props} />
        </span>
      );
    case "nothing_usable":
      return (
        <span>
          no report to show yet
          <Lag reports={source.reports} />
          <NextRun {...props} />
        </span>
      );
    case "shown":
      return <Reach {...props} />;
  }
}

/** A retired site is asked about by nobody: there is no next step. */
function Attach({ site }: { readonly site: SitePanels }) {
  if (site.isRetired) return null;
  return (
    <>
      : <a href={`${paths.siteSettings(site.asset)}#sources`}>attach a property</a>
    </>
  );
}

/** When its reports are asked for next, and what that brings. */
function NextRun({ site, source, isFailing }: StandingProps) {
  const { isRetired, nextRun } = site;
  if (isRetired) return <>. This site is retired: its reports are not asked for</>;
  if (isFailing) return null;
  const brings =
    source.provider === "webmaster-tools"
      ? "what the provider holds then"
      : "the last four completed days of every report";
  return (
    <>
      {nextRun === undefined ? (
        ". The next run brings "
      ) : (
        <>
          . The next run, on <Moment at={nextRun} />, brings{" "}
        </>
      )}
      {brings}
    </>
  );
}

/** To which day the reports reach, when they were read, and of which property where that is another than the one asked about now. */
function Reach({ site, source }: StandingProps) {
  const { now } = here();
  const { property, reports } = source;
  const shown = reports.flatMap((report) =>
    report.shown === undefined ? [] : [{ report, insight: report.shown.insight }],
  );
  const newest = shown.reduce<(typeof shown)[number] | undefined>(
    (best, one) => (best === undefined || one.insight.date > best.insight.date ? one : best),
    undefined,
  );
  if (newest === undefined) return null;
  const words = dateWords(newest.report, newest.insight.date as UtcDay, now);
  const { property: kept } = newest.report;
  return (
    <>
      <span>
        {newest.report.isProvisional ? <MarkedProvisional words={words} /> : words}, read{" "}
        <Moment at={Math.max(...shown.map(({ insight }) => insight.observedAt))} />
        <Lag reports={reports} />
      </span>
      {site.isRetired ? (
        <span>This site is retired: its reports are not asked for any more</span>
      ) : property === undefined ? (
        <span>
          no longer connected
          <Attach site={site} />
        </span>
      ) : kept !== undefined && kept !== property ? (
        <span>
          of <Told class="wrap">{kept}</Told>, which was attached before
        </span>
      ) : null}
    </>
  );
}

function MarkedProvisional({ words }: { readonly words: string }) {
  const [before, after] = words.split("provisional");
  return (
    <>
      {before}
      <Term name="provisional">provisional</Term>
      {after}
    </>
  );
}

/** The newest day that a provider has no final figures of yet: nothing is wrong with it. */
function Lag({ reports }: { readonly reports: readonly PanelReport[] }) {
  const { now } = here();
  const behind = reports.flatMap(({ latest }) => (latest?.outcome === "source_lag" ? [latest.date] : []));
  if (behind.length === 0) return null;
  return (
    <>
      ; <Term name="source-lag">no final figures</Term> of {formatDay(dayOfNumber(Math.max(...behind)), now)}{" "}
      yet
    </>
  );
}

/** One provider over its reports: whose they are, how far they reach, and what keeps others from being there. */
export function SourceLine({ site, provider }: { readonly site: SitePanels; readonly provider: Provider }) {
  const source = site.sources[provider];
  const troubles = troublesOf(source.reports);
  return (
    <div class="source" id={`insights-${provider}`}>
      <b>{PROVIDER_WORDS[provider]}</b>{" "}
      <Standing site={site} source={source} isFailing={troubles.length > 0} />{" "}
      {source.property === undefined ? null : <Told class="wrap dim">{source.property}</Told>}
      {troubles.map((trouble) => (
        <TroubleLine trouble={trouble} site={site} provider={provider} />
      ))}
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
}) {
  const { now } = here();
  const { trouble, site, provider } = props;
  const { latest, reports, category, code, isIncomplete, since } = trouble;
  const { why, action } = failureWords({ category, code }, capabilityOf(`${provider}.archive`)?.copy);
  const failed = `${titlesOf(reports)} of ${formatDay(dayOfNumber(latest.date), now)} ${isIncomplete ? "came in part only" : "failed"}`;
  return (
    <span class="state" data-state="failing">
      <Glyph name="s-failing" />
      <span>
        <b>{failed}</b>
        {since === undefined ? null : (
          <>
            , as all attempts since <Moment at={since} />
          </>
        )}
        . {why} {action.text}
        <NextTry site={site} notBefore={latest.nextRetryAt} />{" "}
        <a href={paths.archiveReport(latest.id)}>The attempt</a>
      </span>
    </span>
  );
}

/** The next run, where it may ask: nobody asks for reports between two runs. */
function NextTry(props: { readonly site: SitePanels; readonly notBefore: number | null }) {
  const { site, notBefore } = props;
  const { nextRun, isRetired } = site;
  if (nextRun === undefined || isRetired) return null;
  return notBefore === null || notBefore <= nextRun ? (
    <>
      {" "}
      Next try <Moment at={nextRun} />.
    </>
  ) : (
    <>
      {" "}
      Next try with the first run after <Moment at={notBefore} />.
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
