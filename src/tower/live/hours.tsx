import { zonedHour } from "../../lib/zoned_hour.ts";
import type { HourlyReport, HourOfReport } from "../../provider/contract.ts";
import { NumbersTable } from "../component/numbers_table.tsx";
import { Box, Level, Plot, percent, Stretch, Words } from "../component/plot.tsx";
import { countOf, formatCount } from "../format.ts";

const HOURS = 24;
/** Percent of the width for one hour. */
const STEP = 100 / HOURS;
const TOP = 14;
const FOOT = 54;
/** Height of an hour that was not told, which is no zero: what came late may still fill it. */
const SLOT = 8;
/** Least height of a bar: one visitor beside a thousand is no zero. */
const LOWEST = 2;
/** Share of an hour's width that its bar takes. */
const BAR = 0.74;
/** Hours that are named under the plot. */
const NAMED = [0, 6, 12, 18];

/** Today by the hour, in the property's time zone. None of it is settled, and no rule reads it. */
export function TodayByHour({ counts, now }: { readonly counts: HourlyReport; readonly now: number }) {
  const { timeZone } = counts;
  const { day: today, hour: current } = zonedHour(now, timeZone);
  const told = counts.hours.filter(({ day }) => day === today);
  const byHour = new Map(told.map((counted) => [counted.hour, counted]));
  const highest = Math.max(0, ...told.map(({ activeUsers }) => activeUsers));
  const heard = Array.from({ length: current + 1 }, (_, hour) => ({ hour, counted: byHour.get(hour) }));
  return (
    <>
      <Plot height={FOOT + 16} label={labelOf(told, timeZone)}>
        {highest === 0 ? null : <Level class="grid" y={TOP} />}
        <line class="base" x1="0" x2={percent((current + 1) * STEP)} y1={FOOT} y2={FOOT} />
        {heard.map(({ hour, counted }) => (
          <Hour hour={hour} counted={counted} highest={highest} />
        ))}
        <text x="0" y="10">
          {highest === 0 ? "visitors" : countOf(highest, "visitor")}
        </text>
        {NAMED.map((hour) => (
          <Words x={hour * STEP} y={FOOT + 12}>
            {clockOf(hour)}
          </Words>
        ))}
      </Plot>
      <p class="note">
        {told.length === 0 ? "Nothing was told of today yet" : `So far ${wordsOfToday(told)}`}. Hours in{" "}
        {timeZone}; today is not settled.
      </p>
      {told.length === 0 ? null : (
        <NumbersTable
          caption="Today by hour"
          items={told}
          columns={[
            { words: "Hour", names: true, cell: ({ hour }) => clockOf(hour) },
            { words: "Visitors", numeric: true, cell: ({ activeUsers }) => formatCount(activeUsers) },
            { words: "Sessions", numeric: true, cell: ({ sessions }) => formatCount(sessions) },
            { words: "Page views", numeric: true, cell: ({ pageViews }) => formatCount(pageViews) },
            { words: "Events", numeric: true, cell: ({ eventCount }) => formatCount(eventCount) },
          ]}
        />
      )}
    </>
  );
}

/** One hour: a bar, a short tick for nobody, a slot where nothing was told. */
function Hour(props: {
  readonly hour: number;
  readonly counted: HourOfReport | undefined;
  readonly highest: number;
}) {
  const { hour, counted, highest } = props;
  const [x, width] = [(hour + (1 - BAR) / 2) * STEP, STEP * BAR];
  if (counted?.activeUsers === 0) return <Stretch class="zero" from={x} to={x + width} y={FOOT - 1} />;
  const height =
    counted === undefined ? SLOT : Math.max(LOWEST, (counted.activeUsers / highest) * (FOOT - TOP));
  return (
    <Box
      class={counted === undefined ? "none" : "prov"}
      x={x}
      width={width}
      y={FOOT - height}
      height={height}
      title={`${clockOf(hour)}: ${counted === undefined ? "nothing told" : wordsOf(counted)}`}
    />
  );
}

const clockOf = (hour: number): string => `${String(hour).padStart(2, "0")}:00`;

function wordsOf({ activeUsers, sessions, pageViews }: HourOfReport): string {
  return `${countOf(activeUsers, "visitor")}, ${countOf(sessions, "session")}, ${countOf(pageViews, "page view")}`;
}

/** What hours can be added up of: who visits in two of them is one visitor, and one session may reach into two. */
function wordsOfToday(told: readonly HourOfReport[]): string {
  const sum = (of: (counted: HourOfReport) => number) => told.reduce((all, counted) => all + of(counted), 0);
  return `${countOf(
    sum(({ pageViews }) => pageViews),
    "page view",
  )} and ${countOf(
    sum(({ eventCount }) => eventCount),
    "event",
  )}`;
}

function labelOf(told: readonly HourOfReport[], timeZone: string): string {
  const counts = told.map(({ hour, activeUsers }) => `${clockOf(hour)} ${activeUsers}`);
  return `Visitors today by hour in ${timeZone}: ${counts.length === 0 ? "nothing told yet" : counts.join(", ")}`;
}
