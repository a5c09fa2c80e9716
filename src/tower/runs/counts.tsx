import { ARCHIVE_JOB, type ArchiveOutcome } from "../../archive/mod.ts";
import { PULL_OUTCOMES, type PullOutcome } from "../../signals/mod.ts";
import { archiveCounted, isArchiveOutcome } from "../component/archive_mark.tsx";
import { countOf, formatCount } from "../format.ts";
import { address } from "../kit/address.ts";
import { paths } from "../paths.ts";
import { ATTEMPT_PARAMS } from "./attempts_table.tsx";
import { countedWords } from "./outcome_mark.tsx";

export const runAddress = address(ATTEMPT_PARAMS);

/** What attempts of a job may come to, in the order in which a reader needs it: what failed comes first. */
interface Outcomes {
  readonly order: readonly string[];
  /** Several of one, after their number. */
  readonly words: (outcome: string) => string;
  /** What is counted beside them and asked nobody, after its number; what is not named here was held back. */
  readonly beside: Readonly<Record<string, string>>;
  /** To the attempts of a run that came to it. */
  readonly href: (run: string, outcome: string) => string;
}

const PULLED: Outcomes = {
  order: ["failed", "incomplete", "changed", "unchanged", "empty", "source_lag"] satisfies PullOutcome[],
  words: (outcome) => (isPullOutcome(outcome) ? countedWords(outcome) : outcome),
  beside: {},
  href: (run, outcome) =>
    `${runAddress.at(paths.run(run))({ outcome: isPullOutcome(outcome) ? outcome : null })}#attempts`,
};
const ARCHIVED: Outcomes = {
  order: ["failed", "incomplete", "stored", "unchanged", "empty", "source_lag"] satisfies ArchiveOutcome[],
  words: (outcome) => (isArchiveOutcome(outcome) ? archiveCounted(outcome) : outcome),
  beside: { resumed: "brought by the run before", given_up: "given up", skipped: "skipped" },
  href: paths.archiveOfRun,
};

const isPullOutcome = (name: string): name is PullOutcome =>
  PULL_OUTCOMES.some((outcome) => outcome === name);

/** How many attempts of a run came to what, those that failed first: each leads to them. */
export function AttemptCounts(props: {
  readonly job: string;
  readonly run: string;
  readonly reports: Readonly<Record<string, number>>;
  readonly isOver: boolean;
}) {
  const { job, run, reports, isOver } = props;
  const { order, words, beside, href } = job === ARCHIVE_JOB ? ARCHIVED : PULLED;
  const known = order.filter((outcome) => (reports[outcome] ?? 0) > 0);
  const others = Object.entries(reports).filter(([name, count]) => !order.includes(name) && count > 0);
  const paused = reports["paused"] ?? 0;
  const held = others
    .filter(([name]) => name !== "paused" && beside[name] === undefined)
    .reduce((sum, [, count]) => sum + count, 0);
  if (known.length + others.length === 0)
    return isOver ? <span class="dim">none</span> : <span class="dim">not counted yet</span>;
  return (
    <ul class="counts">
      {known.map((outcome) => (
        <li data-state={outcome === "failed" ? "failing" : outcome === "incomplete" ? "stale" : undefined}>
          <a href={href(run, outcome)}>
            {formatCount(reports[outcome] ?? 0)} {words(outcome)}
          </a>
        </li>
      ))}
      {others.map(([name, count]) =>
        beside[name] === undefined ? null : (
          <li class="dim">
            {formatCount(count)} {beside[name]}
          </li>
        ),
      )}
      {held === 0 ? null : <li class="dim">{countOf(held, "question")} held back</li>}
      {paused === 0 ? null : (
        <li class="dim">
          <a href={paths.pauses}>{countOf(paused, "question")} paused</a>
        </li>
      )}
    </ul>
  );
}
