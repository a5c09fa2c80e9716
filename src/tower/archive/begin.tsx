/** `/archive/run`: what a run would fetch, and starting it. Nothing is fetched before that. */

import type { Archive } from "../../archive/archive.ts";
import { ARCHIVE_JOB } from "../../archive/plan.ts";
import { countWords as countOf } from "../../base/text.ts";
import { PROVIDER_NAMES as PROVIDER_WORDS } from "../../providers/adapter.ts";
import { listCredentials } from "../../providers/credentials.ts";
import { formatCount, formatSpan } from "../format.ts";
import type { PageDeps } from "../keyboard.tsx";
import { Form } from "../kit/field.tsx";
import { Go, Told } from "../kit/links.tsx";
import { Block, Empty, List } from "../kit/list.tsx";
import { get, mounted } from "../kit/route.ts";
import { Page } from "../layout.tsx";
import { paths } from "../paths.ts";
import type { ArchiveDeps } from "./archive.tsx";

export function archiveRunRoutes(
  deps: PageDeps & ArchiveDeps & { readonly archive: Pick<Archive, "estimate"> },
) {
  const { db, jobs, archive } = deps;
  return mounted(deps, [
    get(paths.archiveRun, {}, async ({ now }) => {
      const { sites, reports, requests, aboutMs, lanes } = await archive.estimate(now);
      const isRunning = jobs.running().some(({ job }) => job === ARCHIVE_JOB);
      const labels = new Map(listCredentials(db).map(({ id, label }) => [id, label]));
      return (
        <Page title="Archive now" current="integrations" still>
          <div class="head">
            <div>
              <p class="crumb">
                <a href={paths.integrations}>Integrations</a> / <a href={paths.archive}>Archive</a>
              </p>
              <h1>Archive now</h1>
              <p>
                {reports === 0
                  ? null
                  : `A run fetches ${countOf(reports, "report")} of ${countOf(sites, "site")} with ${countOf(requests, "request")} or more: ${formatSpan(aboutMs)}.`}
              </p>
            </div>
          </div>
          {isRunning ? (
            <Empty alone heading="A run is in progress">
              <p>Another one would bring nothing newer.</p>
              <Go to={paths.archive} words="View run" />
            </Empty>
          ) : null}
          {reports === 0 ? (
            <Empty alone heading="Nothing to fetch">
              <p>
                {sites === 0
                  ? "No property is attached, or all of them are paused or their sites retired."
                  : "Every report that is due is stored."}
              </p>
              <Go to={paths.credentials} words="Credentials" />
            </Empty>
          ) : (
            <Block heading="By account" note="accounts run in parallel">
              <div class="stack tight">
                <List
                  of="What a run fetches, by account"
                  items={lanes.toSorted((one, other) => other.aboutMs - one.aboutMs)}
                  columns={[
                    ["Provider", ({ provider }) => PROVIDER_WORDS[provider]],
                    [
                      "Account",
                      ({ credential }) => (
                        <a href={paths.credential(credential)}>
                          <Told class="wrap">{labels.get(credential) ?? credential}</Told>
                        </a>
                      ),
                    ],
                    ["Reports", (lane) => formatCount(lane.reports), { numeric: true }],
                    ["Requests, at least", (lane) => formatCount(lane.requests), { numeric: true }],
                    ["About", (lane) => formatSpan(lane.aboutMs), { numeric: true }],
                  ]}
                />
                <p class="note">
                  A report that has grown needs more requests. You can stop a run at any time; what it stored
                  stays.
                </p>
                {isRunning ? null : (
                  <div class="row">
                    <Form action={paths.runJob(ARCHIVE_JOB)} class={null} hidden={[["to", paths.archive]]}>
                      <button class="btn primary">Start</button>
                    </Form>
                    <a class="btn bare" href={paths.archive}>
                      Cancel
                    </a>
                  </div>
                )}
              </div>
            </Block>
          )}
        </Page>
      );
    }),
  ]);
}
