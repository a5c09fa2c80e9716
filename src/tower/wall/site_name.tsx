import { Told } from "../component/text.tsx";

/** From so many letters on, the end of a name is kept in sight. */
const LONG = 18;
/** How much of the end: names of one family differ there. */
const END = 7;

/** A site's name, of which a narrow tile leaves out the middle, never the end. */
export function SiteName({ asset }: { readonly asset: string }) {
  const letters = [...asset];
  if (letters.length <= LONG) {
    return (
      <b>
        <Told>{asset}</Told>
      </b>
    );
  }
  return (
    <b title={asset} hx-ignore>
      <Told>{letters.slice(0, -END).join("")}</Told>
      <Told>{letters.slice(-END).join("")}</Told>
    </b>
  );
}
