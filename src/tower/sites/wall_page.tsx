/** What of the Wall is shown, and to whom. */

import { countWords as countOf, nounFor } from "../../base/text.ts";
import { HEALTH_STATES, type HealthState } from "../../health/health.ts";
import { formatCount, formatMoment } from "../format.ts";
import type { Child } from "../jsx/child.ts";
import { Glyph, Sprite } from "../kit/glyph.tsx";
import { here } from "../kit/here.ts";
import { SeverityTally } from "../kit/links.tsx";
import { Clock } from "../kit/proof.tsx";
import { SampleBand, themeAttribute } from "../layout.tsx";
import { paths } from "../paths.ts";
import {
  Cautions,
  Counts,
  countFlags,
  type Layout,
  layOut,
  needsAttention,
  type Tile,
  tilesOf,
  type WallFacts,
  type WallQuery,
  wallAddress,
} from "./wall.tsx";
import { NoSites, Tiles } from "./wall_tiles.tsx";

interface FootProps {
  readonly facts: WallFacts;
  readonly query: WallQuery;
  readonly isOperator: boolean;
  readonly layout: Layout<Tile>;
  /** The page that is shown. */
  readonly shown: number;
}

/** How much is watched, which page is shown, and the ways on. */
function Foot(props: FootProps) {
  const { now } = here();
  const { facts, isOperator, layout } = props;
  const { coverage, observedAt } = facts.view;
  const flags = countFlags(facts.sites);
  return (
    <footer class="wall-foot">
      <span>{countOf(facts.sites.length, "site")}</span>
      {flags.error + flags.warn + flags.info === 0 ? null : (
        <span>
          open flags <SeverityTally counts={flags} />
        </span>
      )}
      {coverage.state === "unknown" ? null : (
        <span>
          {formatCount(coverage.monitored)} of {countOf(coverage.configured, "part")} watched
        </span>
      )}
      {observedAt === null ? null : <span>newest evidence {formatMoment(observedAt, now)} UTC</span>}
      {layout.pages.length === 0 ? null : <PageOf {...props} />}
      {isOperator ? (
        <span class="wall-ways">
          <a href={paths.portfolio}>Sites</a>
          <a href={paths.kioskTokens}>Links</a>
          <button type="button" data-full hidden>
            Full screen
          </button>
        </span>
      ) : null}
    </footer>
  );
}

/** Which page is shown, and whether it stays. */
function PageOf(props: Pick<FootProps, "query" | "layout" | "shown">) {
  const { query, layout, shown } = props;
  const last = layout.pages.length;
  const to = (page: number | null) => `${paths.wall}${wallAddress.search({ ...query, page })}`;
  return (
    <>
      <span>
        Page <span data-page>{formatCount(shown)}</span> of {formatCount(last)}, {layout.perPage} sites each
      </span>
      <span class="wall-ways">
        <a href={to(shown === 1 ? last : shown - 1)}>Back</a>
        <a href={to(shown === last ? 1 : shown + 1)}>Next</a>
        {query.page === null ? null : <a href={to(null)}>Turn pages</a>}
      </span>
    </>
  );
}

/**
 * Every site as a line, by name: the higher, the more urgent. Pure. Neighbours in one state are one rectangle, so that a thousand sites
 * that work are a few bytes.
 */

/** Its height, in the units of its drawing; a site is one unit wide. */
const SKY = 70;

const HEIGHTS: Readonly<Record<HealthState, number>> = {
  failing: 68,
  unknown: 68,
  stale: 46,
  disconnected: 32,
  never_run: 26,
  unmonitored: 26,
  paused: 26,
  idle: 20,
  working: 14,
};
/** From so many sites on, what needs attention is drawn wider than its place, so that it is seen from afar. */
const CROWD = 300;

interface Skyline {
  readonly width: number;
  /** The outline of each state that any site is in, to be drawn in this order. */
  readonly paths: readonly { readonly state: HealthState; readonly d: string }[];
}

/** The skyline of sites in the order of their names. */
export function skylineOf(states: readonly HealthState[]): Skyline {
  const margin = states.length > CROWD ? 0.4 : 0;
  const runs = new Map<HealthState, string>();
  for (let from = 0; from < states.length; ) {
    const state = states[from] ?? "unknown";
    let to = from + 1;
    while (states[to] === state) to++;
    const wider = needsAttention({ state }) ? margin : 0;
    const height = HEIGHTS[state];
    const run = `M${from - wider} ${SKY}v-${height}h${to - from + 2 * wider}v${height}`;
    runs.set(state, (runs.get(state) ?? "") + run);
    from = to;
  }
  // The most urgent last: it is drawn over its neighbours.
  const paths = HEALTH_STATES.toReversed().flatMap((state) => {
    const d = runs.get(state);
    return d === undefined ? [] : [{ state, d }];
  });
  return { width: states.length, paths };
}

/** How often the Wall asks for itself, in seconds. Without an answer for three times as long it greys by itself (`tower.css`). */

const WALL_PERIOD = 30;
/** How long a page of it stays, in seconds, where pages turn. */
const TURN_PERIOD = 12;

interface WallProps {
  readonly facts: WallFacts;
  readonly query: WallQuery;
  /** Who looks: an operator gets ways on, a screen with a link gets none. */
  readonly isOperator: boolean;
}

/** The Wall: every site at once, on a screen that nobody touches. It says how old it is, and says so when it cannot be renewed. */
export function WallPage(props: WallProps) {
  const { now } = here();
  const { facts, query, isOperator } = props;
  const tiles = tilesOf(facts.sites, now);
  const layout = layOut(tiles, query.density, needsAttention);
  const shown = Math.min(query.page ?? 1, Math.max(layout.pages.length, 1));
  const attention = tiles.filter(needsAttention).length;
  const isUnknown = facts.view.coverage.state === "unknown";
  return (
    <WallDocument
      theme={query.theme}
      title={
        tiles.length === 0 ? "Wall" : `Wall, ${isUnknown ? "unknown, " : ""}${attentionWords(attention)}`
      }
      turns={layout.pages.length > 1 && query.page === null}
    >
      <Lost />
      <Counts tiles={tiles} group={facts.group} />
      <Cautions facts={facts} isOperator={isOperator} />
      {layout.pages.length === 0 ? null : <Turns attention={attention} layout={layout} />}
      {tiles.length === 0 ? (
        <NoSites isOperator={isOperator} />
      ) : (
        <Tiles layout={layout} shown={shown} isOperator={isOperator} />
      )}
      {layout.pages.length === 0 ? null : <SkylineOf tiles={tiles} />}
      <Foot {...props} layout={layout} shown={shown} />
    </WallDocument>
  );
}

/** The page around what is shown: no navigation, nothing that is asked of anybody. */
export function WallDocument(props: {
  readonly theme: WallQuery["theme"];
  readonly title: string;
  readonly turns: boolean;
  readonly children: Child;
}) {
  const { shell } = here();
  const { turns } = props;
  return (
    <html lang="en" data-theme={themeAttribute(props.theme ?? shell.theme)}>
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="referrer" content="same-origin" />
        <noscript>
          <meta http-equiv="refresh" content={String(WALL_PERIOD)} />
        </noscript>
        <title>{`${props.title} – Tower${shell.isSample === true ? " (sample data)" : ""}`}</title>
        <link rel="icon" href={shell.assets.icon} type="image/svg+xml" />
        <link rel="stylesheet" href={shell.assets.css} />
        <script src={shell.assets.wall} defer />
      </head>
      <body class="wall" data-every={WALL_PERIOD} data-turn={turns ? TURN_PERIOD : undefined}>
        <Sprite />
        <SampleBand />
        {props.children}
      </body>
    </html>
  );
}

/**
 * What the screen says of itself when it is no longer renewed. The stylesheet alone shows it once the page is three periods old, whatever
 * became of the script; the script shows it at once when an answer fails, and says why.
 */
function Lost() {
  const { now } = here();
  return (
    <div class="lost" id="lost">
      <Glyph name="s-unknown" />
      <p>
        <b>
          This screen is stale. It has had no update since <Clock at={now} seconds /> UTC.
        </b>{" "}
        <span data-why /> The states shown are not current.
      </p>
    </div>
  );
}

/** "1 needs attention", "42 need attention". */
function attentionWords(count: number): string {
  return `${formatCount(count)} ${nounFor(count, "needs", "need")} attention`;
}

function Turns({ attention, layout }: { readonly attention: number; readonly layout: Layout<Tile> }) {
  const beside = attention - layout.held.length;
  const held = countOf(layout.held.length, "site");
  return (
    <h2>
      {attention === 0 ? "No site is failing, unknown or stale" : attentionWords(attention)}
      {attention === 0 ? null : (
        <span class="dim">
          {beside === 0
            ? `, ${nounFor(attention, "it stays", "they stay")} in place while the others take turns`
            : `, the first ${held} stay in place, the other ${formatCount(beside)} take turns with the rest`}
        </span>
      )}
    </h2>
  );
}

function SkylineOf({ tiles }: { readonly tiles: readonly Tile[] }) {
  const byName = tiles.toSorted((a, b) => (a.asset < b.asset ? -1 : 1));
  const { width, paths: outlines } = skylineOf(byName.map(({ state }) => state));
  return (
    <svg
      class="skyline"
      viewBox={`0 0 ${width} ${SKY}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={`All ${countOf(tiles.length, "site")} by name, the more urgent the higher`}
    >
      {outlines.map(({ state, d }) => (
        <path data-state={state} d={d} />
      ))}
    </svg>
  );
}
