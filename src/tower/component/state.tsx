import type { Child } from "../jsx/jsx-runtime.ts";
import { Glyph } from "./glyph.tsx";

/** The nine states of a capability, in the order of urgency. */
const STATES = [
  "failing",
  "unknown",
  "stale",
  "disconnected",
  "never",
  "unmonitored",
  "paused",
  "idle",
  "working",
] as const;

export type State = (typeof STATES)[number];

const WORDS: Readonly<Record<State, string>> = {
  working: "Working",
  failing: "Failing",
  stale: "Stale",
  never: "Never run",
  idle: "Idle",
  paused: "Paused",
  disconnected: "Disconnected",
  unmonitored: "Unmonitored",
  unknown: "Unknown",
};

/** A state as glyph, colour and word, so that no reader depends on one of them. */
export function StateMark({ state, children }: { readonly state: State; readonly children?: Child }) {
  return (
    <span class="state" data-state={state}>
      <Glyph name={`s-${state}`} />
      {WORDS[state]}
      {children === undefined ? null : <small>{children}</small>}
    </span>
  );
}
