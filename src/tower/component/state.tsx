import type { HealthState } from "../../health/contract.ts";
import type { Child } from "../jsx/jsx-runtime.ts";
import { Glyph } from "./glyph.tsx";

/** What the states are called. */
export const STATE_WORDS: Readonly<Record<HealthState, string>> = {
  working: "Working",
  failing: "Failing",
  stale: "Stale",
  never_run: "Never run",
  idle: "Idle",
  paused: "Paused",
  disconnected: "Disconnected",
  unmonitored: "Unmonitored",
  unknown: "Unknown",
};

/** A state as glyph, colour and word, so that no reader depends on one of them. */
export function StateMark({ state, children }: { readonly state: HealthState; readonly children?: Child }) {
  return (
    <span class="state" data-state={state}>
      <Glyph name={`s-${state}`} />
      {STATE_WORDS[state]}
      {children === undefined ? null : <small>{children}</small>}
    </span>
  );
}
