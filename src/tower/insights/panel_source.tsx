/** What is said once over the reports of a panel: whose they are, how far they reach, and what keeps others from being there. */
import { capabilityOf, failureWords } from "../../health/mod.ts";
import { dayOfNumber } from "../../lib/day_number.ts";
import type { Provider } from "../../provider/contract.ts";
import { Glyph } from "../component/glyph.tsx";
import { PROVIDER_WORDS } from "../component/provider_words.ts";
import { Term } from "../component/term.tsx";
import { Told } from "../component/text.tsx";
import { Moment } from "../component/time.tsx";
import { formatCount, formatDay } from "../format.ts";
import { paths } from "../paths.ts";
import { familyWords } from "./family_words.ts";
import type { PanelReport, PanelSource, SitePanels } from "./panel_report.ts";
import { sourceState, type Trouble, troublesOf } from "./panel_state.ts";
import { dateWords } from "./report_words.ts";

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
  const source = { ...whole, reports: whole.reports.filter(({ family }) => families.includes(family.name)) };
  const skipped = source.reports.filter((report) => report.skipped !== undefined);
  return (
    <div class="source" id={`insights-${provider}-${families[0]}`}>
      <b>{PROVIDER_WORDS[provider]}</b>
      <Standing site={site} source={source} now={now} />
      {source.property === undefined ? null : <Told class="wrap dim">{source.property}</Told>}
      {troublesOf(source.reports).map((trouble) => (
        <TroubleLine trouble={trouble} provider={provider} now={now} />
      ))}
      {skipped.map(({ family, skipped: reason }) => (
        <span class="whole">
          {familyWords(family.name).title} are left out:{" "}
          {SKIPPED[reason ?? ""] ?? "the property is not set up for them."}
        </span>
      ))}
    </div>
  );
}

/** Why a report is left out, and what ends it. */
const SKIPPED: Readonly<Record<string, string>> = {
  parameter_unregistered:
    "the property has not registered the parameters of its error events as custom dimensions. Once it has, they are asked for.",
};

/** How far the reports reach, or why there are none. */
function Standing(props: { readonly site: SitePanels; readonly source: PanelSource; readonly now: number }) {
  const { site, source, now } = props;
  const { asset, nextRun, isRetired } = site;
  switch (sourceState(source)) {
    case "not_connected":
      return isRetired ? (
        <span>not connected</span>
      ) : (
        <span>
          not connected: <a href={`${paths.siteSettings(asset)}#sources`}>attach a property</a>
        </span>
      );
    case "never_archived":
      return (
        <span>
          nothing archived yet.{" "}
          {isRetired ? (
            "This site is retired: its reports are not asked for."
          ) : (
            <>
              The next run is on <Moment at={nextRun} now={now} />
              {source.provider === "webmaster-tools"
                ? " and brings what the provider holds then."
                : " and brings the last four completed days."}
            </>
          )}
        </span>
      );
    case "nothing_usable":
      return (
        <span>
          no report that can be shown yet
          {isRetired ? "" : "; the next run is on "}
          {isRetired ? null : <Moment at={nextRun} now={now} />}
          <Lag reports={source.reports} now={now} />
        </span>
      );
    case "shown":
      return (
        <>
          <Reach reports={source.reports} now={now} />
          {source.property === undefined && !isRetired ? (
            <span>
              no longer connected: <a href={`${paths.siteSettings(asset)}#sources`}>attach a property</a>
            </span>
          ) : null}
          {isRetired ? <span>This site is retired: its reports are not asked for any more.</span> : null}
        </>
      );
  }
}

/** To which day the reports reach, and when they were read. */
function Reach({ reports, now }: { readonly reports: readonly PanelReport[]; readonly now: number }) {
  const shown = reports.flatMap((report) =>
    report.shown === undefined ? [] : [{ report, insight: report.shown }],
  );
  const newest = shown.reduce<(typeof shown)[number] | undefined>(
    (best, one) => (best === undefined || one.insight.date > best.insight.date ? one : best),
    undefined,
  );
  if (newest === undefined) return null;
  const readAt = Math.max(...shown.map(({ insight }) => insight.observedAt));
  const words = dateWords(newest.report, newest.insight.date as never, now);
  return (
    <span>
      {newest.report.isProvisional ? <Marked words={words} /> : words}, read <Moment at={readAt} now={now} />
      <Lag reports={reports} now={now} />
    </span>
  );
}

function Marked({ words }: { readonly words: string }) {
  return (
    <>
      {words.replace("provisional", "")}
      <Term name="provisional">provisional</Term>
    </>
  );
}

/** The newest day that a provider has no final figures of yet: nothing is wrong with it. */
function Lag({ reports, now }: { readonly reports: readonly PanelReport[]; readonly now: number }) {
  const behind = reports.flatMap(({ lagging }) => lagging ?? []);
  if (behind.length === 0) return null;
  return (
    <>
      ; <Term name="source-lag">no final figures</Term> of {formatDay(dayOfNumber(Math.max(...behind)), now)}{" "}
      yet
    </>
  );
}

/** Titles named of those that one cause concerns. */
const NAMED = 2;

/** Why reports failed, said once for all of them, with what to do. */
function TroubleLine(props: {
  readonly trouble: Trouble;
  readonly provider: Provider;
  readonly now: number;
}) {
  const { trouble, provider, now } = props;
  const { latest, reports, category, code, isIncomplete } = trouble;
  const { why, action } = failureWords({ category, code }, capabilityOf(`${provider}.archive`)?.copy);
  return (
    <span class="state" data-state="failing">
      <Glyph name="s-failing" />
      <span>
        <b>
          {titlesOf(reports)} of {formatDay(dayOfNumber(latest.date), now)}{" "}
          {isIncomplete ? "came in part only" : "failed"}
        </b>
        . {why} {action.text}
        {latest.nextRetryAt === null || latest.nextRetryAt <= now ? null : (
          <>
            {" "}
            Next try <Moment at={latest.nextRetryAt} now={now} />.
          </>
        )}{" "}
        <a href={paths.archiveReport(latest.id)}>The attempt</a>
      </span>
    </span>
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
