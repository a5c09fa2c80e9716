/** The grid of reports by dates: what each cell says, the table, and the address of the archive that its cells lead to. */

import type { ArchiveTally } from "../../archive/manifest.ts";
import { ARCHIVE_OUTCOMES, type ArchiveOutcome } from "../../archive/manifest_row.ts";
import { dayOfNumber, type UtcDay } from "../../base/time.ts";
import { PROVIDER_NAMES, PROVIDERS, type Provider } from "../../providers/adapter.ts";
import { FAILURE_CATEGORIES, type FailureCategory } from "../../providers/faults.ts";
import { familiesOf, REPORT_FAMILIES, type ReportFamily } from "../../providers/report_families.ts";
import { formatCount, formatDay } from "../format.ts";
import type { Child } from "../jsx/jsx-runtime.ts";
import { address, DAY, named, oneOf, type Param, ROW } from "../kit/address.tsx";
import { Glyph, OUTCOME_LOOKS, outcomeCounted, outcomeWords } from "../kit/glyph.tsx";
import { Unseen } from "../kit/links.tsx";
import { Marked } from "../kit/proof.tsx";
import { CATEGORY_WORDS, categoryInside } from "../kit/words.tsx";
import { paths } from "../paths.ts";
import { familyTitle, figureWords } from "../site/family_words.ts";

// Reports by dates: what each cell says. Pure.

/** Dates of a grid. */
export const GRID_DAYS = 28;

/**
 * What a cell says: what reports came to or, where nothing was tried, why. `skipped`: the property is not set up for it; `quiet`: a
 * weekly report was not due on that day; `later`: it is not due yet; `before`: of no date as early was ever asked; `none`: nothing was
 * asked, and should have been.
 */
type CellIs = ArchiveOutcome | "skipped" | "quiet" | "later" | "before" | "none";

/** Sites whose reports came to one thing. */
interface Share {
  readonly outcome: ArchiveOutcome;
  readonly category: FailureCategory | null;
  readonly sites: number;
}

interface Cell {
  /** Day number. */
  readonly date: number;
  readonly is: CellIs;
  /** Sites of which the cell says so; 0 where nothing was tried. */
  readonly sites: number;
  /** All of them, the worst first. */
  readonly shares: readonly Share[];
  /** It is amiss with a tenth of the sites or more: what a reader has to see first. */
  readonly isMuch: boolean;
}

export type Grid = ReturnType<typeof gridOf>;

/** What a grid is made of. Days are day numbers. */
interface GridFacts {
  readonly to: number;
  readonly providers: readonly Provider[];
  /** Of the dates of the grid and of a week before it, in which a weekly report may have come. */
  readonly tally: readonly ArchiveTally[];
  /** Names of families that are left out by every site that is shown. */
  readonly skipped: ReadonlySet<string>;
  /** The day of the newest run that is over, by the schedule: what it asks for is not due later any more. */
  readonly ranOn: number;
  /** Providers that were asked for dates before those of the tally. */
  readonly long: ReadonlySet<Provider>;
}

/** Days before a grid that its cells look back on. */
export const LOOK_BACK = 7;

/** The reports of each provider by their dates: day numbers, oldest first. */
export function gridOf(facts: GridFacts) {
  const dates = Array.from({ length: GRID_DAYS }, (_, back) => facts.to - GRID_DAYS + 1 + back);
  const told = Map.groupBy(facts.tally, ({ provider, family, date }) => keyOf(provider, family, date));
  const tried = new Set(facts.tally.map(({ provider, date }) => keyOf(provider, "", date)));
  const first = new Map<string, number>();
  for (const { family, date } of facts.tally) first.set(family, Math.min(date, first.get(family) ?? date));
  const groups = facts.providers.map((provider) => ({
    provider,
    rows: familiesOf(provider).map((family) => ({
      family,
      cells: dates.map((date): Cell => {
        const shares = told.get(keyOf(provider, family.name, date));
        return shares === undefined
          ? {
              date,
              is: reasonUntried(facts, { family, date, told, tried, first }),
              sites: 0,
              shares: [],
              isMuch: false,
            }
          : cellOf(date, shares);
      }),
    })),
  }));
  return { dates, groups };
}

const keyOf = (provider: string, family: string, date: number) => `${provider} ${family} ${date}`;

/** Where these are, a reader has to know of them. */
const AMISS: readonly ArchiveOutcome[] = ["failed", "incomplete", "source_lag"];

/** One site of so many is much. */
const MUCH = 10;

/** The worst of a cell; where nothing is amiss, what most of its sites came to. */
function cellOf(date: number, tally: readonly Share[]): Cell {
  const shares = tally
    .map(({ outcome, category, sites }) => ({ outcome, category, sites }))
    .toSorted((one, other) => urgencyOf(one) - urgencyOf(other) || other.sites - one.sites);
  const is = shares[0]?.outcome ?? "none";
  const sites = shares.reduce((sum, share) => sum + (share.outcome === is ? share.sites : 0), 0);
  const all = shares.reduce((sum, share) => sum + share.sites, 0);
  const isMuch = (is === "failed" || is === "incomplete") && sites * MUCH >= all;
  return { date, is, sites, shares, isMuch };
}

function urgencyOf({ outcome }: Share): number {
  const place = AMISS.indexOf(outcome);
  return place < 0 ? AMISS.length : place;
}

/** Why nothing was tried. */
function reasonUntried(
  { ranOn, long, skipped }: GridFacts,
  at: {
    readonly family: ReportFamily;
    readonly date: number;
    readonly told: ReadonlyMap<string, readonly Share[]>;
    readonly tried: ReadonlySet<string>;
    readonly first: ReadonlyMap<string, number>;
  },
): CellIs {
  const { family, date, told, tried, first } = at;
  // A run asks for the days before it, and for what there is on its own.
  if (date > (family.of === "snapshot" ? ranOn : ranOn - 1)) return "later";
  if (skipped.has(family.name) && tried.has(keyOf(family.provider, "", date))) return "skipped";
  const isFirst = date < (first.get(family.name) ?? Number.POSITIVE_INFINITY);
  if (isFirst && !long.has(family.provider)) return "before";
  return isQuiet(family, date, told) ? "quiet" : "none";
}

/** Whether a report that comes up once a week was there within the week before. */
function isQuiet(
  { provider, name, everyDays }: ReportFamily,
  date: number,
  told: ReadonlyMap<string, readonly Share[]>,
): boolean {
  return Array.from({ length: everyDays - 1 }, (_, back) => date - 1 - back).some((earlier) =>
    told
      .get(keyOf(provider, name, earlier))
      ?.some(({ outcome }) => outcome !== "failed" && outcome !== "incomplete"),
  );
}

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
function cellWords({ is, shares }: Cell, isOfOneSite: boolean): string {
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
  provider: oneOf<Provider, null>(PROVIDERS, null, (provider) => PROVIDER_NAMES[provider]),
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
                {PROVIDER_NAMES[provider]}
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
  const { day, first, firstOfWeek, query } = props;
  const words = formatDay(day);
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

function FamilyRow({ row, query }: { row: Grid["groups"][number]["rows"][number]; query: ArchiveQuery }) {
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
        const words = `${formatDay(day)}, ${familyTitle(family.name)}: ${cellWords(cell, isOfOneSite)}`;
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
