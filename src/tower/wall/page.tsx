import { Glyph, Sprite } from "../component/glyph.tsx";
import { Clock } from "../component/time.tsx";
import { countOf, formatCount, nounFor } from "../format.ts";
import type { Child } from "../jsx/jsx-runtime.ts";
import { SampleBand, themeAttribute } from "../layout.tsx";
import type { Shell } from "../shell.ts";
import type { WallQuery } from "./address.ts";
import { type Layout, layOut } from "./fit.ts";
import { Foot } from "./foot.tsx";
import { Cautions, Counts } from "./head.tsx";
import type { WallFacts } from "./read.ts";
import { SKY, skylineOf } from "./skyline.ts";
import { needsAttention, type Tile, tilesOf } from "./tile.ts";
import { NoSites, Tiles } from "./tiles.tsx";

/** How often the Wall asks for itself, in seconds. Without an answer for three times as long it greys by itself (`tower.css`). */
const WALL_PERIOD = 30;
/** How long a page of it stays, in seconds, where pages turn. */
const TURN_PERIOD = 12;

export interface WallProps {
  readonly shell: Shell;
  readonly facts: WallFacts;
  readonly query: WallQuery;
  /** Who looks: an operator gets ways on, a screen with a link gets none. */
  readonly isOperator: boolean;
}

/** The Wall: every site at once, on a screen that nobody touches. It says how old it is, and says so when it cannot be renewed. */
export function WallPage(props: WallProps) {
  const { shell, facts, query, isOperator } = props;
  const tiles = tilesOf(facts.sites, shell.now);
  const layout = layOut(tiles, query.density, needsAttention);
  const shown = Math.min(query.page ?? 1, Math.max(layout.pages.length, 1));
  const attention = tiles.filter(needsAttention).length;
  const isUnknown = facts.view.coverage.state === "unknown";
  return (
    <WallDocument
      shell={shell}
      theme={query.theme}
      title={
        tiles.length === 0 ? "Wall" : `Wall, ${isUnknown ? "unknown, " : ""}${attentionWords(attention)}`
      }
      turns={layout.pages.length > 1 && query.page === null}
    >
      <Lost now={shell.now} />
      <Counts tiles={tiles} group={facts.group} now={shell.now} />
      <Cautions facts={facts} isOperator={isOperator} />
      {layout.pages.length === 0 ? null : <Turns attention={attention} layout={layout} />}
      {tiles.length === 0 ? (
        <NoSites isOperator={isOperator} />
      ) : (
        <Tiles layout={layout} shown={shown} isOperator={isOperator} />
      )}
      {layout.pages.length === 0 ? null : <SkylineOf tiles={tiles} />}
      <Foot {...props} now={shell.now} layout={layout} shown={shown} />
    </WallDocument>
  );
}

/** The page around what is shown: no navigation, nothing that is asked of anybody. */
export function WallDocument(props: {
  readonly shell: Shell;
  readonly theme: WallQuery["theme"];
  readonly title: string;
  readonly turns: boolean;
  readonly children: Child;
}) {
  const { shell, turns } = props;
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
        <SampleBand shell={shell} />
        {props.children}
      </body>
    </html>
  );
}

/**
 * What the screen says of itself when it is no longer renewed. The stylesheet alone shows it once the page is three periods old, whatever
 * became of the script; the script shows it at once when an answer fails, and says why.
 */
function Lost({ now }: { readonly now: number }) {
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
