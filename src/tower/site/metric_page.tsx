/** `/sites/{asset}/metric`: one metric of a site: its chart, its days with what the rule says of each, its flags and its revisions. */

import { capital, countWords as countOf } from "../../base/text.ts";
import { addDays, dayNumber, dayOfNumber, type UtcDay } from "../../base/time.ts";
import type { SeriesSource } from "../../flags/flags.ts";
import { listInbox } from "../../flags/inbox.ts";
import { isProvider } from "../../providers/adapter.ts";
import { flagsShown, listRevisedDays } from "../../reports/nights.ts";
import { findPulseBody, listRevisions, type Pulse, type PulseRow } from "../../reports/pulse.ts";
import { flowRuleInputs } from "../../rules/flow_inputs.ts";
import { judgedTail } from "../../rules/verdict.ts";
import { type DayRevision, revisionsBetween } from "../../signals/signal_list.ts";
import { FLOW_DROP, FLOW_RISE, SENT, shortName } from "../../sites/rule_catalogue.ts";
import type { Db } from "../../store/store.ts";
import { Near, nearOf } from "../flags/figure.tsx";
import { JudgedProof, judgedWords } from "../flags/judged.tsx";
import { formatCount, formatDay, formatWeekday } from "../format.ts";
import type { PageGround } from "../ground.ts";
import { type ListedFlag, ListedFlags } from "../kit/attention.tsx";
import { Chart, rangeWords } from "../kit/chart.tsx";
import { Mark, MarkedNote } from "../kit/chart_marks.tsx";
import { Glyph } from "../kit/glyph.tsx";
import { here } from "../kit/here.ts";
import { Go, NOT_TESTED_WORDS, ShortName, Told } from "../kit/links.tsx";
import { Block, Empty, List, Pager, pageOf } from "../kit/list.tsx";
import { Age, Day, Marked, Moment } from "../kit/proof.tsx";
import { get, mounted } from "../kit/route.ts";
import { SilentNote, type SiteHead, SiteHeader, siteTitle } from "../kit/site_state.tsx";
import { Page, readWhole, wholeOrDamage } from "../layout.tsx";
import { paths } from "../paths.ts";
import { siteHead } from "../site_head.ts";
import { toViewFlag } from "./codebase_read.ts";
import {
  changeText,
  closeText,
  csvHref,
  dayHref,
  type FigureUnit,
  figureText,
  HALF_WORDS,
  lastValued,
  metricAddress,
  metricHref,
  stateAfter,
  usualText,
} from "./lanes.ts";
import type { SentFigures } from "./latest_nightly.tsx";
import { chartLane, Failing, type Lane, lanesOf, RangeLinks, readSite, type SiteDays } from "./site_days.tsx";
import { type FigureTest, type JudgedDays, percentDropWords, readJudged, readTests } from "./verdict.tsx";

const CHART_HEIGHT = 260;
/** Days on one page of the table. */
const DAYS_PAGE = 14;
const MOST_FLAGS = 200;

export function metricRoutes(deps: PageGround) {
  const { db } = deps;
  return mounted(deps, [
    get(
      paths.metric,
      { query: metricAddress, find: ({ asset }, at) => siteHead(deps, asset, at) },
      ({ query, now, found: site }) => {
        const { source, metric } = query;
        if (metric === null) return <NoSuchMetric site={site} />;
        return wholeOrDamage({ site, tab: "overview" }, () => {
          const { nightly, days } = readSite(deps, site, query, now);
          const [lane] = lanesOf(days);
          if (lane === undefined) return <NoSuchMetric site={site} metric={metric} />;
          const isService = site.asset === deps.config.serviceAsset;
          const open = listInbox(
            db,
            { asset: site.asset, status: "open" },
            { limit: MOST_FLAGS, offset: 0, now },
          ).filter((flag) => flag.metric === metric && (flag.source ?? SENT) === source);
          const [first] = open.map(({ chain }) => Date.parse(chain.since)).toSorted();
          return (
            <MetricPage
              site={site}
              days={days}
              lane={lane}
              test={readTests(db, days, { figures: nightly.figures, isService }).get(lane.key)}
              judged={readJudged(deps, lane, days, now)}
              sent={lane.half === SENT ? nightly.figures[metric] : undefined}
              open={open.map(flagsShown(db)).map((row) => toViewFlag(row, now))}
              near={first === undefined ? [] : nearOf(db, site.asset, first)}
              revised={readRevised(db, { asset: site.asset, source, metric }, days)}
            />
          );
        });
      },
    ),
  ]);
}

interface MetricPageProps {
  readonly site: SiteHead;
  readonly days: SiteDays;
  readonly lane: Lane;
  readonly test: FigureTest | undefined;
  /** Undefined for what is no count: no rule expects anything of it. */
  readonly judged: JudgedDays | undefined;
  /** What the latest report says beside the count. */
  readonly sent: SentFigures[string] | undefined;
  readonly open: readonly ListedFlag[];
  /** Changes near the day since when it is flagged. */
  readonly near: ReturnType<typeof nearOf>;
  readonly revised: readonly RevisedDay[];
}

function MetricPage(props: MetricPageProps) {
  const { site, days, lane, judged, open, near } = props;
  const { asset, query } = days;
  return (
    <Page title={siteTitle(site, lane.label)} current="sites">
      <Head {...props} />
      <SilentNote site={site} />
      <section aria-label="Chart">
        <div class="chart-head">
          <RangeLinks site={days} />
        </div>
        <Chart
          isAlone
          days={days.days}
          lanes={[
            chartLane(lane, {
              height: CHART_HEIGHT,
              ...(judged !== undefined && { expected: judged.ranges }),
            }),
          ]}
          annotations={days.annotations.marks}
          hrefOf={(day) => dayHref(asset, day)}
          zoom={metricHref(asset, { source: query.source, metric: query.metric })}
        >
          <MarkedNote annotations={days.annotations} href={paths.siteTimeline(asset)} />
        </Chart>
      </section>
      <div class="cols beside">
        <DayTable {...props} />
        <div class="rail stack">
          {open.length === 0 ? null : (
            <>
              <Block heading={open.length === 1 ? "Open flag" : "Open flags"}>
                <ListedFlags flags={open} />
              </Block>
              <Near near={near} />
            </>
          )}
          <Revisions {...props} />
        </div>
      </div>
      <Judged {...props} />
    </Page>
  );
}

/** What it is, how it stands on its newest final day, and how complete that is. */
function Head({ site, days, lane, judged, sent }: MetricPageProps) {
  const { asset } = days;
  const last = lastValued(lane.days);
  const range = last === undefined ? undefined : judged?.ranges.get(last.day);
  const flag = lane.flags.find((one) => last !== undefined && one.days.includes(last.day));
  const group = days.groups.find(({ half }) => half === lane.half);
  const isDaily = range?.windowDays === 1;
  return (
    <div class="head">
      <div>
        <p class="crumb">
          <a href={paths.portfolio}>Sites</a> / <a href={paths.site(asset)}>{asset}</a>
        </p>
        <h1 class="wrap">
          <ShortName name={lane.label} />
        </h1>
        <p class="note">
          {HALF_WORDS[lane.half]}, by day
          {group?.finalTo === undefined ? (
            ", no final day yet"
          ) : (
            <>
              , final to <Day day={group.finalTo} />
            </>
          )}
          {group?.standing?.reportedAt === undefined ? null : (
            <>
              , collected <Age at={group.standing.reportedAt} /> from{" "}
              <Told class="wrap">{group.standing.property}</Told>
            </>
          )}
          {lane.half === SENT && days.offset !== 0
            ? ", each on the day before its report, which it mostly counts"
            : ""}
          {sent?.total === undefined ? "" : `. Total ${figureText(lane.unit, sent.total)}`}
          {sent?.avg7d === undefined
            ? ""
            : `. Sender's 7-day average ${figureText(lane.unit, sent.avg7d)} (diagnostic)`}
        </p>
        {group?.standing === undefined ? null : <Failing asset={asset} standing={group.standing} />}
        {site.standing.state !== "silent" && lane.half === SENT && sent === undefined ? (
          <p class="note">The latest report does not have it.</p>
        ) : null}
      </div>
      {last === undefined || last.value === null ? null : (
        <dl class="figure">
          <div>
            <dd data-sev={flag?.severity} class={flag === undefined ? undefined : "tone"}>
              {figureText(lane.unit, last.value)}
            </dd>
            <dt>
              {formatDay(last.day)}
              {stateAfter(last.state)}
            </dt>
          </div>
          {range === undefined || !isDaily ? null : (
            <>
              <div class="side">
                <dd>{usualText(range.expected)}</dd>
                <dt>normally</dt>
              </div>
              <div class="side">
                <dd>{changeText({ now: last.value, before: range.expected })}</dd>
                <dt>against that</dt>
              </div>
            </>
          )}
        </dl>
      )}
    </div>
  );
}

/** The days of the chart, the newest first. */
function DayTable({ days, lane, judged }: MetricPageProps) {
  const { asset, query, annotations } = days;
  const { unit } = lane;
  const none = <span class="dim">–</span>;
  const told = lane.days.filter(({ state }) => state !== "none").reverse();
  const { items, paging } = pageOf(told, query.page, DAYS_PAGE);
  const flagOf = (day: UtcDay) => lane.flags.find((flag) => flag.days.includes(day));
  return (
    <Block
      id="days"
      heading="By day"
      note={`${formatCount(paging.last - paging.first + 1)} of ${formatCount(told.length)}`}
      tools={
        <a href={csvHref(asset, query)} download>
          Download CSV
        </a>
      }
    >
      <List
        of="By day, newest first"
        items={items}
        class="bydays"
        columns={[
          ["Day", ({ day }) => <a href={dayHref(asset, day)}>{formatWeekday(day)}</a>],
          [
            "Value",
            ({ state, value }) =>
              value === null ? (
                <span class="nm">No data</span>
              ) : state === "provisional" ? (
                <i>{figureText(unit, value)}</i>
              ) : (
                <b>{figureText(unit, value)}</b>
              ),
            { numeric: true },
          ],
          judged === undefined
            ? null
            : [
                "Normally",
                ({ day }) => {
                  const range = judged.ranges.get(day);
                  if (range === undefined) return none;
                  const { expected, windowDays } = range;
                  return `${usualText(expected)}${windowDays === 1 ? "" : ` in ${windowDays} days`}`;
                },
                { numeric: true },
              ],
          judged === undefined
            ? null
            : [
                "Expected",
                ({ day }) => {
                  const range = judged.ranges.get(day);
                  return range === undefined ? none : rangeWords(range, (value) => figureText(unit, value));
                },
                { numeric: true },
              ],
          [
            "Result",
            (figure) => {
              const flag = flagOf(figure.day);
              if (flag !== undefined) return <FlagOfDay flag={flag} />;
              return <span class="dim">{resultWords(judged, figure)}</span>;
            },
          ],
          [
            "Changes",
            ({ day }) =>
              annotations.marks
                .filter(({ date }) => date === day)
                .map(({ kind, words }) => (
                  <span class="change">
                    <Mark kind={kind} /> <Told class="wrap">{words}</Told>
                  </span>
                )),
            { class: "all" },
          ],
        ]}
      />
      <Pager paging={paging} what="days" href={(page) => `${metricHref(asset, { ...query, page })}#days`} />
    </Block>
  );
}

const SIDES: Readonly<Record<string, string>> = { [FLOW_DROP]: "Below", [FLOW_RISE]: "Above" };

function FlagOfDay({ flag: { rule, severity, href, message } }: { readonly flag: Lane["flags"][number] }) {
  return (
    <a class="sev" data-sev={severity} href={href} title={message}>
      <Glyph name={`f-${severity}`} />
      {SIDES[rule ?? ""] ?? (rule === null ? "Flag of the site" : capital(shortName(rule)))}
    </a>
  );
}

/** As expected, not final yet, or not tested because of what. */
function resultWords(
  judged: JudgedDays | undefined,
  { day, state }: Pick<Lane["days"][number], "day" | "state">,
) {
  if (state === "provisional") return "Not final yet";
  if (state === "missing") return "Not tested: no data";
  if (judged === undefined) return "Not tested: not a count";
  const verdict = judged.verdictOf(day);
  if (verdict.outcome === "not_tested") return `Not tested: ${NOT_TESTED_WORDS[verdict.reason]}`;
  if (verdict.fires === null) return "As expected";
  return `${verdict.fires === "drop" ? "Below" : "Above"}, no flag raised`;
}

/** How the newest day was judged, for whoever asks. */
function Judged({ days, lane, test }: MetricPageProps) {
  const { now } = here();
  if (test === undefined) return null;
  const { words, judged } = test;
  const flow = words.state === "tested" ? words.flow : undefined;
  const rule = flow !== undefined && judgedTail(flow) === "atLeast" ? FLOW_RISE : FLOW_DROP;
  const inputs: Readonly<Record<string, unknown>> | null =
    flow === undefined
      ? null
      : {
          ...flowRuleInputs(flow),
          direction: rule === FLOW_RISE ? "rise" : "drop",
          ...omittedOf(lane, flow.observed.to),
        };
  return (
    <details class="fold" id="judged">
      <summary>How was this judged?</summary>
      <div class="stack">
        <p class="note">
          The expected range holds every count of a day that the daily rule would not flag, from the days
          before it.
        </p>
        {inputs === null ? (
          <p>
            <Marked>{words.words}</Marked>
          </p>
        ) : (
          <JudgedProof
            sentences={[...judgedWords({ rule, rule_inputs: inputs }, now), `${words.words}.`]}
            rule={rule}
            inputs={inputs}
          />
        )}
        {judged === undefined ? null : (
          <p>
            <Marked>{`Percent-drop: ${percentDropWords(judged.percentDrop)}`}</Marked>
          </p>
        )}
        <Tune asset={days.asset} lane={lane} />
      </div>
    </details>
  );
}

/** Days that a provider left out count as 0, though it said nothing of them. */
function omittedOf({ days }: Lane, last: UtcDay) {
  return days.some(({ day, basis }) => day === last && basis === "omitted") ? { omitted_days: 1 } : {};
}

/** Only counts are judged, and so tuned. */
function Tune({ asset, lane }: { readonly asset: string; readonly lane: Lane }) {
  const { half, metric, unit } = lane;
  if (unit !== "count") return null;
  const href = half === SENT ? paths.tuneMetric(asset, metric) : paths.tuneSignal(asset, half, metric);
  return (
    <p class="row">
      <a href={href}>Tune this metric</a>
      <a href={paths.calibration}>Calibration of all rules</a>
    </p>
  );
}

function NoSuchMetric({ site, metric }: { readonly site: SiteHead; readonly metric?: string }) {
  return (
    <Page title={siteTitle(site, "metric")} current="sites">
      <SiteHeader site={site} current="overview" />
      <Empty alone heading="No metric of this name">
        <p>
          {metric === undefined ? (
            "The address names no metric."
          ) : (
            <>
              No report ever had a metric named <Told class="mono wrap">{metric}</Told>.
            </>
          )}
        </p>
        <Go to={paths.site(site.asset)} words="Show all metrics" />
      </Empty>
    </Page>
  );
}

// The values that a day of a figure had, one after another, and the days of a figure that were revised.

/** Most revisions of a nightly report that are compared, the newest. */
const MOST_REVISIONS = 20;
/** Most revised days that are told of one figure, the newest. */
const MOST_DAYS = 20;

/** A value that a day had for a while, and when it was first told, in milliseconds since the epoch. */
interface SeenValue {
  /** Null where it was told that there is none. */
  readonly value: number | null;
  readonly seenAt: number;
}

/** A day whose value became another, with its values, oldest first; the last one holds. */
type RevisedDay = ReturnType<typeof readRevised>[number];

/** What each of these revisions says, the oldest first; a body that is damaged says nothing. */
function sentRevisions(db: Db, reports: readonly PulseRow[]) {
  return reports.toReversed().flatMap((row) => {
    const body = readWhole(() => findPulseBody(db, row));
    return body.ok
      ? [{ receivedAt: row.receivedAt, metrics: (JSON.parse(body.value) as Pulse).metrics }]
      : [];
  });
}

/** The values that the revisions of a day's report gave a metric; one that is no longer sent has none. */
function sentSeen(sent: ReturnType<typeof sentRevisions>, metric: string): SeenValue[] {
  return changesOf(
    sent.map(({ receivedAt, metrics }) => ({
      value: (Object.hasOwn(metrics, metric) ? metrics[metric]?.last24h : undefined) ?? null,
      seenAt: receivedAt,
    })),
  );
}

function signalSeen(revisions: readonly Pick<DayRevision, "value" | "firstAt">[]): SeenValue[] {
  return changesOf(revisions.map(({ value, firstAt }) => ({ value, seenAt: firstAt })));
}

/** The values in their order, each once for as long as it held; what is absent before the first value is no value. Pure. */
export function changesOf(values: readonly SeenValue[]): SeenValue[] {
  const changes: SeenValue[] = [];
  for (const seen of values) {
    const last = changes.at(-1);
    if (last === undefined ? seen.value === null : last.value === seen.value) continue;
    changes.push(seen);
  }
  return changes;
}

/** The days of one figure whose value was revised, the newest first. */
function readRevised(
  db: Db,
  of: { readonly asset: string; readonly source: SeriesSource; readonly metric: string },
  { days, offset }: Pick<SiteDays, "days" | "offset">,
) {
  const { asset, source, metric } = of;
  const all = isProvider(source)
    ? [
        ...revisionsBetween(db, {
          asset,
          source,
          metric,
          from: dayNumber(days.from),
          to: dayNumber(days.to),
        }),
      ].map(([day, revisions]) => ({ day: dayOfNumber(day), seen: signalSeen(revisions) }))
    : listRevisedDays(
        db,
        asset,
        { from: addDays(days.from, -offset), to: addDays(days.to, -offset) },
        MOST_DAYS,
      ).map((day) => ({
        day: addDays(day, offset),
        seen: sentSeen(sentRevisions(db, listRevisions(db, asset, day, MOST_REVISIONS)), metric),
      }));
  return all
    .filter(({ seen }) => seen.length > 1)
    .toSorted((one, other) => (one.day < other.day ? 1 : -1))
    .slice(0, MOST_DAYS);
}

/** "17 Nov was 112 when first seen 18 Nov 04:15, 131 now." */
function Revision(props: {
  readonly asset: string;
  readonly unit: FigureUnit;
  readonly revised: RevisedDay;
}) {
  const { day, seen } = props.revised;
  const [first, last] = [seen[0], seen.at(-1)];
  if (first === undefined || last === undefined) return null;
  const text = ({ value }: SeenValue) => (value === null ? "not sent" : closeText(props.unit, value));
  return (
    <li>
      <a href={dayHref(props.asset, day)}>{formatDay(day)}</a> was <b>{text(first)}</b> when first seen{" "}
      <Moment at={first.seenAt} />, <b>{text(last)}</b> now.
    </li>
  );
}

/** Revised days in sight; the rest is folded away. */
const REVISED_IN_SIGHT = 5;

/** What became of the days of one metric after they were first told. */
function Revisions({ days: { asset }, lane, revised }: MetricPageProps) {
  const list = (some: readonly RevisedDay[]) => (
    <ul class="revised">
      {some.map((day) => (
        <Revision asset={asset} unit={lane.unit} revised={day} />
      ))}
    </ul>
  );
  const rest = revised.slice(REVISED_IN_SIGHT);
  return (
    <Block heading="Revised days" note={revised.length === 0 ? undefined : countOf(revised.length, "day")}>
      {revised.length === 0 ? <p>No revisions.</p> : list(revised.slice(0, REVISED_IN_SIGHT))}
      {rest.length === 0 ? null : (
        <details class="items">
          <summary>{countOf(rest.length, "more day")}</summary>
          {list(rest)}
        </details>
      )}
    </Block>
  );
}
