import { SECRETS } from "../../action/mod.ts";
import { Copy } from "../component/copy.tsx";
import { Facts } from "../component/facts.tsx";
import { actionCommand, type Destination, localCommand, nightlyCommand, workflowText } from "./commands.ts";
import { minuteText, nightlyCrontab, nightlyMinute, tokenFileCommand } from "./cron.ts";

/** Where reports go, in one sentence: on a fresh installation that is this computer only. */
export function IngestNote({ destination }: { readonly destination: Destination }) {
  const { ingest, loopback, container } = destination;
  if (!loopback) {
    return (
      <p class="note">
        Reports go to <code>{ingest}</code>. The Tower's own address never receives reports.
      </p>
    );
  }
  if (container !== null) {
    return (
      <p class="note">
        Reports are received in Tower's container, and at <code>{ingest}</code> on the computer that runs it
        while that port is published (<code>-p</code> of <code>docker run</code>). Sites elsewhere need an
        address that they reach: set <code>INGEST_PUBLIC_URL</code> to it. The Tower's own address never
        receives reports.
      </p>
    );
  }
  return (
    <p class="note">
      Reports are received on this computer only, at <code>{ingest}</code>, unless the installation publishes
      an ingest address (<code>INGEST_HOST</code> and <code>INGEST_PUBLIC_URL</code>). The Tower's own address
      never receives reports.
    </p>
  );
}

/** The ways to send a codebase report: local command, workflow action, and the one that is not built. */
export function CodebaseWays({ destination }: { readonly destination: Destination }) {
  const { container } = destination;
  return (
    <div class="ways">
      <h3>Local command</h3>
      <p>
        Measures a checkout on the computer Tower runs on and posts the report
        {container === null ? "; it is run in Tower's own folder" : ""}. Add{" "}
        <code>--measure build_passed=1</code>, <code>--measure tests_passed=1</code> or{" "}
        <code>--measure vulnerable_dependencies=0</code> at its end to pass in what the measuring does not do
        itself.
      </p>
      <Copy id="way-local" label="local command" text={localCommand(destination)} />
      {container === null ? null : (
        <p class="note">
          It runs the measuring image in the network of the container <code>{container}</code>. The image is
          made once, in Tower's own folder: <code>docker build --target measure -t tower-measure .</code>
        </p>
      )}
      <details>
        <summary>Repository workflow action</summary>
        <div class="stack tight">
          <p>
            Runs on push to the main branch, weekly and on demand. This command writes the action and its
            workflow into a checkout of the site's repository
            {container === null ? ", and is run in Tower's own folder, too" : ""}; commit them. The runner
            builds the measuring image itself, so nothing has to be published. For other places than GitHub
            add <code>--for forgejo</code>, <code>gitea</code> or <code>gitlab</code>.
          </p>
          <Copy id="way-action-write" label="write the action" text={actionCommand(destination)} />
          <p>It posts when both secrets of the repository are set:</p>
          <Facts
            facts={[
              [SECRETS.ingest, <SecretIngest destination={destination} />],
              [SECRETS.token, "this site's token"],
            ]}
          />
          <p>
            Otherwise, and when the report does not arrive, the job stays green with a word about it, and the
            report is kept as an artifact of the workflow. The inputs <code>build-passed</code>,{" "}
            <code>tests-passed</code> and <code>vulnerable-dependencies</code> carry the three checks. This is
            the workflow that is written:
          </p>
          <Copy id="way-action" label="workflow" text={workflowText(destination)} />
        </div>
      </details>
      <p class="row">
        <b>Central pull</b> <span class="tag">Coming later</span> <span class="dim">It is not built.</span>
      </p>
    </div>
  );
}

/** What the secret holds, and who reaches that. */
function SecretIngest({ destination }: { readonly destination: Destination }) {
  const { ingest, loopback, container } = destination;
  if (!loopback) return <code>{ingest}</code>;
  return (
    <>
      No hosted runner reaches this installation: until it publishes an ingest address, leave it out, and each
      report is kept as an artifact.
      {container === null ? (
        <>
          {" "}
          A runner on this computer posts to <code>{ingest}</code>.
        </>
      ) : null}
    </>
  );
}

/** How to send a nightly report: one line to try it, and the line for the site's scheduler. */
export function NightlyWay({ destination }: { readonly destination: Destination }) {
  return (
    <div class="stack tight">
      <TryNightly destination={destination} />
      <EveryNight destination={destination} />
    </div>
  );
}

/** Why nobody sends a nightly report for the service's own site. */
export const OWN_NIGHTLY =
  "Tower writes this one by itself, once a day: which sites reported, and how often.";

/** One report, sent by hand. */
export function TryNightly({ destination }: { readonly destination: Destination }) {
  return (
    <>
      <p>
        Sends one report with one real figure: the free disk space of the computer it runs on. It becomes
        today's newest revision, so do not run it after the real report.
      </p>
      <Copy id="way-nightly" label="nightly report" text={nightlyCommand(destination)} />
    </>
  );
}

/** The line for the site's scheduler, and the file that it reads. */
export function EveryNight({ destination }: { readonly destination: Destination }) {
  const at = minuteText(nightlyMinute(destination.asset));
  return (
    <>
      <p>Then, once, the token in a file that only this user can read, for the site's own scheduler:</p>
      <Copy id="way-token-file" label="token file" text={tokenFileCommand(destination)} />
      <p>
        Every night at {at} UTC, from the site's own crontab, which reads that file. Put your own figures
        beside <code>free_disk_mb</code>, for example <code>{'"signups":{"last24h":3,"total":120}'}</code>.
        Leave out what is not measured.
      </p>
      <Copy id="way-crontab" label="crontab line" text={nightlyCrontab(destination)} />
      <p class="note">
        {at} UTC is picked from the site's name, between 01:00 and 05:00, so that sites do not all send at
        once. A cron without <code>CRON_TZ</code> runs in its own time zone. {MIDNIGHT_HINT}
      </p>
    </>
  );
}

/** Why a report is not made close to midnight. */
export const MIDNIGHT_HINT =
  "Keep away from 00:00 UTC: made within 30 minutes of midnight, jitter would double one day and empty the next.";
