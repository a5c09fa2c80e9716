/** Attempts to pull something: which are shown, and how. */
import {
  ACCOUNT_PROVIDERS,
  type AccountProvider,
  FAILURE_CATEGORIES,
  type FailureCategory,
} from "../../provider/contract.ts";
import { type NamedAttempt, PULL_OUTCOMES, type PullOutcome } from "../../signals/mod.ts";
import { CATEGORY_WORDS } from "../component/category_words.ts";
import { Empty } from "../component/empty.tsx";
import { tookWords } from "../component/job_words.ts";
import { PROVIDER_WORDS } from "../component/provider_words.ts";
import { Reason } from "../component/reason.tsx";
import { DataTable } from "../component/table.tsx";
import { Told } from "../component/text.tsx";
import { Clock, Moment } from "../component/time.tsx";
import { formatCount } from "../format.ts";
import { DAY, named, oneOf, ROW } from "../kit/address.ts";
import { paths } from "../paths.ts";
import { AttemptMark, attemptWords } from "./outcome_mark.tsx";

/** Longest name of a site, in characters. */
const LONGEST = 128;

/** What attempts may be narrowed to. */
export const ATTEMPT_PARAMS = {
  asset: named<string | null>(LONGEST, null),
  provider: oneOf<AccountProvider, null>(ACCOUNT_PROVIDERS, null, (provider) => PROVIDER_WORDS[provider]),
  outcome: oneOf<PullOutcome, null>(PULL_OUTCOMES, null, attemptWords),
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
  readonly now: number;
  /** Names the run of each. */
  readonly withRuns?: boolean;
  readonly none: { readonly heading: string; readonly words: string };
}) {
  const { attempts, now, none } = props;
  return (
    <>
      <Reasons attempts={attempts} />
      <DataTable
        fold
        caption="Attempts, newest first"
        items={attempts}
        id={({ id }) => `attempt-${id}`}
        empty={
          <Empty heading={none.heading}>
            <p>{none.words}</p>
          </Empty>
        }
        columns={[
          { words: "Site", names: true, cell: ({ target }) => <Site asset={target?.asset ?? ""} /> },
          {
            words: "Provider",
            label: true,
            class: "nowrap",
            cell: ({ target }) => (target === undefined ? null : PROVIDER_WORDS[target.provider]),
          },
          {
            words: "Began",
            label: true,
            class: "nowrap",
            cell: ({ startedAt, run }) =>
              props.withRuns === true ? (
                <a href={paths.run(run)}>
                  <Moment at={startedAt} now={now} />
                </a>
              ) : (
                <Clock at={startedAt} seconds />
              ),
          },
          {
            words: "Took",
            label: true,
            numeric: true,
            class: "nowrap",
            cell: ({ tookMs }) => tookWords(tookMs),
          },
          { words: "Outcome", label: true, cell: ({ outcome }) => <AttemptMark outcome={outcome} /> },
          {
            words: "Why",
            label: true,
            cell: (attempt) => <Why attempt={attempt} now={now} />,
          },
          { words: "Requests", label: true, numeric: true, cell: ({ requests }) => formatCount(requests) },
        ]}
      />
    </>
  );
}

function Site({ asset }: { readonly asset: string }) {
  if (asset === "") return <>The whole account</>;
  return (
    <a href={paths.site(asset)}>
      <Told class="wrap">{asset}</Told>
    </a>
  );
}

function Why({ attempt, now }: { readonly attempt: NamedAttempt; readonly now: number }) {
  const { category, nextRetryAt } = attempt;
  if (category === null) return null;
  return (
    <>
      {CATEGORY_WORDS[category]}
      {nextRetryAt === null ? null : (
        <>
          , <span class="nowrap">not again before</span> <Moment at={nextRetryAt} now={now} />
        </>
      )}
    </>
  );
}

/** What the categories of failure that stand in a list mean, and who must act: once each. */
function Reasons({ attempts }: { readonly attempts: readonly NamedAttempt[] }) {
  const found = FAILURE_CATEGORIES.filter((category) =>
    attempts.some((attempt) => attempt.category === category),
  );
  if (found.length === 0) return null;
  return (
    <ul class="note stack tight">
      {found.map((category) => (
        <li>
          <b>{CATEGORY_WORDS[category]}</b>: <Reason category={category} />
        </li>
      ))}
    </ul>
  );
}
