import { HEALTH_STATES, type HealthState } from "../../health/contract.ts";
import type { Coverage } from "../../integrations/mod.ts";
import { tallied } from "../../lib/tally.ts";
import { Glyph } from "../component/glyph.tsx";
import { STATE_WORDS } from "../component/state.tsx";
import { Told } from "../component/text.tsx";
import { Clock } from "../component/time.tsx";
import { countOf, formatCount } from "../format.ts";
import { paths } from "../paths.ts";
import type { WallFacts } from "./read.ts";
import { ATTENTION, type Tile } from "./tile.ts";

/** Shown in the largest type, since they are what the Wall is looked at for. */
const LARGE: readonly HealthState[] = [...ATTENTION, "working"];

/** The counts of all states in large type, the time, and how old what is shown is. */
export function Counts(props: {
  readonly tiles: readonly Tile[];
  readonly group: string | null;
  readonly now: number;
}) {
  const { tiles, group, now } = props;
  const counts = tallied(
    HEALTH_STATES,
    tiles.map(({ state }) => state),
  );
  const present = HEALTH_STATES.filter((state) => counts[state] > 0);
  const list = (states: readonly HealthState[], size: string) => (
    <ul class={size} role="list">
      {states.map((state) => (
        <li class="state" data-state={state}>
          <Glyph name={`s-${state}`} />
          {formatCount(counts[state])} {STATE_WORDS[state]}
        </li>
      ))}
    </ul>
  );
  const others = present.filter((state) => !LARGE.includes(state));
  return (
    <header class="wall-head">
      <h1 class={group === null ? "vh" : undefined}>{group === null ? "Wall" : <Told>{group}</Told>}</h1>
      {list(
        present.filter((state) => LARGE.includes(state)),
        "large",
      )}
      <time class="wall-clock" data-clock hidden />
      {others.length === 0 ? null : list(others, "rest")}
      <p class="age">
        Evidence read <Clock at={now} seconds /> UTC
        <span data-age />
      </p>
    </header>
  );
}

/** What keeps the tiles from being all that there is to know. */
export function Cautions({ facts, isOperator }: { readonly facts: WallFacts; readonly isOperator: boolean }) {
  const { coverage, monitoring } = facts.view;
  const said = facts.sites.length === 0 ? null : coverageWords(coverage);
  const parts = `${countOf(monitoring.length, "part")} of Tower itself cannot be watched`;
  if (said === null && facts.beside === null && monitoring.length === 0) return null;
  const leading = (words: string, to: string) =>
    isOperator ? <a href={to}>{words}</a> : <span>{words}</span>;
  return (
    <div class="cautions">
      {said === null ? null : (
        <p class="caution" data-state="unknown">
          <Glyph name="s-unknown" />
          <span>{said} This is not an all-clear.</span>
        </p>
      )}
      {facts.beside === null ? null : (
        <p class="caution" data-state={facts.beside.state}>
          <Glyph name={`s-${facts.beside.state}`} />
          {leading(facts.beside.words, paths.integrations)}
        </p>
      )}
      {monitoring.length === 0 ? null : (
        <p class="caution" data-state="stale">
          <Glyph name="s-unmonitored" />
          {leading(parts, paths.health)}
        </p>
      )}
    </div>
  );
}

const COVERAGE_WORDS: Readonly<Record<Coverage["state"], string | null>> = {
  complete: null,
  partial: "Not everything is watched.",
  empty: "Nothing is set up to be watched.",
  unknown: "What is watched could not be read.",
};

/** Null while everything that is set up is watched. */
function coverageWords({ state, reason }: Coverage): string | null {
  const words = COVERAGE_WORDS[state];
  return words === null || reason === null || reason === words ? words : `${words} ${reason}`;
}
