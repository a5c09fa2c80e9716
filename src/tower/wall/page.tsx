import { HEALTH_STATES, type HealthState } from "../../health/contract.ts";
import type { Coverage } from "../../integrations/mod.ts";
import { Glyph, Sprite } from "../component/glyph.tsx";
import { SEVERITIES, type SeverityCounts, SeverityTally } from "../component/severity.tsx";
import { STATE_WORDS } from "../component/state.tsx";
import { Told } from "../component/text.tsx";
import { Clock } from "../component/time.tsx";
import { countOf, formatCount, formatMoment, nounFor } from "../format.ts";
import type { Child } from "../jsx/jsx-runtime.ts";
import { SampleBand, themeAttribute } from "../layout.tsx";
import { paths } from "../paths.ts";
import type { Shell } from "../shell.ts";
import { type WallQuery, wallAddress } from "./address.ts";
import { type Layout, layOut } from "./fit.ts";
import type { WallFacts } from "./read.ts";
import { SiteName } from "./site_name.tsx";
import { SKY, skylineOf } from "./skyline.ts";
import { countFlags, countStates, needsAttention, type Tile, tilesOf } from "./tile.ts";

/** How often the Wall asks for itself, in seconds. Without an answer for three times as long it greys by itself (`tower.css`). */
export const WALL_PERIOD = 30;
/** How long a page of it stays, in seconds, where pages turn. */
export const TURN_PERIOD = 12;
/** Up to this fit a tile has room for how all of its site stands. */
const ROOMY_FIT = 30;

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
  return (
    <WallDocument
      shell={shell}
      theme={query.theme}
      title={tiles.length === 0 ? "Wall" : `Wall, ${attentionWords(attention)}`}
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
      <Foot {...props} layout={layout} shown={shown} count={tiles.length} />
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

/** Shown in the largest type, since they are what the Wall is looked at for. */
const LARGE: readonly HealthState[] = ["failing", "unknown", "stale", "working"];

function Counts(props: {
  readonly tiles: readonly Tile[];
  readonly group: string | null;
  readonly now: number;
}) {
  const { tiles, group, now } = props;
  const counts = countStates(tiles);
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
function Cautions({ facts, isOperator }: Pick<WallProps, "facts" | "isOperator">) {
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

function Tiles(props: {
  readonly layout: Layout<Tile>;
  readonly shown: number;
  readonly isOperator: boolean;
}) {
  const { fit, held, pages } = props.layout;
  const roomy = fit <= ROOMY_FIT;
  const list = (tiles: readonly Tile[], name: string, hidden: boolean) => (
    <ul class={name} role="list" hidden={hidden}>
      {tiles.map((tile) => (
        <TileOf tile={tile} roomy={roomy} isOperator={props.isOperator} />
      ))}
    </ul>
  );
  return (
    <main
      class="tiles"
      id="tiles"
      data-fit={String(fit)}
      data-roomy={roomy ? "" : undefined}
      data-pages={pages.length === 0 ? undefined : ""}
    >
      {held.length === 0 ? null : list(held, "held", false)}
      {pages.map((tiles, place) => list(tiles, "turn", place + 1 !== props.shown))}
    </main>
  );
}

function TileOf(props: { readonly tile: Tile; readonly roomy: boolean; readonly isOperator: boolean }) {
  const { asset, state, line, all, flags } = props.tile;
  const hasFlags = flags.error + flags.warn + flags.info > 0;
  const content = (
    <>
      <Glyph name={`s-${state}`} />
      <SiteName asset={asset} />
      <span class="sub">{line}</span>
      {hasFlags ? <SeverityTally counts={props.roomy ? flags : worstOf(flags)} /> : null}
      {props.roomy && all !== "" ? <span class="sub all">{all}</span> : null}
    </>
  );
  return (
    <li data-state={state}>
      {props.isOperator ? (
        <a class="tile" href={paths.siteIntegrations(asset)}>
          {content}
        </a>
      ) : (
        <div class="tile">{content}</div>
      )}
    </li>
  );
}

/** The worst flags alone: a small tile has no room for more beside its state. */
function worstOf(flags: SeverityCounts): SeverityCounts {
  const worst = SEVERITIES.find((severity) => flags[severity] > 0);
  return { error: 0, warn: 0, info: 0, ...(worst && { [worst]: flags[worst] }) };
}

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

function Foot(
  props: WallProps & {
    readonly layout: Layout<Tile>;
    readonly shown: number;
    readonly count: number;
  },
) {
  const { shell, facts, isOperator, layout, count } = props;
  const { coverage, observedAt } = facts.view;
  const flags = countFlags(facts.sites);
  return (
    <footer class="wall-foot">
      <span>{countOf(count, "site")}</span>
      {flags.error + flags.warn + flags.info === 0 ? null : (
        <span>
          open flags <SeverityTally counts={flags} />
        </span>
      )}
      <span>
        {formatCount(coverage.monitored)} of {countOf(coverage.configured, "part")} watched
      </span>
      {observedAt === null ? null : <span>newest evidence {formatMoment(observedAt, shell.now)} UTC</span>}
      {layout.pages.length === 0 ? null : <PageOf {...props} />}
      {isOperator ? (
        <span class="wall-ways">
          <a href={paths.portfolio}>Sites</a>
          <a href={paths.wallLinks}>Links</a>
          <button type="button" data-full hidden>
            Full screen
          </button>
        </span>
      ) : null}
    </footer>
  );
}

/** Which page is shown, and whether it stays. */
function PageOf(props: Pick<WallProps, "query"> & { readonly layout: Layout<Tile>; readonly shown: number }) {
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
