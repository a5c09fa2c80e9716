import type { HealthState } from "../../health/contract.ts";
import type { CapabilityView, Coverage, TargetView } from "../../integrations/mod.ts";
import { parseUtcDay } from "../../lib/utc_day.ts";
import { isProvider } from "../../provider/contract.ts";
import { Block } from "../component/block.tsx";
import { StateMark } from "../component/state.tsx";
import { DataTable } from "../component/table.tsx";
import { Moment } from "../component/time.tsx";
import { countOf, formatCount, formatDay, formatMoment } from "../format.ts";
import type { Child } from "../jsx/jsx-runtime.ts";
import { AccountLink } from "./account_link.tsx";
import { ForgetForm } from "./acts.tsx";
import { type ActGround, SharedAction } from "./acts_of.tsx";
import { AttemptsLink } from "./attempts_link.tsx";
import { CauseOf } from "./cause.tsx";
import type { AccountOf } from "./names.ts";
import { capabilityWords, idPart, type Need, stretchOf } from "./needs.ts";
import { retryReason, untimedRetry } from "./proof_words.ts";
import { integrationsHref } from "./query.ts";
import { SiteLink } from "./site_link.tsx";

/** Most sites that a row names; the matrix has the rest. */
const MOST_NAMED = 50;
/** Most rows. */
const MOST = 50;

/** What somebody has to look at: one row for each cause. */
export function Needs(props: {
  readonly needs: readonly Need[];
  readonly coverage: Coverage;
  readonly state: HealthState | null;
  readonly ground: ActGround;
  /** The address of the page, which an act leads back to. */
  readonly back: string;
}) {
  const { needs, ground, back } = props;
  const { now, accountOf } = ground;
  return (
    <Block
      id="needs"
      heading="Needs action"
      note="one row for each cause; when it was tried, when it last worked and which day that covers are separate facts"
    >
      <DataTable
        fold
        class="acts-t"
        caption="What needs action"
        items={needs.slice(0, MOST)}
        id={({ key }) => `need-${idPart(key)}`}
        empty={<p>{nothingWords(props)}</p>}
        columns={[
          { words: "State", cell: ({ targets: [{ state }] }) => <StateMark state={state} /> },
          {
            words: "Site and capability",
            names: true,
            cell: (need) => <Whom need={need} accountOf={accountOf} />,
          },
          {
            words: "What happened",
            class: "all",
            cell: (need) => (
              <>
                <CauseOf need={need} />{" "}
                {need.targets.length === 1 ? (
                  <AttemptsLink asset={need.targets[0].asset} of={need.of} />
                ) : null}
              </>
            ),
          },
          {
            words: "Last attempt",
            label: true,
            cell: (need) => (
              <Moments need={need} of={(one) => one.lastAttemptStartedAt} none="never" now={now} />
            ),
          },
          {
            words: "Last success",
            label: true,
            cell: (need) => (
              <Moments need={need} of={(one) => one.lastSuccessStartedAt} none="never" now={now} />
            ),
          },
          { words: "Covers to", label: true, cell: (need) => coveredWords(need, now) },
          { words: "Next permitted retry", label: true, cell: (need) => <Retry need={need} now={now} /> },
          {
            words: "What to do",
            class: "all",
            cell: ({ targets, of }) => (
              <>
                <SharedAction targets={targets} of={of} ground={ground} />
                {targets.length === 1 ? <Forget target={targets[0]} of={of} back={back} /> : null}
              </>
            ),
          },
        ]}
      />
      {needs.length <= MOST ? null : (
        <p class="note">
          {countOf(needs.length - MOST, "more cause")} of less urgency: the states above narrow the list.
        </p>
      )}
    </Block>
  );
}

/** What was taken away on purpose need not be told any longer. */
function Forget(props: { readonly target: TargetView; readonly of: CapabilityView; readonly back: string }) {
  const { target, of, back } = props;
  if (target.state !== "disconnected" || target.asset === "" || !isProvider(of.provider)) return null;
  return <ForgetForm provider={of.provider} asset={target.asset} back={back} />;
}

/** Nothing is to be done: an all-clear only where everything could be read. */
function nothingWords({
  coverage,
  state,
}: {
  readonly coverage: Coverage;
  readonly state: HealthState | null;
}): string {
  if (state !== null) return "None of this needs action.";
  return coverage.state === "complete"
    ? "Nothing needs action: everything that is set up could be read, and nothing of it is wrong."
    : "Of what could be read nothing needs action. What could not be read is not known.";
}

/** The site, or how many of them, which open. */
function Whom({ need, accountOf }: { readonly need: Need; readonly accountOf: AccountOf }) {
  const { of, whom, key } = need;
  const [first] = whom;
  const label = (
    <>
      {" "}
      <small class="block-sm">{capabilityWords(need)}</small>
    </>
  );
  if (whom.length === 1) {
    return (
      <>
        <WhomOf target={first} capability={of.capability} accountOf={accountOf} />
        {label}
      </>
    );
  }
  const named = whom.slice(0, MOST_NAMED);
  return (
    <>
      <details id={`sites-${idPart(key)}`}>
        <summary>{countOf(whom.length, first.asset === "" ? "connection" : "site")}</summary>
        <ul>
          {named.map((target) => (
            <li>
              <WhomOf target={target} capability={of.capability} accountOf={accountOf} />
            </li>
          ))}
          {named.length === whom.length ? null : (
            <li>
              <a href={integrationsHref({ capability: of.capability, state: first.state })}>
                {formatCount(whom.length - named.length)} more
              </a>
            </li>
          )}
        </ul>
      </details>
      {label}
    </>
  );
}

function WhomOf(props: {
  readonly target: TargetView;
  readonly capability: string;
  readonly accountOf: AccountOf;
}) {
  const { target, capability, accountOf } = props;
  if (target.asset !== "") return <SiteLink asset={target.asset} capability={capability} />;
  return <AccountLink account={accountOf(target)} otherwise="A whole connection" />;
}

/** A moment of the targets, or from the first to the last of them. */
function Moments(props: {
  readonly need: Need;
  readonly of: (target: TargetView) => number | null;
  readonly none: string;
  readonly now: number;
}) {
  const { need, of, none, now } = props;
  const found = stretchOf(need.targets.map(of));
  if (found === undefined) return <span class="dim">{none}</span>;
  const { from, to, some } = found;
  const isOne = formatMoment(from, now) === formatMoment(to, now);
  return (
    <span>
      <Moment at={from} now={now} />
      {isOne ? null : (
        <>
          {" "}
          to <Moment at={to} now={now} />
        </>
      )}
      {some ? <small class="block-sm">some {none}</small> : null}
    </span>
  );
}

function coveredWords({ targets }: Need, now: number): Child {
  const found = stretchOf(targets.map(({ coveredDate }) => coveredDate));
  const [from, to] = [parseUtcDay(found?.from ?? ""), parseUtcDay(found?.to ?? "")];
  if (from === undefined || to === undefined) return <span class="dim">no day</span>;
  return from === to ? formatDay(from, now) : `${formatDay(from, now)} to ${formatDay(to, now)}`;
}

/** When it may be tried again, and why not before. */
function Retry({ need, now }: { readonly need: Need; readonly now: number }) {
  const [first] = need.targets;
  const found = stretchOf(need.targets.map(({ nextRetryAt }) => nextRetryAt));
  if (found === undefined) return <span class="dim">{untimedRetry(first, need.of.kind)}</span>;
  const reason = retryReason(first);
  return (
    <span>
      {found.from <= now ? (
        "due now"
      ) : (
        <Moments need={need} of={(one) => one.nextRetryAt} none="at the next run" now={now} />
      )}
      {reason === undefined || found.from <= now ? null : (
        <>
          {" "}
          <small class="block-sm">{reason}</small>
        </>
      )}
    </span>
  );
}
