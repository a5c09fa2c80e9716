import { siteHealth } from "../../integrations/mod.ts";
import { Callout } from "../component/callout.tsx";
import type { ActGround } from "../integrations/acts_of.tsx";
import { EventHistory } from "../integrations/events.tsx";
import { coverageWords } from "../integrations/head.tsx";
import { Page } from "../layout.tsx";
import { paths } from "../paths.ts";
import type { Shell } from "../shell.ts";
import { AllowanceBlock } from "./allowance_block.tsx";
import { IngestBlock } from "./ingest_block.tsx";
import { NextSteps } from "./next_steps.tsx";
import type { SystemFacts } from "./read.ts";
import { RulesBlock } from "./rules_block.tsx";
import { Scheduled } from "./scheduled_table.tsx";
import { StorageBlock } from "./storage_block.tsx";
import { Summary } from "./summary.tsx";

/** Lines of the event history that are shown here. */
const MOST_EVENTS = 10;

/** System health: what to do next, how much is watched, and what Tower itself does. */
export function SystemHealthPage(props: {
  readonly shell: Shell;
  readonly system: SystemFacts;
  readonly ground: ActGround;
}) {
  const { shell, system, ground } = props;
  const { view } = system;
  const { now } = shell;
  return (
    <Page shell={shell} title={titleOf(system)} current="health">
      <div class="head">
        <div>
          <h1>System health</h1>
          <p>{coverageWords(view, siteHealth(view).size)} Read from what is stored; nobody was asked.</p>
        </div>
      </div>
      <NotAllClear system={system} />
      <NextSteps steps={system.steps} view={view} ground={ground} />
      <Summary summary={view.summary} />
      <Scheduled jobs={system.jobs} now={now} />
      <div class="halves quarters">
        <IngestBlock facts={system.ingest} silentHours={system.silentHours} now={now} />
        <AllowanceBlock allowances={system.allowances} now={now} />
        <StorageBlock facts={system.storage} now={now} />
        <RulesBlock facts={system.rules} />
      </div>
      <EventHistory
        events={view.events}
        now={now}
        most={{ lines: MOST_EVENTS, all: `${paths.integrations}#events` }}
      />
    </Page>
  );
}

/** What keeps this page from being an all-clear; nothing where everything that is set up could be judged. */
function NotAllClear({ system }: { readonly system: SystemFacts }) {
  const { coverage, summary } = system.view;
  const isUnknown = coverage.state === "unknown" || summary.unknown > 0;
  if (coverage.state === "complete" && !isUnknown) return null;
  const unknown =
    summary.unknown === 0
      ? ""
      : ` ${summary.unknown === 1 ? "One integration is" : `${summary.unknown} integrations are`} Unknown.`;
  return (
    <Callout tone="unknown" id="not-all-clear" role="status">
      <p>
        <b>This is not an all-clear.</b> {coverage.reason ?? ""}
        {unknown}
      </p>
    </Callout>
  );
}

/** What the browser's tab says: what is worst. */
function titleOf({ view }: SystemFacts): string {
  const { coverage, summary } = view;
  if (summary.failing > 0) return `Health: ${summary.failing} failing`;
  return coverage.state === "complete" && summary.unknown === 0 ? "Health" : "Health: not an all-clear";
}
