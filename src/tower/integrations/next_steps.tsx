/** What to do next: everything that needs somebody, the worst first. */

import { countWords as countOf } from "../../base/text.ts";
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
import { SiteLink } from "./acts.tsx";
import { AccountLink, type ActGround, SharedAction } from "./acts_of.tsx";
import { integrationsHref } from "./coverage.tsx";
import { CauseOf, capabilityWords, idPart, type Need, needsOf } from "./needs.tsx";

/** One thing that needs somebody. */
export type NextStep =
  | { readonly is: "need"; readonly need: Need }
  | { readonly is: "unwatched"; readonly failures: readonly [MonitoringFailure, ...MonitoringFailure[]] }
  | { readonly is: "storage"; readonly words: string };

/** Most rows; what is of less urgency stands on the page of integrations. */
const MOST = 12;
/** Most that a row names of several. */
const MOST_NAMED = 50;
const URGENT: readonly HealthState[] = ["failing", "unknown"];

/** What fails and what is not known, then what is not watched, then the machine; then what is late or was taken away. */
export function nextSteps(view: HealthView, warnings: readonly string[]): NextStep[] {
  const needs = needsOf(view).map((need): NextStep & { is: "need" } => ({ is: "need", need }));
  const isUrgent = ({ need }: { readonly need: Need }) => URGENT.includes(need.targets[0].state);
  return [
    ...needs.filter(isUrgent),
    ...unwatchedSteps(view.monitoring),
    ...warnings.map((words): NextStep => ({ is: "storage", words })),
    ...needs.filter((need) => !isUrgent(need)),
  ];
}

/** One row for each cause: what one thing keeps from being watched on many sites is one of these. */
function unwatchedSteps(failures: readonly MonitoringFailure[]): NextStep[] {
  const groups = Map.groupBy(failures, ({ kind, reason, asset, subject }) =>
    JSON.stringify([kind, reason, asset === "" ? subject : ""]),
  );
  return [...groups.values()].flatMap(([first, ...others]): NextStep[] =>
    first === undefined ? [] : [{ is: "unwatched", failures: [first, ...others] }],
  );
}

export function NextSteps(props: {
  readonly steps: readonly NextStep[];
  readonly view: HealthView;
  readonly ground: ActGround;
}) {
  const { steps, view, ground } = props;
  const more = steps.length - MOST;
  return (
    <Block id="next" heading="What to do next" note={steps.length < 2 ? undefined : "worst first"}>
      <List
        class="acts-t"
        of="What to do next, worst first"
        items={steps.slice(0, MOST)}
        id={idOf}
        empty={<NothingToDo view={view} />}
        columns={[
          ["State", (step) => <StateMark state={stateOf(step)} />, { label: false }],
          ["What", (step) => <What step={step} ground={ground} />, { names: true }],
          ["What happened", (step) => <Why step={step} />, { class: "all" }],
          ["Since", (step) => <Since step={step} />, { class: "nowrap" }],
          ["What to do", (step) => <Action step={step} ground={ground} />, { class: "all" }],
        ]}
      />
      {more > 0 ? (
        <p class="note">
          {countOf(more, "more row")} of less urgency: <a href={paths.integrations}>Integrations</a>
        </p>
      ) : null}
    </Block>
  );
}

/** Nothing is to be done: an all-clear only where all of it could be read. */
function NothingToDo({ view: { coverage } }: { view: HealthView }) {
  if (coverage.state === "complete") return <p>Nothing to do.</p>;
  if (coverage.state !== "empty") {
    return <p>Nothing to do about what could be read. What could not be read is not known.</p>;
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
  const of =
    step.is === "need" ? step.need.key : step.is === "unwatched" ? keyOf(step.failures[0]) : step.words;
  return `next-${step.is}-${idPart(of).slice(0, 120)}`;
}

const keyOf = ({ kind, asset, source, subject }: MonitoringFailure) =>
  [kind, asset, source, subject].join("-");

/** What is not watched is not known; a machine in trouble keeps what is watched from being stored. */
function stateOf(step: NextStep): HealthState {
  if (step.is === "need") return step.need.targets[0].state;
  return step.is === "unwatched" ? "unknown" : "failing";
}

function What({ step, ground }: { step: NextStep; ground: ActGround }) {
  if (step.is === "storage") return <>This machine</>;
  if (step.is === "unwatched") return <Unwatched failures={step.failures} id={idOf(step)} />;
  const { of, whom } = step.need;
  const [first] = whom;
  return (
    <>
      {whom.length > 1 ? (
        <a href={integrationsHref({ capability: of.capability, state: first.state })}>
          {countOf(whom.length, first.asset === "" ? "connection" : "site")}
        </a>
      ) : first.asset === "" ? (
        <AccountLink account={ground.accountOf(first)} otherwise="A whole connection" />
      ) : (
        <SiteLink asset={first.asset} capability={of.capability} />
      )}{" "}
      <small class="block-sm">{capabilityWords(step.need)}</small>
    </>
  );
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
  if (step.is === "unwatched") {
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
  return <CauseOf need={step.need} />;
}

function Since({ step }: { step: NextStep }) {
  const at =
    step.is === "need"
      ? earliest(step.need.targets.map(({ since }) => since))
      : step.is === "unwatched"
        ? earliest(step.failures.map(({ since }) => since))
        : undefined;
  return at === undefined ? null : <Moment at={at} />;
}

function earliest(moments: readonly (number | null)[]): number | undefined {
  const known = moments.filter((at) => at !== null);
  return known.length === 0 ? undefined : known.reduce((a, b) => Math.min(a, b));
}

function Action({ step, ground }: { step: NextStep; ground: ActGround }) {
  if (step.is === "need")
    return <SharedAction targets={step.need.targets} of={step.need.of} ground={ground} />;
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
