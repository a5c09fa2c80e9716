import { Glyph } from "../component/glyph.tsx";
import { SEVERITIES, type SeverityCounts, SeverityTally } from "../component/severity.tsx";
import { paths } from "../paths.ts";
import type { Layout } from "./fit.ts";
import { RoomyName, SiteName } from "./site_name.tsx";
import type { Tile } from "./tile.ts";

/** Up to this fit a tile has room for how all of its site stands. */
const ROOMY_FIT = 30;

/** The tiles: those that stay in place, and the pages of those that take turns, of which one is shown. */
export function Tiles(props: {
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
      {props.roomy ? <RoomyName asset={asset} /> : <SiteName asset={asset} />}
      <span class="sub">{line}</span>
      {hasFlags ? <SeverityTally counts={worstOf(flags, props.roomy ? 2 : 1)} /> : null}
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

/** Flags of the worst severities: a tile has no room for more beside its words, which are not to be cut. */
function worstOf(flags: SeverityCounts, most: number): SeverityCounts {
  const worst = SEVERITIES.filter((severity) => flags[severity] > 0).slice(0, most);
  return { error: 0, warn: 0, info: 0, ...Object.fromEntries(worst.map((one) => [one, flags[one]])) };
}

/** In the place of tiles. */
export function NoSites({ isOperator }: { readonly isOperator: boolean }) {
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
