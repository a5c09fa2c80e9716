/** Reports by dates: what each cell says. Pure. */

import type { ArchiveTally } from "../../archive/manifest.ts";
import type { ArchiveOutcome } from "../../archive/manifest_row.ts";
import type { Provider } from "../../providers/adapter.ts";
import type { FailureCategory } from "../../providers/faults.ts";
import { familiesOf, type ReportFamily } from "../../providers/report_families.ts";

/** Dates of a grid. */
export const GRID_DAYS = 28;

/**
 * What a cell says: what reports came to or, where nothing was tried, why. `skipped`: the property is not set up for it; `quiet`: a
 * weekly report was not due on that day; `later`: it is not due yet; `before`: of no date as early was ever asked; `none`: nothing was
 * asked, and should have been.
 */
export type CellIs = ArchiveOutcome | "skipped" | "quiet" | "later" | "before" | "none";

/** Sites whose reports came to one thing. */
export interface Share {
  readonly outcome: ArchiveOutcome;
  readonly category: FailureCategory | null;
  readonly sites: number;
}

export interface Cell {
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

export interface GridRow {
  readonly family: ReportFamily;
  readonly cells: readonly Cell[];
}

/** The reports of a provider. */
export interface GridGroup {
  readonly provider: Provider;
  readonly rows: readonly GridRow[];
}

export interface Grid {
  /** Day numbers, oldest first. */
  readonly dates: readonly number[];
  readonly groups: readonly GridGroup[];
}

/** What a grid is made of. Days are day numbers. */
export interface GridFacts {
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

export function gridOf(facts: GridFacts): Grid {
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
              is: absent(facts, { family, date, told, tried, first }),
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
function absent(
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
