/** Up to this fit a tile has room for how all of its site stands. */

import { Glyph } from "../kit/glyph.tsx";
import { SEVERITIES, type SeverityCounts, SeverityTally, Told } from "../kit/links.tsx";
import { paths } from "../paths.ts";
import type { Layout, Tile } from "./wall.tsx";

/** From so many letters on, what stands before the last dot is cut in its middle. */

const LONG = 16;
/** How much of its end is kept in sight: names of one family differ there. */
const END = 4;

/** A site's name. A narrow tile leaves out what follows the last dot, then the middle of what stands before it. */
function SiteName({ asset }: { readonly asset: string }) {
  const dot = asset.lastIndexOf(".");
  const stem = [...(dot > 0 ? asset.slice(0, dot) : asset)];
  if (stem.length < LONG) {
    return (
      <b>
        <Told>{asset}</Told>
      </b>
    );
  }
  return (
    <b title={asset} hx-ignore>
      <Told>{stem.slice(0, -END).join("")}</Told>
      <Told>{stem.slice(-END).join("")}</Told>
      {dot > 0 ? <Told class="tail">{asset.slice(dot)}</Told> : null}
    </b>
  );
}

/** So many letters stand in a line of a roomy tile, which has two for a name; of a longer one the middle is left out. */
const A_LINE = 14;

/** A site's name on a roomy tile: in one line where the tile is wide enough, else in two. */
function RoomyName({ asset }: { readonly asset: string }) {
  const [first, second] = linesOf(asset);
  const isWhole = first.length + second.length === asset.length;
  return (
    <b title={isWhole ? undefined : asset} hx-ignore>
      <Told>{first}</Told>
      {second === "" ? null : <Told>{second}</Told>}
    </b>
  );
}

/** A name in two parts that a line each holds, parted after a dot or a hyphen where that can be. */
function linesOf(name: string): readonly [string, string] {
  if (name.length <= A_LINE) return [name, ""];
  if (name.length > 2 * A_LINE) return [`${name.slice(0, A_LINE - 1)}\u2026`, name.slice(-A_LINE)];
  const place =
    [...name.matchAll(/[._-]+/g)]
      .map(({ index, 0: mark }) => index + mark.length)
      .filter((end) => end <= A_LINE + 1 && name.length - end <= A_LINE + 1)
      .at(-1) ?? Math.ceil(name.length / 2);
  return [name.slice(0, place), name.slice(place)];
}

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
