/** The days that a site's charts show: lanes by source, how they are drawn, and their CSV. */

import { addDays, type UtcDay } from "../../base/time.ts";
import type { SeriesSource } from "../../flags/flags.ts";
import type { Provider } from "../../providers/adapter.ts";
import type { Attachment } from "../../providers/credentials.ts";
import type { DayOffset } from "../../reports/shown_day.ts";
import { lastTimeZone, type PullStanding, pullStanding } from "../../signals/attempts.ts";
import { SENT } from "../../sites/rule_catalogue.ts";
import type { Db } from "../../store/store.ts";
import type { ChartLane } from "../kit/chart.tsx";
import type { ChartAnnotations } from "../kit/chart_marks.tsx";
import { StateMark } from "../kit/glyph.tsx";
import { here } from "../kit/here.ts";
import type { Severity } from "../kit/links.tsx";
import type { Paging } from "../kit/list.tsx";
import { Moment } from "../kit/proof.tsx";
import { Reason } from "../kit/reason.tsx";
import type { Comparison, FigureDay } from "./day_words.ts";
import { type DayFlag, type FigureUnit, figureText, type LaneKey, urgency } from "./lanes.ts";
import type { ShownDays, SiteQuery } from "./range.ts";

/** A provider that the site is attached to. */
export interface SourceStanding extends PullStanding {
  /** The provider's own id of the property. */
  readonly property: string;
  /** The calendar that its days are of; undefined where it does not say. */
  readonly timeZone: string | undefined;
}

/** The providers that a site is attached to, each with how its pulls go. */
export function readStandings(
  db: Db,
  attachments: readonly Attachment[],
): ReadonlyMap<Provider, SourceStanding> {
  return new Map(
    attachments.map(({ asset, provider, property, connectionRevision }) => {
      const of = { asset, provider, connectionRevision, property };
      return [provider, { property, timeZone: lastTimeZone(db, of), ...pullStanding(db, of) }];
    }),
  );
}

/** One chart of a site: a figure of one of its sources over the days that are shown. */

export interface Lane {
  readonly key: LaneKey;
  readonly half: SeriesSource;
  /** As it is stored. */
  readonly metric: string;
  readonly label: string;
  readonly unit: FigureUnit;
  /** Every day that is shown, oldest first. */
  readonly days: readonly FigureDay[];
  /** Its last week against the one before; undefined where one of the two is not complete and final, or its days do not add up. */
  readonly week: Comparison | undefined;
  readonly flags: readonly DayFlag[];
  /** The worst of its open flags. */
  readonly worst: Severity | undefined;
  readonly href: string;
}

/** The charts of one source. */
export interface LaneGroup {
  readonly half: SeriesSource;
  readonly lanes: readonly Lane[];
  /** The newest day that is final, whichever days are shown. */
  readonly finalTo: UtcDay | undefined;
  /** Undefined for what no provider is asked for. */
  readonly standing: SourceStanding | undefined;
}

/** Everything the charts of a site show. */
export interface SiteDays {
  readonly asset: string;
  readonly query: SiteQuery;
  readonly days: ShownDays;
  /** By how many days what the site sent is shown away from the dates of its reports. */
  readonly offset: DayOffset;
  /** The one that holds the worst chart first. */
  readonly groups: readonly LaneGroup[];
  /** Sent metrics ever reported, and the page of them. */
  readonly known: number;
  readonly paging: Paging;
  readonly flags: readonly DayFlag[];
  readonly annotations: ChartAnnotations;
}

/** Every chart that is shown, in the order of the page. */
export function lanesOf({ groups }: Pick<SiteDays, "groups">): readonly Lane[] {
  return groups.flatMap(({ lanes }) => lanes);
}

/** How a chart is drawn, and how its days are told. */
export function chartLane(
  { label, unit, days, flags }: Lane,
  more: Pick<ChartLane, "height" | "aside" | "expected">,
): ChartLane {
  const flagged = new Map<UtcDay, Severity>();
  for (const { days: held, severity } of flags) {
    for (const day of held) if (urgency(severity) < urgency(flagged.get(day))) flagged.set(day, severity);
  }
  return {
    label,
    form: unit === "count" ? "bars" : "line",
    lowIsBetter: unit === "position",
    format: (value) => figureText(unit, value),
    days,
    flagged,
    flags,
    ...more,
  };
}

/** Since when a provider's figures are not collected, why, and what to do. */
export function Failing({ standing }: { readonly standing: SourceStanding }) {
  const { now } = here();
  const { latest, failingSince } = standing;
  if (latest === undefined || failingSince === undefined) return null;
  return (
    <span class="block-sm">
      <StateMark state="failing" /> since <Moment at={failingSince} />.{" "}
      <Reason category={latest.category ?? "monitoring_failure"} />
      {latest.nextRetryAt === null || latest.nextRetryAt <= now ? null : (
        <>
          {" "}
          Next retry <Moment at={latest.nextRetryAt} />.
        </>
      )}
    </span>
  );
}

/** The numbers of the charts as a file (RFC 4180): a line for each day of each figure, with its state and basis. Pure. */

const HEADINGS = ["date", "source", "metric", "value", "state", "basis", "report_date"] as const;

/** The file. Its name holds nothing but what an address may. */
export function csvFile(site: SiteDays): Response {
  const { from, to } = site.days;
  return new Response(csvOf(site), {
    headers: {
      "content-type": "text/csv; charset=utf-8; header=present",
      "content-disposition": `attachment; filename="${site.asset}-${from}-${to}.csv"`,
      "cache-control": "private, no-cache",
    },
  });
}

/**
 * The lines, each ended by CRLF, the headings first; oldest day first, the charts in the order of the page. A value that is absent is
 * an empty cell and never 0; a day of which nothing is due has no line. `date` is the day that the chart shows; what the site sent also
 * has the date of its report, by which the API and the flags know it.
 */
export function csvOf(site: SiteDays): string {
  const lanes = lanesOf(site);
  const count = lanes[0]?.days.length ?? 0;
  const lines: string[] = [lineOf(HEADINGS)];
  for (let place = 0; place < count; place++) {
    for (const lane of lanes) lines.push(...linesOf(lane, place, site.offset));
  }
  return lines.join("");
}

function linesOf({ half, metric, days }: Lane, place: number, offset: DayOffset): string[] {
  const figure = days[place];
  if (figure === undefined || figure.state === "none") return [];
  const { day, value, state, basis } = figure;
  const reported = half === SENT ? addDays(day, -offset) : "";
  return [lineOf([day, half, metric, value === null ? "" : String(value), state, basis ?? "", reported])];
}

/** One line of a file. */
export function lineOf(cells: readonly string[]): string {
  return `${cells.map(cellOf).join(",")}\r\n`;
}

/** Numbers as the file writes them; everything else is text. */
const NUMBER = /^-?\d+(?:\.\d+)?(?:e[+-]\d+)?$/;
/** What a spreadsheet takes for a formula, full-width forms too: an apostrophe before it makes it text. */
const FORMULA = /^[=+\-@\t\r\n＝＋－＠]/;

/** One cell: quoted where it must be, and never a formula. */
export function cellOf(text: string): string {
  const safe = FORMULA.test(text) && !NUMBER.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
