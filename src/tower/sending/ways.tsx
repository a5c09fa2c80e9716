import { Copy } from "../component/copy.tsx";
import { type Destination, localCommand, nightlyCommand, workflowJob } from "./commands.ts";

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

/** How to send a nightly report: one line to try it. */
export function NightlyWay({ destination }: { readonly destination: Destination }) {
  return (
    <div class="stack tight">
      <p>Sends one test metric. The site's own scheduler sends the real ones once a night.</p>
      <Copy id="way-nightly" label="nightly report" text={nightlyCommand(destination)} />
    </div>
  );
}
