/**
 * `/integrations`: what is wrong, one line a cause, in the order of the one ranking; what Tower retries by itself apart; then failures and
 * recoveries.
 */

import { capital, countWords as countOf } from "../../base/text.ts";
import { parseUtcDay } from "../../base/time.ts";
import { HEALTH_STATES, type HealthState } from "../../health/health.ts";
import type { Entry } from "../../integrations/attention.ts";
import { causesOf, type Health, type Placed, placed } from "../../integrations/causes.ts";
import type { Coverage, HealthView } from "../../integrations/integrations.ts";
import { isProvider } from "../../providers/adapter.ts";
import { LATER } from "../../providers/faults.ts";
import { formatCount, formatDay, formatSpan } from "../format.ts";
import type { Child } from "../jsx/child.ts";
import { type Look, LookMark, StateMark } from "../kit/glyph.tsx";
import { here } from "../kit/here.ts";
import { Go } from "../kit/links.tsx";
import { Block, List } from "../kit/list.tsx";
import { Moment, When } from "../kit/proof.tsx";
import { Page } from "../layout.tsx";
import { paths } from "../paths.ts";
import { ForgetForm, SiteLink } from "./acts.tsx";
import { AccountLink, type ActGround, placeOf } from "./acts_of.tsx";
import {
  CoverageCallout,
  coverageWords,
  IntegrationsHead,
  integrationsHref,
  NothingSetUp,
} from "./coverage.tsx";
import { EventHistory } from "./events.tsx";
import { AttemptsLink, headingOf, idPart, retryReason, untimedRetry } from "./target_words.tsx";

/** One cause with all data sources that it hits: an account that fails on two hundred sites is one of these. */
export interface Problem {
  /** The same as long as the cause is. */
  readonly key: string;
  /** What happened, in one sentence. */
  readonly news: string;
  readonly all: readonly [Placed, ...Placed[]];
  /** Its place in the ranking, and what is said of it there. */
  readonly place: number;
  readonly entry: Entry | undefined;
}

const NEEDING: readonly HealthState[] = ["failing", "unknown", "stale", "disconnected"];

/** Every cause, in the order of the ranking; what is not ranked, such as a connection that was taken away, comes last. */
export function problemsOf(health: Health, entries: readonly Entry[], now: number): Problem[] {
  const ranked = (isIt: (entry: Entry) => boolean) => {
    const place = entries.findIndex(isIt);
    return { entry: entries[place], place: place < 0 ? Number.POSITIVE_INFINITY : place };
  };
  const causes = causesOf(health, now).map(
    ({ key, news, all }): Problem => ({ key, news, all, ...ranked(({ cause }) => cause === key) }),
  );
  const told = new Set(causes.flatMap(({ all }) => all.map(({ target }) => target)));
  const others = placed(health, ({ target }) => NEEDING.includes(target.state) && !told.has(target));
  const groups = [...Map.groupBy(others, keyOf)].flatMap(([key, [first, ...more]]): Problem[] => {
    if (first === undefined) return [];
    const { of, target } = first;
    const silent = ranked(({ trouble, assets }) => trouble === "silent" && assets.includes(target.asset));
    const why = target.why.replace(/\.$/, "") || (headingOf(target, of.kind) ?? of.label);
    const known = isSilent(first) ? silent : { entry: undefined, place: Number.POSITIVE_INFINITY };
    return [{ key, news: known.entry?.title ?? `${of.label}: ${why}`, all: [first, ...more], ...known }];
  });
  const urgency = ({ all: [{ target }] }: Problem) => HEALTH_STATES.indexOf(target.state);
  return [...causes, ...groups].sort((a, b) =>
    a.place === b.place ? urgency(a) - urgency(b) || b.all.length - a.all.length : a.place < b.place ? -1 : 1,
  );
}

/** Each silent site is one problem; of other trouble that no cause is known of, all of one capability and connection are one. */
function keyOf(one: Placed): string {
  const { of, target } = one;
  return [
    target.state,
    of.capability,
    isSilent(one) ? target.asset : one.target.connectionRevision,
    target.why,
  ].join(" ");
}

const isSilent = ({ of, target }: Placed): boolean => of.kind === "ingest" && target.state === "stale";

/** What is wrong, in the order of the one ranking; what Tower tries again by itself apart. */
export function ProblemsPage(props: {
  readonly view: HealthView;
  readonly problems: readonly Problem[];
  readonly ground: ActGround;
}) {
  const { view, problems, ground } = props;
  const isRetried = ({ entry }: Problem) => entry?.acts === "waits";
  const [retried, acute] = [problems.filter(isRetried), problems.filter((one) => !isRetried(one))];
  return (
    <Page title={titleOf(view)} current="integrations">
      <IntegrationsHead
        current="problems"
        heading={
          <>
            {acute.length === 0 ? null : (
              <b>{countOf(acute.length, "problem needs", "problems need")} you. </b>
            )}
            {coverageWords(view)}
          </>
        }
      />
      <CoverageCallout coverage={view.coverage} />
      {view.coverage.state === "empty" ? (
        <NothingSetUp />
      ) : (
        <>
          <Block id="needs" heading="Needs attention">
            <Problems
              of="Needs attention"
              problems={acute}
              empty={<p>{nothingWords(view.coverage)}</p>}
              ground={ground}
            />
          </Block>
          {retried.length === 0 ? null : (
            <Block
              id="retried"
              heading="Retrying automatically"
              note="nothing to do unless two runs are missed"
            >
              <Problems of="Retrying automatically" problems={retried} ground={ground} isRetried />
            </Block>
          )}
          <Unheard view={view} />
        </>
      )}
      <EventHistory events={view.events} />
    </Page>
  );
}

/** An all-clear only where everything could be read. */
const nothingWords = ({ state }: Coverage): string =>
  state === "complete" ? "No problems." : "No problems in what could be read. The rest is not known.";

/** What the browser's tab says: what is worst. */
function titleOf({ coverage, summary }: HealthView): string {
  if (coverage.state === "unknown") return "Integrations: unknown";
  return summary.failing === 0 ? "Integrations" : `Integrations: ${summary.failing} failing`;
}

/** Most rows. */
const MOST = 50;
const RETRYING: Look = { words: "Retrying", glyph: "idle", tone: "idle" };

/** Causes, one row each. */
function Problems(props: {
  readonly of: string;
  readonly problems: readonly Problem[];
  readonly empty?: Child;
  readonly ground: ActGround;
  readonly isRetried?: boolean;
}) {
  const { of, problems, empty, ground, isRetried = false } = props;
  const { now, shell } = here();
  return (
    <>
      <List
        class="acts-t"
        of={of}
        items={problems.slice(0, MOST)}
        id={({ key }) => `problem-${idPart(key)}`}
        empty={empty}
        columns={[
          [
            "State",
            ({ all: [{ target }] }) =>
              isRetried ? <LookMark look={RETRYING} /> : <StateMark state={target.state} />,
            { label: false, class: "nowrap" },
          ],
          ["Cause", (problem) => <Cause problem={problem} />, { names: true }],
          ["Affects", (problem) => <Affected problem={problem} ground={ground} />],
          [
            "Failing for",
            ({ all, entry }) => {
              const since = least([entry?.since ?? null, ...all.map(({ target }) => target.since)]);
              return since === undefined ? <span class="dim">not known</span> : formatSpan(now - since);
            },
            { class: "nowrap" },
          ],
          ["Last success", (problem) => <LastSuccess problem={problem} />],
          ["Next retry", (problem) => <Retry problem={problem} />],
          isRetried
            ? null
            : [
                "Act",
                (problem) => <Action problem={problem} ground={ground} back={shell.here} />,
                { class: "all", unseen: true },
              ],
        ]}
      />
      {problems.length <= MOST ? null : (
        <p class="note">
          {countOf(problems.length - MOST, "more cause")} of less urgency:{" "}
          <a href={paths.allIntegrations}>All</a>
        </p>
      )}
    </>
  );
}

/** What happened, and what to do about it. */
function Cause({ problem: { news, all, entry } }: { problem: Problem }) {
  const [{ of, target }] = all;
  const reason = retryReason(target);
  const text = entry?.action.text ?? target.action.text;
  return (
    <>
      {news}{" "}
      <small class="block-sm">
        {text === LATER && entry?.acts === "person" ? "Tower keeps retrying, and missed two runs." : text}{" "}
        {reason === undefined ? null : `${capital(reason)}. `}
        {all.length === 1 ? <AttemptsLink asset={target.asset} of={of} /> : null}
      </small>
    </>
  );
}

/** The site, or how many of them, which open; below it the data sources. */
function Affected({ problem: { key, all }, ground }: { problem: Problem; ground: ActGround }) {
  const [{ of }] = all;
  const sites = [...new Set(all.flatMap(({ target }) => target.asset || []))].sort();
  const labels = [...new Set(all.map((one) => one.of.label))];
  return (
    <>
      {sites.length === 0 ? (
        <Owner one={all[0]} ground={ground} />
      ) : sites.length === 1 ? (
        <SiteLink asset={sites[0] ?? ""} capability={of.capability} />
      ) : (
        <details id={`sites-${idPart(key)}`}>
          <summary>{countOf(sites.length, "site")}</summary>
          <ul>
            {sites.slice(0, MOST).map((asset) => (
              <li>
                <SiteLink asset={asset} capability={of.capability} />
              </li>
            ))}
            {sites.length <= MOST ? null : (
              <li>
                <a href={integrationsHref({ capability: of.capability, state: all[0].target.state })}>
                  {formatCount(sites.length - MOST)} more
                </a>
              </li>
            )}
          </ul>
        </details>
      )}{" "}
      {labels.length === 1 ? (
        <small class="block-sm">{labels[0]}</small>
      ) : (
        <details id={`sources-${idPart(key)}`}>
          <summary>{countOf(all.length, "data source")}</summary>
          <ul>
            {labels.map((label) => (
              <li>{label}</li>
            ))}
          </ul>
        </details>
      )}
    </>
  );
}

/** The account, calendar or channel that fails where no site does. */
function Owner({ one: { of, target }, ground }: { one: Placed; ground: ActGround }) {
  if (of.kind === "real_send") return <a href={paths.notices}>A channel of notices</a>;
  if (of.provider === "annotations") return <a href={paths.tokens}>A sender of annotations</a>;
  return <AccountLink account={ground.accountOf(target)} otherwise="A whole connection" />;
}

const least = (values: readonly (number | null)[]): number | undefined => {
  const known = values.filter((value) => value !== null);
  return known.length === 0 ? undefined : Math.min(...known);
};

/** The latest of its data sources; that others never had one is said. */
function LastSuccess({ problem: { all } }: { problem: Problem }) {
  const { now } = here();
  const known = all.flatMap(({ target }) => target.lastSuccessStartedAt ?? []);
  if (known.length === 0) return <span class="dim">never</span>;
  const days = all.flatMap(({ target }) => parseUtcDay(target.coveredDate ?? "") ?? []);
  const day = days.sort().at(-1);
  return (
    <>
      <When at={Math.max(...known)} />
      {day === undefined ? null : [" ", <small class="block-sm">covers {formatDay(day, now)}</small>]}
      {known.length === all.length ? null : [" ", <small class="block-sm">some never</small>]}
    </>
  );
}

/** When it may be tried again first. */
function Retry({ problem: { all } }: { problem: Problem }) {
  const { now } = here();
  const [{ of, target }] = all;
  const at = least(all.map((one) => one.target.nextRetryAt));
  if (at === undefined) return <span class="dim">{untimedRetry(target, of.kind)}</span>;
  return at <= now ? <>due now</> : <Moment at={at} />;
}

/** The one thing to do, as the ranking says it; else where its data source is set up. */
function Action(props: { readonly problem: Problem; readonly ground: ActGround; readonly back: string }) {
  const { problem, ground, back } = props;
  const { entry, all } = problem;
  const [{ of, target }] = all;
  // Of several sites over one account the ranking leads here.
  if (entry !== undefined && entry.action.href !== paths.integrations)
    return <Go to={entry.action.href} words={entry.action.verb} />;
  const place = placeOf({ target, of, ground });
  const isShared = all.every((one) => placeOf({ ...one, ground })?.href === place?.href);
  return (
    <div class="row">
      {place === undefined || !isShared ? null : (
        <Go to={place.href} words={entry?.action.verb ?? place.words} />
      )}
      {/* What was taken away on purpose need not be told any longer. */}
      {all.length === 1 &&
      target.state === "disconnected" &&
      target.asset !== "" &&
      isProvider(of.provider) ? (
        <ForgetForm provider={of.provider} asset={target.asset} back={back} />
      ) : null}
    </div>
  );
}

const MOST_NAMED = 5;

/** Sites that have yet to send a first report: nothing fails there. */
function Unheard({ view }: { view: HealthView }) {
  const waiting = view.capabilities.flatMap(({ targets }) =>
    targets.filter(({ state, action }) => state === "never_run" && action.code === "set_up_sending"),
  );
  if (waiting.length === 0) return null;
  return (
    <p class="note">
      Waiting for a first report:{" "}
      {waiting.slice(0, MOST_NAMED).map(({ asset }, place) => [
        place === 0 ? null : ", ",
        <a class="wrap" href={paths.siteSending(asset)}>
          {asset}
        </a>,
      ])}
      {waiting.length <= MOST_NAMED ? null : (
        <>
          {" "}
          and{" "}
          <a href={integrationsHref({ state: "never_run" })}>
            {formatCount(waiting.length - MOST_NAMED)} more
          </a>
        </>
      )}
    </p>
  );
}
