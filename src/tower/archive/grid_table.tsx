import { ARCHIVE_OUTCOMES, type ArchiveOutcome } from "../../archive/mod.ts";
import { dayOfNumber } from "../../lib/day_number.ts";
import { startOfDay, type UtcDay } from "../../lib/utc_day.ts";
import type { ReportFamily } from "../../provider/report/contract.ts";
import { ARCHIVE_LOOKS } from "../component/archive_mark.tsx";
import { Glyph } from "../component/glyph.tsx";
import { PROVIDER_WORDS } from "../component/provider_words.ts";
import { Marked } from "../component/term.tsx";
import { Unseen } from "../component/text.tsx";
import { formatCount, formatDay } from "../format.ts";
import { familyTitle, figureWords } from "../insights/family_words.ts";
import type { Child } from "../jsx/jsx-runtime.ts";
import { ABSENT_WORDS, cellWords } from "./cell_words.ts";
import { type CellIs, GRID_DAYS, type Grid, type GridRow } from "./grid.ts";
import { type ArchiveQuery, attemptsHref } from "./query.ts";

interface GridProps {
  readonly grid: Grid;
  readonly query: ArchiveQuery;
  readonly now: number;
}

/** Reports by dates: each cell leads to its attempts. It scrolls by itself where it is wider than its page; a phone has its last week. */
export function GridTable({ grid, query, now }: GridProps) {
  const { dates, groups } = grid;
  const days = dates.map(dayOfNumber);
  return (
    <div class="scroll" role="region" aria-label="Reports by dates" tabindex={0}>
      <table class={query.asset === null ? "archive of-many" : "archive"}>
        <caption class="vh">Reports by dates, the newest date at the right</caption>
        <thead>
          <tr>
            <th scope="col">Report</th>
            {days.map((day, place) => (
              <th scope="col" aria-current={day === query.date ? "date" : undefined}>
                <DayLink
                  day={day}
                  first={place === 0}
                  firstOfWeek={place === days.length - 7}
                  query={query}
                  now={now}
                />
              </th>
            ))}
          </tr>
        </thead>
        {groups.map(({ provider, rows }) => (
          <tbody>
            <tr>
              <th scope="rowgroup" colspan={dates.length + 1} class="grp">
                {PROVIDER_WORDS[provider]}
              </th>
            </tr>
            {rows.map((row) => (
              <FamilyRow row={row} query={query} now={now} />
            ))}
          </tbody>
        ))}
      </table>
    </div>
  );
}

/** The day of the month; its month above the first one and above each first of a month. */
function DayLink(props: {
  readonly day: UtcDay;
  readonly first: boolean;
  /** It is the first that a phone shows. */
  readonly firstOfWeek: boolean;
  readonly query: ArchiveQuery;
  readonly now: number;
}) {
  const { day, first, firstOfWeek, query, now } = props;
  const words = formatDay(day, now);
  const [number, month] = words.split(" ");
  return (
    <a href={attemptsHref({ asset: query.asset, to: query.to, date: day })} title={words}>
      {first || number === "1" ? (
        <small>{month}</small>
      ) : firstOfWeek ? (
        <small class="last-week">{month}</small>
      ) : null}
      <span aria-hidden="true">{number}</span>
      <Unseen>{words}</Unseen>
    </a>
  );
}

function FamilyRow(props: { readonly row: GridRow; readonly query: ArchiveQuery; readonly now: number }) {
  const { row, query, now } = props;
  const { family, cells } = row;
  const of = { asset: query.asset, to: query.to, family: family.name };
  const isOfOneSite = query.asset !== null;
  return (
    <tr id={`report-${family.name}`}>
      <th scope="row">
        <a
          href={attemptsHref(of)}
          title={`${family.name}: ${contentWords(family)}`}
          aria-current={query.family === family.name ? "true" : undefined}
        >
          {familyTitle(family.name)}
        </a>
        {family.everyDays === 7 ? <small>weekly</small> : null}
      </th>
      {cells.map((cell) => {
        const day = dayOfNumber(cell.date);
        const words = `${formatDay(day, now)}, ${familyTitle(family.name)}: ${cellWords(cell, isOfOneSite)}`;
        // A cell that counts what failed leads to these alone.
        const outcome = isOfOneSite ? null : (ARCHIVE_OUTCOMES.find((one) => one === cell.is) ?? null);
        const isHere = day === query.date && query.family === family.name;
        return cell.sites === 0 ? (
          <td title={words}>
            <CellShape is={cell.is} />
            <Unseen>{ABSENT_WORDS[cell.is as keyof typeof ABSENT_WORDS]}</Unseen>
          </td>
        ) : (
          <td
            class={isHere ? "here" : cell.isMuch && !isOfOneSite ? "much" : undefined}
            data-state={cell.isMuch ? ARCHIVE_LOOKS[cell.is as ArchiveOutcome].tone : undefined}
          >
            <a href={attemptsHref({ ...of, date: day, outcome })} title={words} aria-label={words}>
              <CellShape is={cell.is} />
              {isOfOneSite ? null : formatCount(cell.sites)}
            </a>
          </td>
        );
      })}
    </tr>
  );
}

/** What a report tells: "clicks, impressions, click rate and position by page and query". */
export function contentWords({ dimensions, metrics }: ReportFamily): string {
  const figures = listed(metrics.map((metric) => figureWords(metric).words.toLowerCase()));
  return `${figures} by ${listed(dimensions.map((name) => name.replaceAll("_", " ")))}`;
}

const listed = (words: readonly string[]): string =>
  words.length < 2 ? words.join() : `${words.slice(0, -1).join(", ")} and ${words.at(-1)}`;

const SHAPES: Readonly<Record<Exclude<CellIs, ArchiveOutcome>, Child>> = {
  skipped: (
    <span class="state" data-state="unmonitored">
      <Glyph name="s-unmonitored" />
    </span>
  ),
  quiet: <span class="quiet" />,
  later: null,
  before: null,
  none: <span class="slot" />,
};

/** A cell's shape and colour; its word stands beside it for who does not see, and in the legend. */
function CellShape({ is }: { readonly is: CellIs }) {
  if (is in SHAPES) return <>{SHAPES[is as keyof typeof SHAPES]}</>;
  const { glyph, tone } = ARCHIVE_LOOKS[is as ArchiveOutcome];
  return (
    <span class="state" data-state={tone}>
      <Glyph name={`s-${glyph}`} />
    </span>
  );
}

const LEGEND: readonly CellIs[] = [
  "stored",
  "unchanged",
  "empty",
  "source_lag",
  "incomplete",
  "failed",
  "skipped",
  "quiet",
  "none",
];

/** Every shape of the grid with its word. */
export function GridLegend() {
  return (
    <>
      <p class="note last-week">The last 7 dates; a wider page shows {GRID_DAYS}.</p>
      <ul class="legend archive-legend">
        {LEGEND.map((is) => (
          <li>
            <CellShape is={is} />
            {is in ABSENT_WORDS ? (
              ABSENT_WORDS[is as keyof typeof ABSENT_WORDS]
            ) : (
              <Marked>{ARCHIVE_LOOKS[is as ArchiveOutcome].words}</Marked>
            )}
          </li>
        ))}
        <li>Nothing drawn: not due yet, or before the first run</li>
      </ul>
    </>
  );
}

/** The day of the month a grid ends at, as an address names it; null where it is today. */
export const endOf = (day: UtcDay, now: number): UtcDay | null =>
  startOfDay(day) > now - 86_400_000 ? null : day;
