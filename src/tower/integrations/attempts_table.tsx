/** Attempts to pull something: which are shown, and how. */

import { ARCHIVE_JOB } from "../../archive/plan.ts";
import { countWords as countOf } from "../../base/text.ts";
import { ACCOUNT_PROVIDERS, type AccountProvider, PROVIDER_NAMES } from "../../providers/adapter.ts";
import { FAILURE_CATEGORIES, type FailureCategory } from "../../providers/faults.ts";
import type { NamedAttempt } from "../../signals/attempt_list.ts";
import { PULL_OUTCOMES, type PullOutcome } from "../../signals/attempts.ts";
import type { RunFault, StoredRun } from "../../store/job_runs.ts";
import { formatCount } from "../format.ts";
import { address, DAY, named, oneOf, ROW } from "../kit/address.tsx";
import { type Look, LookMark, OUTCOME_LOOKS, outcomeCounted, outcomeWords } from "../kit/glyph.tsx";
import { Told } from "../kit/links.tsx";
import { Empty, List } from "../kit/list.tsx";
import { Clock, Moment, When } from "../kit/proof.tsx";
import { CATEGORY_WORDS, Reason, tookWords } from "../kit/words.tsx";
import { paths } from "../paths.ts";

const RUNNING: Look = { words: "Running", glyph: "idle", tone: "idle" };
const ENDED: Readonly<Record<"done" | "partial" | "failed", Look>> = {
  done: { words: "Done", glyph: "working" },
  partial: { words: "Partial", glyph: "stale", tone: "stale" },
  failed: { words: "Failed", glyph: "failing", tone: "failing" },
};
const BROKEN: Readonly<Record<RunFault, Look>> = {
  error: { words: "Broke off", glyph: "failing", tone: "failing" },
  stopped: { words: "Stopped", glyph: "paused", tone: "paused" },
  cut_off: { words: "Cut off", glyph: "disconnected", tone: "disconnected" },
};

/** What a run came to. */
export function RunMark({ end }: { end: StoredRun["end"] }) {
  if (end === undefined) return <LookMark look={RUNNING} />;
  return <LookMark look={end.fault === null ? ENDED[end.outcome] : BROKEN[end.fault]} />;
}

/** Longest name of a site, in characters. */
const LONGEST = 128;

/** What attempts may be narrowed to. */
export const ATTEMPT_PARAMS = {
  asset: named<string | null>(LONGEST, null),
  provider: oneOf<AccountProvider, null>(ACCOUNT_PROVIDERS, null, (provider) => PROVIDER_NAMES[provider]),
  outcome: oneOf<PullOutcome, null>(PULL_OUTCOMES, null, outcomeWords),
  category: oneOf<FailureCategory, null>(FAILURE_CATEGORIES, null, (category) => CATEGORY_WORDS[category]),
  from: DAY,
  to: DAY,
  before: ROW,
};

export const ATTEMPT_WORDS = {
  asset: "Site",
  provider: "Provider",
  outcome: "Outcome",
  category: "Why",
} as const;

/** Attempts, newest first. */
export function AttemptsTable(props: {
  readonly attempts: readonly NamedAttempt[];
  /** Names the run of each. */
  readonly withRuns?: boolean;
  readonly none: { readonly heading: string; readonly words: string };
}) {
  const { attempts, none } = props;
  const found = FAILURE_CATEGORIES.filter((category) =>
    attempts.some((attempt) => attempt.category === category),
  );
  return (
    <>
      {/* What the categories of failure that stand in a list mean, and who must act: once each. */}
      {found.length === 0 ? null : (
        <ul class="note stack tight">
          {found.map((category) => (
            <li>
              <b>{CATEGORY_WORDS[category]}</b>: <Reason category={category} />
            </li>
          ))}
        </ul>
      )}
      <List
        of="Attempts, newest first"
        items={attempts}
        id={({ id }) => `attempt-${id}`}
        empty={
          <Empty heading={none.heading}>
            <p>{none.words}</p>
          </Empty>
        }
        columns={[
          ["Site", ({ target }) => <Site asset={target?.asset ?? ""} />],
          [
            "Provider",
            ({ target }) => (target === undefined ? null : PROVIDER_NAMES[target.provider]),
            { class: "nowrap" },
          ],
          [
            "Began",
            ({ startedAt, run }) =>
              props.withRuns === true ? (
                <a href={paths.run(run)}>
                  <When at={startedAt} />
                </a>
              ) : (
                <Clock at={startedAt} seconds />
              ),
            { class: "nowrap" },
          ],
          ["Took", ({ tookMs }) => tookWords(tookMs), { numeric: true, class: "nowrap" }],
          ["Outcome", ({ outcome }) => <LookMark look={OUTCOME_LOOKS[outcome]} />],
          ["Why", (attempt) => <Why attempt={attempt} />],
          ["Requests", ({ requests }) => formatCount(requests), { numeric: true }],
        ]}
      />
    </>
  );
}

function Site({ asset }: { asset: string }) {
  if (asset === "") return <>All sites of this account</>;
  return (
    <a href={paths.site(asset)}>
      <Told class="wrap">{asset}</Told>
    </a>
  );
}

function Why({ attempt }: { attempt: NamedAttempt }) {
  const { category, nextRetryAt } = attempt;
  if (category === null) return null;
  return (
    <>
      {CATEGORY_WORDS[category]}
      {nextRetryAt === null
        ? null
        : [", ", <span class="nowrap">not again before</span>, " ", <Moment at={nextRetryAt} />]}
    </>
  );
}

export const runAddress = address(ATTEMPT_PARAMS);

/** What attempts may come to, in the order in which a reader needs it: what failed comes first. */
const IN_ORDER = ["failed", "incomplete", "changed", "stored", "unchanged", "empty", "source_lag"] as const;

/** What a run counts beside them and asked nobody, after its number; what is not named here was held back. */
const BESIDE: Readonly<Record<string, string>> = {
  resumed: "brought by the run before",
  given_up: "given up",
  skipped: "skipped",
};

/** To the attempts of a run that came to something. */
function attemptsHref(job: string, run: string, outcome: (typeof IN_ORDER)[number]): string {
  if (job === ARCHIVE_JOB) return paths.archiveOfRun(run, outcome);
  return `${runAddress.at(paths.run(run))({ outcome: outcome === "stored" ? null : outcome })}#attempts`;
}

/** How many attempts of a run came to what, those that failed first: each leads to them. */
export function AttemptCounts(props: {
  readonly job: string;
  readonly run: string;
  readonly reports: Readonly<Record<string, number>>;
  readonly isOver: boolean;
}) {
  const { job, run, reports, isOver } = props;
  const known = IN_ORDER.filter((outcome) => (reports[outcome] ?? 0) > 0);
  const others = Object.entries(reports).filter(([name, count]) => !(name in OUTCOME_LOOKS) && count > 0);
  const paused = reports["paused"] ?? 0;
  const held = others
    .filter(([name]) => name !== "paused" && BESIDE[name] === undefined)
    .reduce((sum, [, count]) => sum + count, 0);
  if (known.length + others.length === 0)
    return isOver ? <span class="dim">none</span> : <span class="dim">not counted yet</span>;
  return (
    <ul class="counts">
      {known.map((outcome) => (
        <li data-state={outcome === "failed" ? "failing" : outcome === "incomplete" ? "stale" : undefined}>
          <a href={attemptsHref(job, run, outcome)}>
            {formatCount(reports[outcome] ?? 0)} {outcomeCounted(outcome)}
          </a>
        </li>
      ))}
      {others.map(([name, count]) =>
        BESIDE[name] === undefined ? null : (
          <li class="dim">
            {formatCount(count)} {BESIDE[name]}
          </li>
        ),
      )}
      {held === 0 ? null : <li class="dim">{countOf(held, "request")} on hold</li>}
      {paused === 0 ? null : (
        <li class="dim">
          <a href={paths.pauses}>{countOf(paused, "request")} paused</a>
        </li>
      )}
    </ul>
  );
}
