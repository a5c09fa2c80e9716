/** What to do about Tower itself: the machine, and what is not watched. */

import type { HealthState } from "../../health/health.ts";
import type { MonitoringFailure } from "../../health/monitoring.ts";
import type { HealthView } from "../../integrations/integrations.ts";
import { formatCount } from "../format.ts";
import { Block } from "../kit/block.tsx";
import { StateMark } from "../kit/glyph.tsx";
import { Go, Told } from "../kit/links.tsx";
import { List } from "../kit/list.tsx";
import { monitoringWords, severalWords } from "../kit/monitoring_words.tsx";
import { Moment } from "../kit/proof.tsx";
import { paths } from "../paths.ts";
import { idPart } from "./target_words.tsx";

/** One thing of Tower itself that needs somebody. */
export type NextStep =
  | { readonly is: "unwatched"; readonly failures: readonly [MonitoringFailure, ...MonitoringFailure[]] }
  | { readonly is: "storage"; readonly words: string };

/** Most that a row names of several. */
const MOST_NAMED = 50;

/** The machine, then what is not watched. */
export const nextSteps = (view: HealthView, warnings: readonly string[]): NextStep[] => [
  ...warnings.map((words): NextStep => ({ is: "storage", words })),
  ...unwatchedSteps(view.monitoring),
];

/** One row for each cause: what one thing keeps from being watched on many sites is one of these. */
function unwatchedSteps(failures: readonly MonitoringFailure[]): NextStep[] {
  const groups = Map.groupBy(failures, ({ kind, reason, asset, subject }) =>
    JSON.stringify([kind, reason, asset === "" ? subject : ""]),
  );
  return [...groups.values()].flatMap(([first, ...others]): NextStep[] =>
    first === undefined ? [] : [{ is: "unwatched", failures: [first, ...others] }],
  );
}

export function NextSteps({
  steps,
  view,
}: {
  readonly steps: readonly NextStep[];
  readonly view: HealthView;
}) {
  return (
    <Block id="next" heading="Tower itself" note={steps.length < 2 ? undefined : "worst first"}>
      <List
        class="acts-t"
        of="What to do about Tower itself, worst first"
        items={steps}
        id={idOf}
        empty={<NothingToDo view={view} />}
        columns={[
          ["State", (step) => <StateMark state={stateOf(step)} />, { label: false }],
          ["What", (step) => <What step={step} />, { names: true }],
          ["What happened", (step) => <Why step={step} />, { class: "all" }],
          ["Since", (step) => <Since step={step} />, { class: "nowrap" }],
          ["What to do", (step) => <Action step={step} />, { class: "all" }],
        ]}
      />
    </Block>
  );
}

/** Nothing is to be done: an all-clear only where all of it could be read. */
function NothingToDo({ view: { coverage } }: { view: HealthView }) {
  if (coverage.state === "complete") return <p>Nothing is wrong with Tower itself.</p>;
  if (coverage.state !== "empty") {
    return <p>Nothing is wrong with what could be read. What could not be read is not known.</p>;
  }
  return (
    <div class="stack tight">
      <p>Tower watches nothing yet.</p>
      <p>
        <Go to={paths.newSite} words="Add a site" primary />
      </p>
    </div>
  );
}

function idOf(step: NextStep): string {
  const of = step.is === "unwatched" ? keyOf(step.failures[0]) : step.words;
  return `next-${step.is}-${idPart(of).slice(0, 120)}`;
}

const keyOf = ({ kind, asset, source, subject }: MonitoringFailure) =>
  [kind, asset, source, subject].join("-");

/** What is not watched is not known; a machine in trouble keeps what is watched from being stored. */
function stateOf(step: NextStep): HealthState {
  return step.is === "unwatched" ? "unknown" : "failing";
}

function What({ step }: { step: NextStep }) {
  if (step.is === "storage") return <>This machine</>;
  return <Unwatched failures={step.failures} id={idOf(step)} />;
}

function Unwatched({
  failures,
  id,
}: {
  failures: readonly [MonitoringFailure, ...MonitoringFailure[]];
  id: string;
}) {
  const [first] = failures;
  if (failures.length === 1) return <Told class="wrap">{monitoringWords(first).what}</Told>;
  const named = failures.slice(0, MOST_NAMED);
  return (
    <details id={`${id}-of`}>
      <summary>{severalWords(first.kind, failures.length)}</summary>
      <ul>
        {named.map((failure) => {
          const { what, link } = monitoringWords(failure);
          return (
            <li>
              <a href={link.href}>
                <Told class="wrap">{what}</Told>
              </a>
            </li>
          );
        })}
        {named.length === failures.length ? null : (
          <li>and {formatCount(failures.length - named.length)} more</li>
        )}
      </ul>
    </details>
  );
}

function Why({ step }: { step: NextStep }) {
  if (step.is === "storage") return <Told class="wrap">{step.words}</Told>;
  const { lacks } = monitoringWords(step.failures[0]);
  return (
    <>
      <b>Not watched</b>{" "}
      <small class="block-sm">
        <Told class="wrap">{step.failures[0].reason}</Told> {lacks}
      </small>
    </>
  );
}

function Since({ step }: { step: NextStep }) {
  const known = step.is === "unwatched" ? step.failures.flatMap(({ since }) => since ?? []) : [];
  return known.length === 0 ? null : <Moment at={Math.min(...known)} />;
}

function Action({ step }: { step: NextStep }) {
  if (step.is === "storage") return <a href="#storage">Storage</a>;
  const { action, link } = monitoringWords(step.failures[0]);
  return (
    <>
      {action}{" "}
      {step.failures.length > 1 ? null : (
        <a class="nowrap" href={link.href}>
          {link.words}
        </a>
      )}
    </>
  );
}
