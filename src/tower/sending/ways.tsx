import { Copy } from "../component/copy.tsx";
import { type Destination, localCommand, nightlyCommand, workflowJob } from "./commands.ts";
import { minuteText, nightlyCrontab, nightlyMinute, tokenFileCommand } from "./cron.ts";

/** Where reports go, in one sentence: on a fresh installation that is this computer only. */
export function IngestNote({ destination }: { readonly destination: Destination }) {
  if (!destination.loopback) {
    return (
      <p class="note">
        Reports go to <code>{destination.ingest}</code>. The Tower's own address never receives reports.
      </p>
    );
  }
  return (
    <p class="note">
      Reports are received on this computer only, at <code>{destination.ingest}</code>, unless the
      installation publishes an ingest address (<code>INGEST_HOST</code> and <code>INGEST_PUBLIC_URL</code>).
      The Tower's own address never receives reports.
    </p>
  );
}

/** The ways to send a codebase report: local command, workflow action, and the one that is not built. */
export function CodebaseWays({ destination }: { readonly destination: Destination }) {
  return (
    <div class="ways">
      <h3>Local command</h3>
      <p>
        Measures a checkout on the computer Tower runs on and posts the report. Add{" "}
        <code>--measure build_passed=1</code>, <code>--measure tests_passed=1</code> or{" "}
        <code>--measure vulnerable_dependencies=0</code> to pass in what the measuring does not do itself.
      </p>
      <Copy id="way-local" label="local command" text={localCommand(destination)} />
      <details>
        <summary>Repository workflow action</summary>
        <div class="stack tight">
          <p>
            Runs on push to the main branch, weekly and on demand. It posts when both repository secrets,{" "}
            <code>INGEST_URL</code> and <code>ASSET_TOKEN</code>, are set; otherwise it keeps the report as an
            artifact of the workflow. Copy <code>.github/actions/codebase-report</code> from Tower's
            repository into yours. The inputs <code>build-passed</code>, <code>tests-passed</code> and{" "}
            <code>vulnerable-dependencies</code> carry the three checks.
          </p>
          <Copy id="way-action" label="workflow" text={workflowJob(destination)} />
        </div>
      </details>
      <p class="row">
        <b>Central pull</b> <span class="tag">Coming later</span> <span class="dim">It is not built.</span>
      </p>
    </div>
  );
}

/** How to send a nightly report: one line to try it, and the line for the site's scheduler. */
export function NightlyWay({ destination }: { readonly destination: Destination }) {
  const at = minuteText(nightlyMinute(destination.asset));
  return (
    <div class="stack tight">
      <p>
        Sends one report without metrics, to try the way. It becomes the newest revision of today, so do not
        run it after the real one.
      </p>
      <Copy id="way-nightly" label="nightly report" text={nightlyCommand(destination)} />
      <p>Then, once, the token in a file that only this user can read, for the site's own scheduler:</p>
      <Copy id="way-token-file" label="token file" text={tokenFileCommand(destination)} />
      <p>
        Every night at {at} UTC, from the site's own crontab, which reads that file. Put the figures into{" "}
        <code>metrics</code>, for example <code>{'"signups":{"last24h":3,"total":120}'}</code>; leave out what
        is not measured.
      </p>
      <Copy id="way-crontab" label="crontab line" text={nightlyCrontab(destination)} />
      <p class="note">
        {at} UTC is picked from the site's name, between 01:00 and 05:00, so that sites do not all send at
        once. A cron without <code>CRON_TZ</code> runs in its own time zone. {MIDNIGHT_HINT}
      </p>
    </div>
  );
}

/** Why a report is not made close to midnight. */
export const MIDNIGHT_HINT =
  "Keep away from 00:00 UTC: made within 30 minutes of midnight, jitter would double one day and empty the next.";
