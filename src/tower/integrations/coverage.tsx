/** How much of what is set up is watched, in one honest sentence, and the states of it. */

import { countWords as countOf } from "../../base/text.ts";
import { HEALTH_STATES } from "../../health/health.ts";
import type { Coverage, HealthView } from "../../integrations/integrations.ts";
import { formatCount } from "../format.ts";
import type { Child } from "../jsx/jsx-runtime.ts";
import { address, named, oneOf, PAGE, sought } from "../kit/address.tsx";
import { STATE_WORDS, StateMark } from "../kit/glyph.tsx";
import { here } from "../kit/here.ts";
import { Chips, Go } from "../kit/links.tsx";
import { Empty } from "../kit/list.tsx";
import { Tabs } from "../kit/site_state.tsx";
import { Callout } from "../kit/words.tsx";
import { paths } from "../paths.ts";
import { labelOf } from "./acts.tsx";

/** Longest name that is sought, and longest id of a capability, in characters. */
const LONGEST_SOUGHT = 128;
const LONGEST_ID = 64;

export const integrationsAddress = address({
  state: oneOf(HEALTH_STATES, null, (state) => STATE_WORDS[state]),
  capability: { ...named<string | null>(LONGEST_ID, null), called: (id) => (id === null ? "" : labelOf(id)) },
  q: sought(LONGEST_SOUGHT),
  page: PAGE,
});
export type IntegrationsQuery = typeof integrationsAddress.usual;
export const integrationsHref = integrationsAddress.at(paths.allIntegrations);

const TABS = [
  ["problems", "Problems", paths.integrations],
  ["all", "All", paths.allIntegrations],
  ["runs", "Runs", paths.runs],
  ["archive", "Archive", paths.archive],
  ["health", "System health", paths.health],
] as const;

/** The head of every page of Integrations: the sentence, and the tabs. */
export function IntegrationsHead(props: {
  readonly current: (typeof TABS)[number][0];
  /** The page's name, where it is not its tab's. */
  readonly name?: string;
  /** The news, in place of the page's name. */
  readonly heading?: Child;
  readonly sentence?: Child;
  readonly children?: Child;
  /** In place of the usual ways on. */
  readonly tools?: Child;
}) {
  const [, words] = TABS.find(([id]) => id === props.current) ?? TABS[0];
  return (
    <>
      <div class="head">
        <div>
          {props.heading === undefined ? (
            <h1>{props.name ?? words}</h1>
          ) : (
            <h1 class="lead">{props.heading}</h1>
          )}
          {props.sentence === undefined ? null : <p>{props.sentence}</p>}
          {props.children}
        </div>
        <div class="row">
          {props.tools ?? (
            <>
              <Go to={paths.pauses} words="Paused" />
              <Go to={paths.credentials} words="Credentials" />
            </>
          )}
        </div>
      </div>
      <Tabs
        label="Integrations"
        tabs={TABS.map(([id, name, href]) => ({ href, words: name, current: id === props.current }))}
      />
    </>
  );
}

/** "86 of 105 data sources are working."; what could not be read is said first, and is never an all-clear. */
export function coverageWords({ coverage, summary }: HealthView): string {
  const { state, configured, monitored } = coverage;
  if (state === "empty") return "Nothing is set up yet, so nothing is watched.";
  if (state === "unknown") return "What is set up could not be read whole. This is not an all-clear.";
  const of = `${formatCount(summary.working)} of ${countOf(configured, "data source")} ${summary.working === 1 ? "is" : "are"} working.`;
  if (state === "complete") return of;
  return monitored === configured
    ? `${of} Something else that should be watched is not.`
    : `${of} Only ${formatCount(monitored)} ${monitored === 1 ? "is" : "are"} watched; the rest is not known to work.`;
}

/** Says loudly what is not known. Nothing while everything is watched. */
export function CoverageCallout({ coverage }: { coverage: Coverage }) {
  const { state, reason } = coverage;
  if (reason === null || state === "empty") return null;
  const isUnknown = state === "unknown";
  return (
    <Callout id="coverage" tone={isUnknown ? "unknown" : "stale"} role={isUnknown ? "alert" : "status"}>
      <p>
        <b>{isUnknown ? "Unknown." : "Not everything is watched."}</b> {reason}{" "}
        {isUnknown ? "This is not an all-clear. " : ""}
        {here().shell.here === paths.health ? null : <a href={paths.health}>System health</a>}
      </p>
    </Callout>
  );
}

/** What to set up first. */
export function NothingSetUp() {
  return (
    <Empty alone heading="Set something up first">
      <p>Add a site and send its first report. Then add a credential and attach its properties.</p>
      <p class="row">
        <Go to={paths.newSite} words="Add a site" primary />
        <Go to={paths.newCredential} words="Add a credential" />
      </p>
      <p class="note">Until then its state is unknown.</p>
    </Empty>
  );
}

/** How many integrations are in which state; each narrows the page to them. */
export function StateChips({ view, query }: { view: HealthView; query: IntegrationsQuery }) {
  const { summary } = view;
  const all = HEALTH_STATES.reduce((sum, state) => sum + summary[state], 0);
  const present = HEALTH_STATES.filter((state) => summary[state] > 0 || query.state === state);
  const href = (state: IntegrationsQuery["state"]) => integrationsHref({ ...query, state, page: 1 });
  return (
    <Chips
      label="Filter by state"
      choices={[
        {
          href: href(null),
          chosen: query.state === null,
          words: ["All ", <b>{formatCount(all)}</b>],
        },
        ...present.map((state) => ({
          href: href(query.state === state ? null : state),
          chosen: query.state === state,
          words: [<StateMark state={state} />, " ", <b>{formatCount(summary[state])}</b>],
        })),
      ]}
    />
  );
}
