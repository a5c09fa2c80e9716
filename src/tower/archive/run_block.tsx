/** The job that fills the archive: what it came to last, what it would ask, and how far it is. */

import { AttemptCounts, RunMark } from "../integrations/attempts_table.tsx";
import { PROGRESS_PERIOD, RunProgress } from "../integrations/run_page.tsx";
import type { JobView } from "../integrations/runs_view.ts";
import { Block } from "../kit/block.tsx";
import { jobSentence, timesInWords } from "../kit/job_words.ts";
import { Go } from "../kit/links.tsx";
import { Live } from "../kit/live.tsx";
import { Callout } from "../kit/monitoring_words.tsx";
import { Age, Moment } from "../kit/proof.tsx";
import { paths } from "../paths.ts";

/** The part that asks for itself while a run is under way. */
export function RunBlock({ job }: { job: JobView }) {
  const { running, next, asksNobody, rests } = job;
  const [last] = job.runs;
  return (
    <Live id="archive-run" href={running === undefined ? null : paths.archiveNow} every={PROGRESS_PERIOD}>
      <Block
        id="runs"
        heading="Runs"
        note={`${timesInWords(job.at)}${running === undefined ? "" : ", running now"}`}
        tools={
          running === undefined && !asksNobody ? <Go to={paths.archiveRun} words="Archive now" /> : undefined
        }
      >
        <div class="stack tight">
          {running === undefined ? null : <RunProgress running={running} />}
          {rests ? (
            <Callout tone="stale">
              <p>
                The last runs broke off, so that the schedule leaves it alone for a while. “Archive now” does
                not wait.
              </p>
            </Callout>
          ) : null}
          <p class="note">{jobSentence(job.job)}</p>
          <dl class="facts">
            <dt>Last run</dt>
            <dd>
              {last === undefined ? (
                "none yet"
              ) : (
                <div class="row tight">
                  <a href={paths.run(last.run)}>
                    <Moment at={last.startedAt} />
                  </a>
                  <RunMark end={last.end} />
                  {last.end === undefined ? null : (
                    <AttemptCounts job={job.job} run={last.run} reports={last.end.reports} isOver />
                  )}
                </div>
              )}
            </dd>
            <dt>Next run</dt>
            <dd>
              <Moment at={next} /> UTC{" "}
              <small>
                (<Age at={next} />)
              </small>
            </dd>
          </dl>
        </div>
      </Block>
    </Live>
  );
}
