import type { RunningJob } from "../../jobs/mod.ts";
import { Act } from "../component/form.tsx";
import { askedByWords } from "../component/job_words.ts";
import { Meter } from "../component/meter.tsx";
import { Told } from "../component/text.tsx";
import { Clock } from "../component/time.tsx";
import { formatCount } from "../format.ts";
import { paths } from "../paths.ts";

/** How often a part that shows a run under way asks for itself, in seconds. */
export const PROGRESS_PERIOD = 5;

/** A run under way: how far it is, and what it asked last. */
export function RunProgress({ running }: { readonly running: RunningJob }) {
  const { run, startedAt, askedBy, progress, isStopping } = running;
  return (
    <div class="stack tight">
      <p>
        {isStopping ? "Ending now, running" : "Running"} since <Clock at={startedAt} seconds /> UTC, asked for
        by <Told>{askedByWords(askedBy)}</Told>.{" "}
        {isStopping ? (
          // What is given up counts as over, and was not asked.
          "What is not asked yet is given up."
        ) : progress === undefined ? (
          "It has just begun."
        ) : (
          <>
            <b>
              {formatCount(progress.done)} of {formatCount(progress.of)}
            </b>{" "}
            asked
            {progress.what === "" ? null : (
              <>
                , last <Told>{progress.what}</Told>
              </>
            )}
            .
          </>
        )}
      </p>
      {isStopping || progress === undefined || progress.of === 0 ? null : (
        <Meter share={progress.done / progress.of} />
      )}
      {isStopping ? null : <Act action={paths.stopRun(run)} words="Stop this run" />}
    </div>
  );
}
