import { percent } from "./plot.tsx";

/** A share of a whole as a bar beside its number. */
export function Meter({ share }: { readonly share: number }) {
  return (
    <svg class="meter" aria-hidden="true">
      <rect class="t" width="100%" height="8" />
      <rect width={percent(share * 100)} height="8" />
    </svg>
  );
}
