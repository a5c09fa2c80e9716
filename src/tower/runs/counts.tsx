import { PULL_OUTCOMES, type PullOutcome } from "../../signals/mod.ts";
import { countOf, formatCount } from "../format.ts";
import { address } from "../kit/address.ts";
import { paths } from "../paths.ts";
import { ATTEMPT_PARAMS } from "./attempts_table.tsx";
import { countedWords } from "./outcome_mark.tsx";

export const runAddress = address(ATTEMPT_PARAMS);

/** Outcomes in the order in which a reader needs them: what failed comes first. */
const ORDER: readonly PullOutcome[] = ["failed", "incomplete", "changed", "unchanged", "empty", "source_lag"];

/** How many attempts of a run came to what, those that failed first: each leads to them. */
export function AttemptCounts(props: {
  readonly run: string;
  readonly reports: Readonly<Record<string, number>>;
  readonly isOver: boolean;
}) {
  const { run, reports, isOver } = props;
  const known = ORDER.filter((outcome) => (reports[outcome] ?? 0) > 0);
  const others = Object.entries(reports).filter(
    ([name]) => !PULL_OUTCOMES.some((outcome) => outcome === name),
  );
  const paused = reports["paused"] ?? 0;
  const held = others.reduce((sum, [, count]) => sum + count, 0) - paused;
  if (known.length === 0 && held + paused === 0)
    return isOver ? <span class="dim">none</span> : <span class="dim">not counted yet</span>;
  return (
    <ul class="counts">
      {known.map((outcome) => (
        <li data-state={outcome === "failed" ? "failing" : outcome === "incomplete" ? "stale" : undefined}>
          <a href={runAddress.at(paths.run(run))({ outcome })}>
            {formatCount(reports[outcome] ?? 0)} {countedWords(outcome)}
          </a>
        </li>
      ))}
      {held === 0 ? null : <li class="dim">{countOf(held, "question")} held back</li>}
      {paused === 0 ? null : (
        <li class="dim">
          <a href={paths.pauses}>{countOf(paused, "question")} paused</a>
        </li>
      )}
    </ul>
  );
}
