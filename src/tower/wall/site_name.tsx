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

/** A site's name on a roomy tile. It breaks after a dot or a hyphen where both lines hold what then stands in them. */
export function RoomyName({ asset }: { readonly asset: string }) {
  const isWhole = asset.length <= 2 * A_LINE;
  const shown = isWhole ? asset : `${asset.slice(0, A_LINE - 1)}\u2026${asset.slice(-A_LINE)}`;
  const place = breakOf(shown);
  return (
    <b
      class={place === undefined && shown.length > A_LINE ? "anywhere" : undefined}
      title={isWhole ? undefined : asset}
      hx-ignore
    >
      <Told>{shown.slice(0, place)}</Told>
      {place === undefined ? null : (
        <>
          <wbr />
          <Told>{shown.slice(place)}</Told>
        </>
      )}
    </b>
  );
}

/** Where a name is broken; undefined where it need not be, or cannot be without a word that is too long for its line. */
function breakOf(name: string): number | undefined {
  if (name.length <= A_LINE) return undefined;
  return [...name.matchAll(/[._\u2026-]+/g)]
    .map(({ index, 0: mark }) => index + mark.length)
    .filter((place) => place <= A_LINE + 1 && name.length - place <= A_LINE + 1)
    .at(-1);
}
