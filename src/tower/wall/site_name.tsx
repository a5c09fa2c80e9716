import { Told } from "../component/text.tsx";

/** From so many letters on, what stands before the last dot is cut in its middle. */
const LONG = 16;
/** How much of its end is kept in sight: names of one family differ there. */
const END = 4;

/** A site's name. A narrow tile leaves out what follows the last dot, then the middle of what stands before it. */
export function SiteName({ asset }: { readonly asset: string }) {
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
export function RoomyName({ asset }: { readonly asset: string }) {
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
