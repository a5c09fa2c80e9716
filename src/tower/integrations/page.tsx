import type { HealthView, SiteHealth, TargetView } from "../../integrations/mod.ts";
import { Page } from "../layout.tsx";
import { paths } from "../paths.ts";
import type { Shell } from "../shell.ts";
import type { ActGround } from "./acts_of.tsx";
import { ConnectionChecks, LiveFeeds, Senders } from "./apart.tsx";
import { EventHistory } from "./events.tsx";
import { CoverageCallout, coverageWords, NothingSetUp, StateChips } from "./head.tsx";
import { matrixOf } from "./matrix.ts";
import { MatrixBlock } from "./matrix_table.tsx";
import { needsOf } from "./needs.ts";
import { Needs } from "./needs_table.tsx";
import type { IntegrationsQuery } from "./query.ts";

/** Every integration of every site: what needs action first, then all of them, then what happened. */
export function IntegrationsPage(props: {
  readonly shell: Shell;
  readonly view: HealthView;
  readonly sites: ReadonlyMap<string, SiteHealth>;
  readonly query: IntegrationsQuery;
  readonly ground: ActGround;
}) {
  const { shell, view, sites, query, ground } = props;
  const { now } = shell;
  const isEmpty = view.coverage.state === "empty";
  const needs = needsOf(view).filter(
    ({ ofs, targets: [{ state }] }) =>
      (query.state === null || state === query.state) &&
      (query.capability === null || ofs.some(({ capability }) => capability === query.capability)),
  );
  const isAsked = ({ state }: TargetView) => query.state === null || state === query.state;
  const apart = view.capabilities.map((of) => ({ ...of, targets: of.targets.filter(isAsked) }));
  return (
    <Page shell={shell} title={titleOf(view)} current="integrations">
      <div class="head">
        <div>
          <h1>Integrations</h1>
          <p>{coverageWords(view, sites.size)} Reading this page asks nobody: it shows what is stored.</p>
        </div>
        <div class="row">
          <a class="btn" href={paths.runs}>
            Runs
          </a>
          <a class="btn" href={paths.archive}>
            Archive
          </a>
          <a class="btn" href={paths.pauses}>
            Paused
          </a>
          <a class="btn" href={paths.credentials}>
            Credentials
          </a>
        </div>
      </div>
      <CoverageCallout coverage={view.coverage} />
      {isEmpty ? (
        <NothingSetUp />
      ) : (
        <>
          <StateChips view={view} query={query} />
          <Needs
            needs={needs}
            coverage={view.coverage}
            state={query.state}
            ground={ground}
            back={shell.here}
          />
          <MatrixBlock matrix={matrixOf(view, sites, query)} query={query} now={now} />
        </>
      )}
      <LiveFeeds capabilities={apart} ground={ground} />
      <Senders capabilities={apart} ground={ground} />
      <ConnectionChecks capabilities={apart} ground={ground} />
      <EventHistory events={view.events} now={now} />
    </Page>
  );
}

/** What the browser's tab says: what is worst. */
function titleOf({ coverage, summary }: HealthView): string {
  if (coverage.state === "unknown") return "Integrations: unknown";
  return summary.failing === 0 ? "Integrations" : `Integrations: ${summary.failing} failing`;
}
