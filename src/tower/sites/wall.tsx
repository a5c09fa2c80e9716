/**
 * The Wall: every site at once, on a screen that nobody touches. What is read (`readWall`), how a tile is decided (`tilesOf`, pure), and
 * the page. It says how old it is, and says so when it cannot be renewed (`public/wall.js`, and the stylesheet where no script runs).
 */

import { countWords as countOf, nounFor } from "../../base/text.ts";
import { inboxTally, NOTHING_OPEN, type OpenTally, openIn } from "../../flags/inbox.ts";
import { HEALTH_STATES, type HealthState } from "../../health/health.ts";
import type { Entry } from "../../integrations/attention.ts";
import type { Coverage, HealthView, SiteHealth } from "../../integrations/integrations.ts";
import { LONGEST_GROUP, listSites } from "../../sites/sites.ts";
import { formatClock, formatCount, formatDate, formatSpan } from "../format.ts";
import type { PageGround } from "../ground.ts";
import type { Child } from "../jsx/jsx-runtime.ts";
import { address, named, oneOf } from "../kit/address.tsx";
import { Glyph, Sprite, STATE_WORDS } from "../kit/glyph.tsx";
import { here } from "../kit/here.ts";
import { SEVERITIES, type SeverityCounts, SeverityTally, Told } from "../kit/links.tsx";
import { Clock } from "../kit/proof.tsx";
import { flagTally, healthView, siteTallies } from "../kit/route.ts";
import { Head, SampleBand } from "../layout.tsx";
import { paths } from "../paths.ts";
import { entriesShown } from "../site_head.ts";
import { placesOf } from "./portfolio.ts";

/** Only the sites of a group, and the look; null for all, and for the one that the browser's operator chose. */
export const wallAddress = address({
  group: named(LONGEST_GROUP, null),
  theme: oneOf<"light" | "dark" | "system", null>(["light", "dark", "system"], null),
});

type WallQuery = typeof wallAddress.usual;

/** A site as the Wall knows it. */
export interface WallSite {
  readonly asset: string;
  /** Undefined where nothing that is watched of it could be read. */
  readonly health: SiteHealth | undefined;
  readonly flags: SeverityCounts;
  /** The first entry of the ranking that somebody must act on. */
  readonly entry: Entry | undefined;
  /** Whether a report of it was refused, of which nobody is told within its first hour: Tower does not retry that. */
  readonly isRefused: boolean;
  /** Its place in the ranking. */
  readonly place: number | undefined;
}

/** What the Wall is made of. */
export interface WallFacts {
  readonly view: HealthView;
  /** The group that is shown; null for all sites. */
  readonly group: string | null;
  readonly sites: readonly WallSite[];
  /** What is open on all of them, as Flags counts it. */
  readonly open: Pick<OpenTally, "open">;
  /** Problems of accounts and senders, which no tile shows. */
  readonly besides: number;
}

/** Reads it. A group that there is not is all sites: a screen on a wall shows more rather than nothing. */
export function readWall(deps: PageGround, request: Request, query: WallQuery, now: number): WallFacts {
  const { db, health, config } = deps;
  const view = healthView(request, health, now);
  const entries = entriesShown(db, deps.attention.read(now, view), now);
  const pressing = entries.filter(({ isPressing }) => isPressing);
  const places = placesOf(entries);
  const tallies = siteTallies(request, db, now);
  const all = (view.portfolio ?? listSites(db)).filter(
    ({ id, lifecycle }) => lifecycle !== "retired" && id !== config.serviceAsset,
  );
  const grouped = all.filter(({ group }) => group !== null && group === query.group);
  const shown = grouped.length === 0 ? all : grouped;
  const first = new Map<string, Entry>();
  for (const entry of pressing) {
    for (const asset of entry.assets) if (!first.has(asset)) first.set(asset, entry);
  }
  const refused = new Set(
    entries
      .filter(({ acts, isPressing, trouble }) => acts === "person" && !isPressing && trouble === "connection")
      .flatMap(({ assets }) => assets),
  );
  return {
    view,
    group: grouped.length === 0 ? null : query.group,
    sites: shown.map(({ id }) => ({
      asset: id,
      health: view.sites.get(id),
      flags: (tallies.get(id) ?? NOTHING_OPEN).open,
      entry: first.get(id),
      isRefused: refused.has(id),
      place: places.get(id),
    })),
    open:
      grouped.length === 0
        ? flagTally(request, db, now)
        : inboxTally(shown.map(({ id }) => tallies.get(id) ?? NOTHING_OPEN)),
    besides: grouped.length === 0 ? pressing.filter(({ assets }) => assets.length === 0).length : 0,
  };
}

/** How a tile looks: a state of health, or one of three that only the Wall has. */
type Tone = HealthState | "flagged" | "retrying" | "refused";

export interface Tile {
  readonly site: WallSite;
  readonly tone: Tone;
}

/** The tones in which somebody is needed, or nothing is known. */
const LOUD: readonly Tone[] = ["failing", "unknown", "stale"];
const TONES: readonly Tone[] = [
  ...LOUD,
  "refused",
  "retrying",
  "flagged",
  ...HEALTH_STATES.filter((state) => !LOUD.includes(state)),
];

/** The tiles in their places: by the ranking, then what is not known, then by state; those alike in the order of the sites. */
export function tilesOf(sites: readonly WallSite[]): Tile[] {
  const tiles = Map.groupBy(
    sites.map((site) => ({ site, tone: toneOf(site) })),
    ({ tone }) => tone,
  );
  const byTone = TONES.flatMap((tone) => tiles.get(tone) ?? []);
  const needing = byTone.filter(({ site }) => site.entry !== undefined);
  needing.sort((a, b) => placeIn(a.site) - placeIn(b.site));
  return [...needing, ...byTone.filter(({ site }) => site.entry === undefined)];
}

const placeIn = ({ place = Number.MAX_SAFE_INTEGER }: WallSite): number => place;

/**
 * The colour of a tile is the worst of its integrations and its open flags. Red is what needs a person: an error, or a connection that is
 * broken. Green is Working alone, without an open warning or error. What Tower retries by itself is quiet.
 */
function toneOf({ health, entry, flags, isRefused }: WallSite): Tone {
  if (entry?.trouble === "unknown") return "unknown";
  if (entry !== undefined)
    return entry.severity === "error" || entry.trouble === "connection" ? "failing" : "stale";
  // What could not be read is not known, which is never drawn quiet.
  if (health === undefined) return "unknown";
  if (health.state === "failing") return isRefused ? "refused" : "retrying";
  if (health.state === "working" && flags.error + flags.warn > 0) return "flagged";
  return health.state;
}

const MINUTE_MS = 60_000;

/** The news of a site, else its state. */
export function lineOf({ site: { entry, health }, tone }: Tile, now: number): string {
  if (entry !== undefined) return entry.title;
  const target = health?.worst;
  if (tone === "flagged") return "Flags acknowledged or likely chance";
  if (tone === "refused") return "Last report refused";
  if (tone === "retrying") {
    const next = target?.nextRetryAt ?? null;
    return next === null ? "Retrying" : `Retrying, next ${formatClock(next)}`;
  }
  if (tone === "paused" && target !== undefined && target.pausedUntil !== null)
    return `Paused until ${formatDate(target.pausedUntil, now)}`;
  const since = target === undefined || target.state !== tone ? null : target.since;
  const isAged = since !== null && since <= now && (LOUD.includes(tone) || tone === "disconnected");
  return isAged ? `${STATE_WORDS[tone]}, ${formatSpan(Math.max(now - since, MINUTE_MS))}` : STATE_WORDS[tone];
}

/** The sizes of tiles, by how many a screen holds. */
export const FITS = [4, 9, 16, 30, 60] as const;
const MOST = 60;
/** Of more sites only those that need somebody have tiles, so few that their words can be read from afar. */
const MOST_ROOMY = 30;

/** The tiles that are shown, those that are folded into the last one, and how many a screen holds. */
export function layOut(tiles: readonly Tile[]) {
  const loud = tiles.filter(({ tone }) => LOUD.includes(tone)).length;
  const count = tiles.length <= MOST ? tiles.length : Math.min(loud, MOST_ROOMY - 1);
  const folded = tiles.slice(count);
  const needed = count + Math.min(folded.length, 1);
  return { shown: tiles.slice(0, count), folded, fit: FITS.find((one) => one >= needed) ?? MOST };
}

/** A page of the Wall asks for itself so often, in seconds; unanswered for three times as long it greys (`tower.css`). */
const WALL_PERIOD = 30;

/** The page. An operator gets ways on, a screen with a link gets none. */
export function WallPage(props: {
  readonly facts: WallFacts;
  readonly query: WallQuery;
  readonly isOperator: boolean;
}) {
  const { facts, query, isOperator } = props;
  const tiles = tilesOf(facts.sites);
  const sentence = sentenceOf(tiles, facts.view.coverage);
  return (
    <WallDocument theme={query.theme} title={tiles.length === 0 ? "Wall" : `${sentence} – Wall`}>
      <Lost />
      <header class="wall-head">
        <h1>
          {facts.group === null ? null : (
            <>
              <Told>{facts.group}</Told>:{" "}
            </>
          )}
          {tiles.length === 0 ? "Wall" : sentence}
        </h1>
        <time class="wall-clock" data-clock hidden />
      </header>
      <Cautions facts={facts} isOperator={isOperator} />
      {tiles.length === 0 ? (
        <NoSites isOperator={isOperator} />
      ) : (
        <Tiles tiles={tiles} isOperator={isOperator} />
      )}
      <Foot {...props} tiles={tiles} />
    </WallDocument>
  );
}

const isNeeding = ({ tone }: Tile): boolean => tone === "failing" || tone === "stale";

/** "6 of 13 sites need attention"; an all-clear only where everything is known. */
function sentenceOf(tiles: readonly Tile[], coverage: Coverage): string {
  const need = tiles.filter(isNeeding).length;
  const unknown = tiles.filter(({ tone }) => tone === "unknown").length;
  const sites = countOf(tiles.length, "site");
  const parts = [
    ...(need === 0 ? [] : [`${formatCount(need)} of ${sites} ${nounFor(need, "needs", "need")} attention`]),
    ...(unknown === 0 ? [] : [`${need === 0 ? countOf(unknown, "site") : formatCount(unknown)} unknown`]),
  ];
  if (parts.length > 0) return parts.join(", ");
  return coverage.state === "complete" ? "No site needs attention" : "No known problem";
}

/** The page around what is shown: no navigation, nothing that is asked of anybody. */
export function WallDocument(props: {
  readonly theme: WallQuery["theme"];
  readonly title: string;
  readonly children: Child;
}) {
  return (
    <html lang="en" data-theme={props.theme === "system" ? undefined : props.theme}>
      <Head title={props.title} scripts={["wall.js"]}>
        <noscript>
          <meta http-equiv="refresh" content={String(WALL_PERIOD)} />
        </noscript>
      </Head>
      <body class="wall" data-every={WALL_PERIOD}>
        <Sprite />
        <SampleBand />
        {props.children}
      </body>
    </html>
  );
}

/** What the screen says of itself when it is no longer renewed: shown by the stylesheet alone, or by the script, which says why. */
function Lost() {
  const { now } = here();
  return (
    <aside class="lost" id="lost" aria-label="Age of this screen">
      <Glyph name="s-unknown" />
      <p>
        <b>
          This screen is stale. It has had no update since <Clock at={now} seconds /> UTC.
        </b>{" "}
        <span data-why /> The states shown are not current.
      </p>
    </aside>
  );
}

const COVERAGE_WORDS: Readonly<Record<Coverage["state"], string | null>> = {
  complete: null,
  partial: "Not everything is watched.",
  empty: "Nothing is set up to be watched.",
  unknown: "What is watched could not be read.",
};

/** What keeps the tiles from being all that there is to know. */
function Cautions({ facts, isOperator }: { readonly facts: WallFacts; readonly isOperator: boolean }) {
  const { monitoring } = facts.view;
  const { coverage } = facts.view;
  const { state, reason } = coverage;
  const said = facts.sites.length === 0 ? null : COVERAGE_WORDS[state];
  const leading = (words: string, to: string) =>
    isOperator ? <a href={to}>{words}</a> : <span>{words}</span>;
  if (said === null && facts.besides === 0 && monitoring.length === 0) return null;
  return (
    <section class="cautions" aria-label="Cautions">
      {said === null ? null : (
        <p class="caution" data-state="unknown">
          <Glyph name="s-unknown" />
          <span>
            {said} {reason === said ? "" : reason} This is not an all-clear.
          </span>
        </p>
      )}
      {facts.besides === 0 ? null : (
        <p class="caution" data-state="failing">
          <Glyph name="s-failing" />
          {leading(`${countOf(facts.besides, "problem")} of accounts or channels`, paths.integrations)}
        </p>
      )}
      {monitoring.length === 0 ? null : (
        <p class="caution" data-state="stale">
          <Glyph name="s-unmonitored" />
          {leading(`${countOf(monitoring.length, "part")} of Tower itself cannot be watched`, paths.health)}
        </p>
      )}
    </section>
  );
}

const GLYPHS: Readonly<Partial<Record<Tone, string>>> = {
  flagged: "f-warn",
  retrying: "s-idle",
  refused: "s-idle",
};

function Tiles({ tiles, isOperator }: { readonly tiles: readonly Tile[]; readonly isOperator: boolean }) {
  const { shown, folded, fit } = layOut(tiles);
  return (
    <main class="tiles" id="tiles" data-fit={String(fit)}>
      <ul role="list">
        {shown.map((tile) => (
          <li data-state={tile.tone}>
            <TileOf tile={tile} isRoomy={fit <= 30} isOperator={isOperator} />
          </li>
        ))}
        {folded.length === 0 ? null : (
          <li data-state={foldedTone(folded)}>
            <Folded tiles={folded} isAlone={shown.length === 0} isOperator={isOperator} />
          </li>
        )}
      </ul>
    </main>
  );
}

function TileOf(props: { readonly tile: Tile; readonly isRoomy: boolean; readonly isOperator: boolean }) {
  const { site, tone } = props.tile;
  const { asset, flags } = site;
  const line = lineOf(props.tile, here().now);
  const content = (
    <>
      <Glyph name={GLYPHS[tone] ?? `s-${tone}`} />
      <b title={asset}>
        <Told>{asset}</Told>
      </b>
      <span class="sub" title={line}>
        <Told>{line}</Told>
      </span>
      {openIn({ open: flags }) === 0 ? null : (
        <SeverityTally counts={worstOf(flags, props.isRoomy ? 2 : 1)} />
      )}
    </>
  );
  return props.isOperator ? (
    <a class="tile" href={paths.site(asset)}>
      {content}
    </a>
  ) : (
    <div class="tile">{content}</div>
  );
}

/** The worst of them where somebody is needed. */
const foldedTone = (tiles: readonly Tile[]): Tone =>
  LOUD.find((loud) => tiles.some(({ tone }) => tone === loud)) ??
  (tiles.every(({ tone }) => tone === "working") ? "working" : "idle");

/** The sites that have no tile of their own: how many need somebody, and the others by state. */
function Folded(props: {
  readonly tiles: readonly Tile[];
  readonly isAlone: boolean;
  readonly isOperator: boolean;
}) {
  const { tiles, isAlone, isOperator } = props;
  const tone = foldedTone(tiles);
  const need = tiles.filter(isNeeding).length;
  const states = TONES.flatMap((state) => {
    const count = tiles.filter((tile) => tile.tone === state && !isNeeding(tile)).length;
    return count === 0
      ? []
      : [`${formatCount(count)} ${TONE_WORDS[state] ?? STATE_WORDS[state as HealthState]}`];
  });
  const words = need === 0 ? states : [countOf(need, "needs attention", "need attention"), ...states];
  const content = (
    <>
      <Glyph name={`s-${tone}`} />
      <b>
        {formatCount(tiles.length)} {tone === "working" ? "fine" : isAlone ? "sites" : "more"}
      </b>
      <span class="sub">{words.join(", ")}</span>
    </>
  );
  return isOperator ? (
    <a class="tile" href={paths.portfolio}>
      {content}
    </a>
  ) : (
    <div class="tile">{content}</div>
  );
}

const TONE_WORDS: Readonly<Partial<Record<Tone, string>>> = {
  flagged: "with flags",
  retrying: "Retrying",
  refused: "Refused",
};

/** Flags of the worst severities: a tile has no room for more beside its words. */
function worstOf(flags: SeverityCounts, most: number): SeverityCounts {
  const worst = SEVERITIES.filter((severity) => flags[severity] > 0).slice(0, most);
  return { error: 0, warn: 0, info: 0, ...Object.fromEntries(worst.map((one) => [one, flags[one]])) };
}

/** In the place of tiles. */
function NoSites({ isOperator }: { readonly isOperator: boolean }) {
  return (
    <main class="tiles none" id="tiles">
      <p>No site to show. Nothing is watched yet, which is not an all-clear.</p>
      {isOperator ? (
        <p>
          <a class="btn primary" href={paths.newSite}>
            Add a site
          </a>
        </p>
      ) : null}
    </main>
  );
}

/** What is open, how old the page is, and the ways on. */
function Foot(props: {
  readonly facts: WallFacts;
  readonly tiles: readonly Tile[];
  readonly isOperator: boolean;
}) {
  const { now } = here();
  const { facts, tiles, isOperator } = props;
  const retrying = tiles.filter(({ tone }) => tone === "retrying").length;
  return (
    <footer class="wall-foot">
      <span>{countOf(tiles.length, "site")}</span>
      {openIn(facts.open) === 0 ? (
        <span>no open flags</span>
      ) : (
        <span>
          {countOf(openIn(facts.open), "open flag")} <SeverityTally counts={facts.open.open} />
        </span>
      )}
      {retrying === 0 ? null : <span>{formatCount(retrying)} retrying automatically</span>}
      <span class="age">
        Updated <Clock at={now} seconds /> UTC
        <span data-age />
      </span>
      {isOperator ? (
        <span class="wall-ways">
          <a href={paths.portfolio}>Sites</a>
          <a href={paths.kioskTokens}>Show it on a screen</a>
          <button type="button" data-full hidden>
            Full screen
          </button>
        </span>
      ) : null}
    </footer>
  );
}
