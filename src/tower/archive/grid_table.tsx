/** The grid of reports by dates as a table, and the address of the archive that its cells lead to. */

import { ARCHIVE_OUTCOMES, type ArchiveOutcome } from "../../archive/manifest_row.ts";
import { dayOfNumber, type UtcDay } from "../../base/time.ts";
import { PROVIDER_NAMES as PROVIDER_WORDS, PROVIDERS, type Provider } from "../../providers/adapter.ts";
import { FAILURE_CATEGORIES, type FailureCategory } from "../../providers/faults.ts";
import { REPORT_FAMILIES, type ReportFamily } from "../../providers/report_families.ts";
import { formatCount, formatDay } from "../format.ts";
import type { Child } from "../jsx/child.ts";
import { address, DAY, named, oneOf, type Param, ROW } from "../kit/address.tsx";
import { CATEGORY_WORDS, categoryInside } from "../kit/category_words.ts";
import { Glyph, OUTCOME_LOOKS, outcomeCounted, outcomeWords } from "../kit/glyph.tsx";
import { here } from "../kit/here.ts";
import { Unseen } from "../kit/links.tsx";
import { Marked } from "../kit/proof.tsx";
import { paths } from "../paths.ts";
import { familyTitle, figureWords } from "../site/family_words.ts";
import { type Cell, type CellIs, GRID_DAYS, type Grid, type GridRow, type Share } from "./grid.ts";

/** What of a cell is no outcome of an attempt: its word, and its shape. */
const ABSENT: Readonly<Record<Exclude<CellIs, ArchiveOutcome>, readonly [words: string, shape: Child]>> = {
  skipped: [
    "Skipped",
    <span class="state" data-state="unmonitored">
      <Glyph name="s-unmonitored" />
    </span>,
  ],
  quiet: ["Not due that day", <span class="quiet" />],
  later: ["Not due yet", null],
  before: ["Before the first run", null],
  none: ["No attempt", <span class="slot" />],
};

const absent = (is: CellIs) => (is in ABSENT ? ABSENT[is as keyof typeof ABSENT] : undefined);
const cellTitle = (is: CellIs): string => absent(is)?.[0] ?? OUTCOME_LOOKS[is as ArchiveOutcome].words;

/** "Failed (access)" of one site; "12 failed (access), 988 stored" of several. */
export function cellWords({ is, shares }: Cell, isOfOneSite: boolean): string {
  const [first] = shares;
  if (first === undefined) return cellTitle(is);
  if (isOfOneSite) return `${cellTitle(is)}${whyOf(first)}`;
  return shares
    .map((share) => `${formatCount(share.sites)} ${outcomeCounted(share.outcome)}${whyOf(share)}`)
    .join(", ");
}

const whyOf = ({ category }: Share): string => (category === null ? "" : ` (${categoryInside(category)})`);

/** Longest name of a site and of a run, in characters. */
const LONGEST = 128;

/** The name of an object, or null. */
const OBJECT: Param<string | null> = {
  usual: null,
  read: (text) => (/^[0-9a-f]{64}$/.test(text) ? text : undefined),
};

export const archiveAddress = address({
  asset: named<string | null>(LONGEST, null),
  /** The last day of the grid. */
  to: DAY,
  provider: oneOf<Provider, null>(PROVIDERS, null, (provider) => PROVIDER_WORDS[provider]),
  family: oneOf<string, null>(
    REPORT_FAMILIES.map(({ name }) => name),
    null,
    familyTitle,
  ),
  outcome: oneOf(ARCHIVE_OUTCOMES, null, outcomeWords),
  category: oneOf<FailureCategory, null>(FAILURE_CATEGORIES, null, (category) => CATEGORY_WORDS[category]),
  /** The date of a report. */
  date: DAY,
  run: named<string | null>(LONGEST, null),
  object: OBJECT,
  before: ROW,
});
export type ArchiveQuery = typeof archiveAddress.usual;

/** What a filter of the attempts is called. */
export const ARCHIVE_FILTERS = {
  asset: "Site",
  provider: "Provider",
  family: "Report",
  outcome: "Outcome",
  category: "Why",
  date: "Date",
  run: "Run",
  object: "Object",
} as const;

export const archiveHref = archiveAddress.at(paths.archive);

/** Where the attempts stand on the page. */
const ATTEMPTS = "#attempts";

/** To the attempts that fit, where they stand on the page. */
export const attemptsHref = (query: Partial<ArchiveQuery>): string => `${archiveHref(query)}${ATTEMPTS}`;

/** Reports by dates: each cell leads to its attempts. It scrolls by itself where it is wider than its page; a phone has its last week. */
export function GridTable({ grid, query }: { grid: Grid; query: ArchiveQuery }) {
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
              <FamilyRow row={row} query={query} />
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
}) {
  const { now } = here();
  const { day, first, firstOfWeek, query } = props;
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

function FamilyRow({ row, query }: { row: GridRow; query: ArchiveQuery }) {
  const { now } = here();
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
            <Unseen>{cellTitle(cell.is)}</Unseen>
          </td>
        ) : (
          <td
            class={isHere ? "here" : cell.isMuch && !isOfOneSite ? "much" : undefined}
            data-state={cell.isMuch ? OUTCOME_LOOKS[cell.is as ArchiveOutcome].tone : undefined}
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

/** A cell's shape and colour; its word stands beside it for who does not see, and in the legend. */
function CellShape({ is }: { is: CellIs }) {
  const none = absent(is);
  if (none !== undefined) return <>{none[1]}</>;
  const { glyph, tone } = OUTCOME_LOOKS[is as ArchiveOutcome];
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
            {absent(is) === undefined ? <Marked>{cellTitle(is)}</Marked> : cellTitle(is)}
          </li>
        ))}
        <li>Nothing drawn: not due yet, or before the first run</li>
      </ul>
    </>
  );
}
