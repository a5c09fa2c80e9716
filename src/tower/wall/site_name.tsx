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
