/** What something came to, as shape, colour and word. Green is kept for Working: what went well is ink. */
import type { HealthState } from "../../health/contract.ts";
import { Glyph } from "./glyph.tsx";

export interface Look {
  readonly words: string;
  readonly glyph: HealthState;
  /** Its colour; ink where it has none. */
  readonly tone?: HealthState;
}

export function LookMark({ look }: { readonly look: Look }) {
  return (
    <span class="state" data-state={look.tone}>
      <Glyph name={`s-${look.glyph}`} />
      {look.words}
    </span>
  );
}
