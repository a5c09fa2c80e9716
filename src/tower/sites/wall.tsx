/** The Wall's facts: its layout and turns, what each tile says, and the counts and cautions beside the sites. */

import { tallied } from "../../base/statistics.ts";
import { countWords as countOf } from "../../base/text.ts";
import { NOTHING_OPEN } from "../../flags/inbox.ts";
import { NIGHTLY_REPORTS } from "../../health/catalogue.ts";
import { HEALTH_STATES, type HealthState } from "../../health/health.ts";
import type { Coverage, HealthView } from "../../integrations/integrations.ts";
import type { HealthReader } from "../../integrations/reader.ts";
import { type SiteHealth, siteHealth } from "../../integrations/target_state.ts";
import { LONGEST_GROUP, listPortfolio } from "../../sites/sites.ts";
import type { Db } from "../../store/store.ts";
import { formatCount, formatDate, formatSpan } from "../format.ts";
import { type Address, address, named, oneOf, PAGE } from "../kit/address.tsx";
import { categoryInside } from "../kit/category_words.ts";
import { Glyph, STATE_WORDS } from "../kit/glyph.tsx";
import { here } from "../kit/here.ts";
import { type SeverityCounts, Told } from "../kit/links.tsx";
import { Clock } from "../kit/proof.tsx";
import { healthView, siteTallies } from "../kit/route.ts";
import { paths } from "../paths.ts";

/**
 * How many tiles stand on a screen at once, and what is done with more. Pure. The stylesheet lays each fit out in columns and rows, for
 * wide screens and for high ones; a page of a Wall that turns is one row shorter, which is where the skyline stands.
 */

/** How many sites a screen may hold before the Wall turns pages. */
export const DENSITIES = { roomy: 30, normal: 60, dense: 96 } as const;
export type Density = keyof typeof DENSITIES;

/** The sizes of tiles, by how many of them a screen holds; and how many a page holds where there are more. */
export const FITS = [4, 9, 16, 30, 60, 96] as const;
type Fit = (typeof FITS)[number];
const PAGE_OF: Readonly<Record<(typeof DENSITIES)[Density], number>> = { 30: 25, 60: 54, 96: 88 };
/** Of a page that turns, how much may be held by those that stay in place. */
const HELD_SHARE = 5 / 9;

export interface Layout<Item> {
  readonly fit: Fit;
  /** Those that stay in place; all of them where everything fits. */
  readonly held: readonly Item[];
  /** Those that take turns beside them, a page each; none where everything fits. */
  readonly pages: readonly (readonly Item[])[];
  /** How many items a page holds, those that stay in place included. */
  readonly perPage: number;
}

/** Lays out what is in its order, those that need attention first. */
export function layOut<Item>(
  items: readonly Item[],
  density: Density,
  needsAttention: (item: Item) => boolean,
): Layout<Item> {
  const most = DENSITIES[density];
  if (items.length <= most) {
    const fit = FITS.find((one) => one >= items.length) ?? most;
    return { fit, held: items, pages: [], perPage: fit };
  }
  const perPage = PAGE_OF[most];
  const attention = items.filter(needsAttention).length;
  const held = Math.min(attention, Math.floor(perPage * HELD_SHARE));
  const turning = items.slice(held);
  const slots = perPage - held;
  const pages = Array.from({ length: Math.ceil(turning.length / slots) }, (_, page) =>
    turning.slice(page * slots, (page + 1) * slots),
  );
  return { fit: most, held: items.slice(0, held), pages, perPage };
}

/** What an address of the Wall asks for. What it says that is not understood reads as not given. */

export interface WallQuery {
  /** Only the sites of this group; null for all. */
  readonly group: string | null;
  /** The look; null for the one that the browser's operator chose. */
  readonly theme: "light" | "dark" | "system" | null;
  readonly density: Density;
  /** The page to stay on; null turns them. */
  readonly page: number | null;
}

export const wallAddress: Address<WallQuery> = address<WallQuery>({
  group: named(LONGEST_GROUP, null),
  theme: oneOf<"light" | "dark" | "system", null>(["light", "dark", "system"], null),
  density: oneOf(Object.keys(DENSITIES) as Density[], "normal"),
  page: { usual: null, read: PAGE.read },
});

/** What a tile of the Wall says of its site: one state, one line of words, its pennants. Pure. */

/** A site as the Wall knows it. */
export interface WallSite {
  readonly asset: string;
  /** Undefined where nothing that is watched of it could be read. */
  readonly health: SiteHealth | undefined;
  /** When its last nightly report came, where it has been silent for too long since; milliseconds since the epoch. */
  readonly silentSince: number | undefined;
  readonly flags: SeverityCounts;
}

export interface Tile {
  readonly asset: string;
  readonly state: HealthState;
  /** "Failing: access, 2 d". */
  readonly line: string;
  /** How all that is watched of it stands: "4 of 5 working", "2 idle". */
  readonly all: string;
  readonly flags: SeverityCounts;
}

/** Sites in these states are what the Wall is looked at for, the worst first. */
const ATTENTION = ["failing", "unknown", "stale"] as const satisfies readonly HealthState[];

export function needsAttention({ state }: Pick<Tile, "state">): boolean {
  return ATTENTION.some((one) => one === state);
}

const RANK = new Map(HEALTH_STATES.map((state, rank) => [state, rank]));

/**
 * The tiles in their places: the worst state first, then by name. Nothing else moves a tile: not its age, not its flags, and not which
 * part of it is worst.
 */
export function tilesOf(sites: readonly WallSite[], now: number): Tile[] {
  return sites
    .map((site) => tileOf(site, now))
    .sort((a, b) => (RANK.get(a.state) ?? 0) - (RANK.get(b.state) ?? 0) || (a.asset < b.asset ? -1 : 1));
}

function tileOf({ asset, health, silentSince, flags }: WallSite, now: number): Tile {
  // What could not be read is not known, which is never drawn quiet.
  const state = health?.state ?? "unknown";
  const said = health === undefined ? STATE_WORDS.unknown : lineOf(health, now);
  const silent = silentSince === undefined ? undefined : `silent ${ageOf(now - silentSince)}`;
  const isThat = state === "stale" && health?.worst.capability.capability === NIGHTLY_REPORTS;
  const line =
    silent === undefined ? said : isThat ? `${STATE_WORDS.stale}: ${silent}` : `${said}, ${silent}`;
  return { asset, state, line, all: health === undefined ? "" : allOf(health), flags };
}

function lineOf({ state, worst: { capability, target } }: SiteHealth, now: number): string {
  const word = STATE_WORDS[state];
  const aged = target.since === null || target.since > now ? "" : `, ${ageOf(now - target.since)}`;
  if (state === "failing") {
    return `${word}: ${target.category === null ? "no category" : categoryInside(target.category)}${aged}`;
  }
  // What makes it so is what could not be read.
  if (state !== target.state) return word;
  if (state === "unknown" || state === "stale") return `${word}${aged}: ${capability.label}`;
  if (state === "paused" && target.pausedUntil !== null) {
    return `${word} until ${formatDate(target.pausedUntil, now)}`;
  }
  return state === "disconnected" ? `${word}${aged}` : word;
}

const MINUTE_MS = 60_000;

/** "5 min", "2 d"; what has just begun is a minute old. */
function ageOf(ms: number): string {
  return formatSpan(Math.max(ms, MINUTE_MS));
}

function allOf({ counts, working, monitored }: SiteHealth): string {
  if (monitored === 0) return `${formatCount(counts.idle)} idle`;
  return `${formatCount(working)} of ${formatCount(monitored)} working`;
}

/** Open flags of all of them, by severity. */
export function countFlags(sites: readonly Pick<WallSite, "flags">[]): SeverityCounts {
  const all = { error: 0, warn: 0, info: 0 };
  for (const { flags } of sites) {
    all.error += flags.error;
    all.warn += flags.warn;
    all.info += flags.info;
  }
  return all;
}

/** What concerns no site, and so stands on no tile: checks of accounts, and senders. Pure. */

interface Beside {
  /** The worst of it. */
  readonly state: (typeof ATTENTION)[number];
  /** "Accounts and senders: 1 failing, 2 stale". */
  readonly words: string;
}

/** What is wrong there; null where nothing is. A question that fails for a whole account stands on the tiles of its sites. */
export function besideSites({ capabilities }: HealthView): Beside | null {
  const states = capabilities
    .filter(({ kind }) => kind !== "production_read" && kind !== "on_demand")
    .flatMap(({ targets }) => targets.filter(({ asset }) => asset === "").map(({ state }) => state));
  const counts = ATTENTION.map((state) => [state, states.filter((one) => one === state).length] as const);
  const present = counts.filter(([, count]) => count > 0);
  const [worst] = present;
  if (worst === undefined) return null;
  const words = present.map(([state, count]) => `${formatCount(count)} ${STATE_WORDS[state].toLowerCase()}`);
  return { state: worst[0], words: `Accounts and senders: ${words.join(", ")}` };
}

/** What the Wall shows, read in one turn: the one view of health, the open flags, and which sites there are. */

export interface WallReadDeps {
  readonly db: Db;
  readonly health: HealthReader;
  readonly config: { readonly serviceAsset: string };
}

/** What the Wall is made of. */
export interface WallFacts {
  readonly view: HealthView;
  /** The group that is shown; null for all sites. */
  readonly group: string | null;
  readonly sites: readonly WallSite[];
  /** What is wrong with accounts and senders, which no tile could show; null where nothing is, or only a group is shown. */
  readonly beside: Beside | null;
}

/** Reads it. A group that there is not is all sites: a screen on a wall shows more rather than nothing. */
export function readWall(
  { db, health, config }: WallReadDeps,
  request: Request,
  query: WallQuery,
  now: number,
): WallFacts {
  const view = healthView(request, health, now);
  const standing = siteHealth(view);
  const silent = silentSince(view, now);
  const tallies = siteTallies(request, db, now);
  const all = listPortfolio(db).filter(({ id }) => id !== config.serviceAsset);
  const grouped = all.filter(({ group }) => group !== null && group === query.group);
  const sites = (grouped.length === 0 ? all : grouped).map(({ id }) => ({
    asset: id,
    health: standing.get(id),
    silentSince: silent.get(id),
    flags: (tallies.get(id) ?? NOTHING_OPEN).open,
  }));
  const group = grouped.length === 0 ? null : query.group;
  return { view, group, sites, beside: group === null ? besideSites(view) : null };
}

/** When the last nightly report of each site came whose next one is overdue. */
function silentSince({ capabilities }: HealthView, now: number): ReadonlyMap<string, number> {
  const nightly = capabilities.find(({ capability }) => capability === NIGHTLY_REPORTS);
  return new Map(
    (nightly?.targets ?? []).flatMap(({ asset, state, dueAt, lastSuccessStartedAt }) =>
      state !== "paused" && dueAt !== null && dueAt <= now && lastSuccessStartedAt !== null
        ? [[asset, lastSuccessStartedAt] as const]
        : [],
    ),
  );
}

const LARGE: readonly HealthState[] = [...ATTENTION, "working"];

/** The counts of all states in large type, the time, and how old what is shown is. */
export function Counts(props: { readonly tiles: readonly Tile[]; readonly group: string | null }) {
  const { now } = here();
  const { tiles, group } = props;
  const counts = tallied(
    HEALTH_STATES,
    tiles.map(({ state }) => state),
  );
  const present = HEALTH_STATES.filter((state) => counts[state] > 0);
  const list = (states: readonly HealthState[], size: string) => (
    <ul class={size} role="list">
      {states.map((state) => (
        <li class="state" data-state={state}>
          <Glyph name={`s-${state}`} />
          {formatCount(counts[state])} {STATE_WORDS[state]}
        </li>
      ))}
    </ul>
  );
  const others = present.filter((state) => !LARGE.includes(state));
  return (
    <header class="wall-head">
      <h1 class={group === null ? "vh" : undefined}>{group === null ? "Wall" : <Told>{group}</Told>}</h1>
      {list(
        present.filter((state) => LARGE.includes(state)),
        "large",
      )}
      <time class="wall-clock" data-clock hidden />
      {others.length === 0 ? null : list(others, "rest")}
      <p class="age">
        Evidence read <Clock at={now} seconds /> UTC
        <span data-age />
      </p>
    </header>
  );
}

/** What keeps the tiles from being all that there is to know. */
export function Cautions({ facts, isOperator }: { readonly facts: WallFacts; readonly isOperator: boolean }) {
  const { coverage, monitoring } = facts.view;
  const said = facts.sites.length === 0 ? null : coverageWords(coverage);
  const parts = `${countOf(monitoring.length, "part")} of Tower itself cannot be watched`;
  if (said === null && facts.beside === null && monitoring.length === 0) return null;
  const leading = (words: string, to: string) =>
    isOperator ? <a href={to}>{words}</a> : <span>{words}</span>;
  return (
    <div class="cautions">
      {said === null ? null : (
        <p class="caution" data-state="unknown">
          <Glyph name="s-unknown" />
          <span>{said} This is not an all-clear.</span>
        </p>
      )}
      {facts.beside === null ? null : (
        <p class="caution" data-state={facts.beside.state}>
          <Glyph name={`s-${facts.beside.state}`} />
          {leading(facts.beside.words, paths.integrations)}
        </p>
      )}
      {monitoring.length === 0 ? null : (
        <p class="caution" data-state="stale">
          <Glyph name="s-unmonitored" />
          {leading(parts, paths.health)}
        </p>
      )}
    </div>
  );
}

const COVERAGE_WORDS: Readonly<Record<Coverage["state"], string | null>> = {
  complete: null,
  partial: "Not everything is watched.",
  empty: "Nothing is set up to be watched.",
  unknown: "What is watched could not be read.",
};

/** Null while everything that is set up is watched. */
function coverageWords({ state, reason }: Coverage): string | null {
  const words = COVERAGE_WORDS[state];
  return words === null || reason === null || reason === words ? words : `${words} ${reason}`;
}
