import { ARCHIVE_JOB, type Estimate } from "../../archive/mod.ts";
import type { Credential } from "../../credentials/contract.ts";
import type { RunningJob } from "../../jobs/mod.ts";
import { Block } from "../component/block.tsx";
import { Empty } from "../component/empty.tsx";
import { Form } from "../component/form.tsx";
import { PROVIDER_WORDS } from "../component/provider_words.ts";
import { DataTable } from "../component/table.tsx";
import { Told } from "../component/text.tsx";
import { countOf, formatCount, formatSpan } from "../format.ts";
import { Page } from "../layout.tsx";
import { paths } from "../paths.ts";
import type { Shell } from "../shell.ts";

const MINUTE_MS = 60_000;

/** What a run would ask for, and the act that begins it: nothing is asked before that. */
export function BeginPage(props: {
  readonly shell: Shell;
  readonly estimate: Estimate;
  readonly accounts: readonly Credential[];
  readonly running: RunningJob | undefined;
}) {
  const { shell, estimate, accounts, running } = props;
  const { sites, reports, lanes } = estimate;
  const labels = new Map(accounts.map(({ id, label }) => [id, label]));
  return (
    <Page shell={shell} title="Archive now" current="integrations" still>
      <div class="head">
        <div>
          <p class="crumb">
            <a href={paths.integrations}>Integrations</a> / <a href={paths.archive}>Archive</a>
          </p>
          <h1>Archive now</h1>
          <p>{reports === 0 ? "A run would ask for nothing now." : estimateWords(estimate)}</p>
        </div>
      </div>
      {running === undefined ? null : (
        <Empty alone heading="A run is under way">
          <p>What it brings is as new as what another run would.</p>
          <a class="btn" href={paths.archive}>
            Show it
          </a>
        </Empty>
      )}
      {reports === 0 ? (
        <Empty alone heading="Nothing to ask for">
          <p>
            {sites === 0
              ? "No property that may be asked is attached to a site: none is attached, or all of them are paused or retired."
              : "Every report that is due was brought in."}
          </p>
          <a class="btn" href={paths.credentials}>
            Credentials and properties
          </a>
        </Empty>
      ) : (
        <Block heading="What it would ask" note="accounts are asked beside one another">
          <div class="stack tight">
            <DataTable
              fold
              caption="What a run would ask, by account"
              items={lanes.toSorted((one, other) => other.aboutMs - one.aboutMs)}
              columns={[
                { words: "Provider", names: true, cell: ({ provider }) => PROVIDER_WORDS[provider] },
                {
                  words: "Account",
                  label: true,
                  cell: ({ credential }) => (
                    <a href={paths.credential(credential)}>
                      <Told class="wrap">{labels.get(credential) ?? credential}</Told>
                    </a>
                  ),
                },
                { words: "Reports", label: true, numeric: true, cell: (lane) => formatCount(lane.reports) },
                {
                  words: "Requests, at least",
                  label: true,
                  numeric: true,
                  cell: (lane) => formatCount(lane.requests),
                },
                { words: "About", label: true, numeric: true, cell: (lane) => aboutWords(lane.aboutMs) },
              ]}
            />
            <p class="note">
              A report that grew since its last time needs more requests. Charts and people go first: a run
              waits for them. It can be stopped at any time; what came by then stays.
            </p>
            {running === undefined ? (
              <div class="row">
                <Form action={paths.runJob(ARCHIVE_JOB)} class={null} hidden={[["to", paths.archive]]}>
                  <button class="btn primary">Begin</button>
                </Form>
                <a class="btn bare" href={paths.archive}>
                  Not now
                </a>
              </div>
            ) : null}
          </div>
        </Block>
      )}
    </Page>
  );
}

/** "It would ask for 2,040 reports of 31 sites with 2,300 requests or more, and take about 12 min." */
function estimateWords({ sites, reports, requests, aboutMs }: Estimate): string {
  return `It would ask for ${countOf(reports, "report")} of ${countOf(sites, "site")} with ${countOf(requests, "request")} or more, and take ${aboutMs < MINUTE_MS ? "less than a minute" : `about ${formatSpan(aboutMs)}`}.`;
}

const aboutWords = (ms: number): string => (ms < MINUTE_MS ? "under 1 min" : formatSpan(ms));
