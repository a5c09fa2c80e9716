import { Told } from "./text.tsx";

const LONGEST = 56;
/** Share of what is left of a cut name that stands before the cut. */
const HEAD_SHARE = 0.65;

/** A name from outside; a very long one is cut in its middle, where names differ least, and stands whole in the title. */
export function ShortName({ name, longest = LONGEST }: { readonly name: string; readonly longest?: number }) {
  const points = [...name];
  if (points.length <= longest) return <Told>{name}</Told>;
  const head = Math.ceil(longest * HEAD_SHARE);
  return (
    <span title={name} hx-ignore>
      <Told>{`${points.slice(0, head).join("")}…${points.slice(head - longest + 1).join("")}`}</Told>
    </span>
  );
}
