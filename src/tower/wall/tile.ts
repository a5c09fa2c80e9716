/** What a tile of the Wall says of its site: one state, one line of words, its pennants. Pure. */
import { HEALTH_STATES, type HealthState } from "../../health/contract.ts";
import { NIGHTLY_REPORTS } from "../../health/mod.ts";
import type { SiteHealth } from "../../integrations/mod.ts";
import { categoryInside } from "../component/category_words.ts";
import type { SeverityCounts } from "../component/severity.tsx";
import { STATE_WORDS } from "../component/state.tsx";
import { formatCount, formatDate, formatSpan } from "../format.ts";

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
export const ATTENTION = ["failing", "unknown", "stale"] as const satisfies readonly HealthState[];

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
