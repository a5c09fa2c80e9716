import { percent } from "../component/plot.tsx";

/** Parts that have a shade of their own; the rest is one. */
export const MOST_PARTS = 5;

/** Parts of a whole as one bar, the largest first. The table below it names them, in the same order and with the same shades. */
export function ShareBar({ parts, label }: { readonly parts: readonly number[]; readonly label: string }) {
  const whole = parts.reduce((sum, part) => sum + part, 0);
  if (whole <= 0) return null;
  const widths = parts.slice(0, MOST_PARTS).map((part) => (part / whole) * 100);
  let at = 0;
  return (
    <svg class="shares" role="img" aria-label={label}>
      <rect class="s-rest" width="100%" height="12" />
      {widths.map((width, place) => {
        const x = at;
        at += width;
        return <rect class={`s${place}`} x={percent(x)} width={percent(width)} height="12" />;
      })}
      {widths.map((_, place) => {
        const x = widths.slice(0, place).reduce((sum, width) => sum + width, 0);
        return place === 0 ? null : <rect class="gap" x={percent(x)} width="1.5" height="12" />;
      })}
    </svg>
  );
}

/** The shade of a part beside its name. */
export function Shade({ place }: { readonly place: number }) {
  return (
    <svg class="shade" aria-hidden="true">
      <rect class={place < MOST_PARTS ? `s${place}` : "s-rest"} width="10" height="10" />
    </svg>
  );
}
