/** How far the reports of a source reach, or why there are none and what comes next. */
import { dayOfNumber } from "../../lib/day_number.ts";
import type { UtcDay } from "../../lib/utc_day.ts";
import { Term } from "../component/term.tsx";
import { Told } from "../component/text.tsx";
import { Moment } from "../component/time.tsx";
import { formatDay } from "../format.ts";
import { paths } from "../paths.ts";
import type { PanelReport, PanelSource, SitePanels } from "./panel_report.ts";
import { sourceState } from "./panel_state.ts";
import { dateWords } from "./report_words.ts";

interface StandingProps {
  readonly site: SitePanels;
  readonly source: PanelSource;
  /** Something keeps its reports from coming, which is said beside this: no next run is promised to bring them. */
  readonly isFailing: boolean;
  readonly now: number;
}

export function Standing(props: StandingProps) {
  const { site, source, now } = props;
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
          <Lag reports={source.reports} now={now} />
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
function NextRun({ site, source, isFailing, now }: StandingProps) {
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
          . The next run, on <Moment at={nextRun} now={now} />, brings{" "}
        </>
      )}
      {brings}
    </>
  );
}

/** To which day the reports reach, when they were read, and of which property where that is another than the one asked about now. */
function Reach({ site, source, now }: StandingProps) {
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
        <Moment at={Math.max(...shown.map(({ insight }) => insight.observedAt))} now={now} />
        <Lag reports={reports} now={now} />
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
function Lag({ reports, now }: { readonly reports: readonly PanelReport[]; readonly now: number }) {
  const behind = reports.flatMap(({ latest }) => (latest?.outcome === "source_lag" ? [latest.date] : []));
  if (behind.length === 0) return null;
  return (
    <>
      ; <Term name="source-lag">no final figures</Term> of {formatDay(dayOfNumber(Math.max(...behind)), now)}{" "}
      yet
    </>
  );
}
