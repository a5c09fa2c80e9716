/** What every kind of monitoring failure is called, what it means and what to do about it: the one place of its words. */

import { capabilityOf } from "../../health/catalogue.ts";
import type { HealthState } from "../../health/health.ts";
import type { MonitoringFailure, MonitoringKind } from "../../health/monitoring.ts";
import { seriesName, sourceName } from "../../sites/rule_catalogue.ts";
import { formatCount } from "../format.ts";
import type { Child } from "../jsx/child.ts";
import { paths } from "../paths.ts";
import { jobSentence, jobTitle } from "./job_words.ts";
import { Told } from "./links.tsx";
import { Moment } from "./proof.tsx";

/** A failure as a page tells it, beside its own reason. */
interface MonitoringWords {
  /** What is not watched, as the subject of a line. Ids and names that others gave may stand in it. */
  readonly what: string;
  /** What is missing while it lasts, of a job what it does; "" where its reason says it. */
  readonly lacks: string;
  /** Who must act, in a sentence. */
  readonly action: string;
  readonly link: { readonly href: string; readonly words: string };
}

type Telling = (failure: MonitoringFailure, isRecorded: boolean) => MonitoringWords;

const ofSite = (asset: string) => (asset === "" ? "" : ` of ${asset}`);

const TOLD: Readonly<Record<MonitoringKind, Telling>> = {
  constants: () => ({
    what: "The constants document",
    lacks: "",
    action: "Correct the document, or save a version of it anew.",
    link: { href: paths.constants, words: "Constants" },
  }),
  rule: ({ asset, source, subject }) => ({
    what: `The rules on ${subject === "" ? `what ${sourceName(source)} told` : seriesName(subject, source)}${ofSite(asset)}`,
    lacks: "No flag can be raised of it.",
    action: "Clears after the next report that can be checked.",
    link: { href: asset === "" ? paths.portfolio : paths.site(asset), words: "Open the site" },
  }),
  recorder: ({ asset, subject }) => ({
    what: `The health of ${capabilityOf(subject)?.label ?? "an integration"}${ofSite(asset)}`,
    lacks: "What was asked and sent is stored, but what came of it is not recorded.",
    action: "Nothing is sent again. It ends with the next outcome that is recorded.",
    link: {
      href: asset === "" ? paths.integrations : paths.siteIntegrations(asset),
      words: "Integrations",
    },
  }),
  job: ({ subject }, isRecorded) => ({
    what: `The job “${jobTitle(subject)}”`,
    lacks: jobSentence(subject),
    action: isRecorded
      ? "Stop a run that hangs, or run it now; it ends with the next run that comes off."
      : "Clears after the next successful run. Restart Tower if it lasts; the log names the cause.",
    link: isRecorded
      ? { href: `${paths.runs}#job-${subject}`, words: "Runs" }
      : { href: `${paths.health}#scheduled`, words: "Scheduled work" },
  }),
  credentials: ({ subject }) => ({
    what: "A credential",
    lacks: "Nothing is asked with it.",
    action: "Put the installation's key back, or replace the secret.",
    link: { href: paths.credential(subject), words: "Open the credential" },
  }),
  archive: () => ({
    what: "The archive",
    lacks: "What they hold is not served.",
    action:
      "Put them back from a backup and run tower archive verify; a report that is fetched again is stored again.",
    link: { href: paths.archive, words: "Archive" },
  }),
};

/** Jobs whose runs are kept, which can be run and stopped by hand. */
const RECORDED = ["sense", "webmaster-tools", "analysis", "calendars", "panels"];

/** A failure in words. */
export function monitoringWords(failure: MonitoringFailure): MonitoringWords {
  return TOLD[failure.kind](failure, RECORDED.includes(failure.subject));
}

/** A passage that must not be missed. `alert` interrupts a screen reader, `status` waits for a pause. */

export function Callout(props: {
  readonly tone?: HealthState | undefined;
  readonly role?: "alert" | "status" | undefined;
  readonly id?: string | undefined;
  readonly children: Child;
}) {
  return (
    <div class="callout" data-state={props.tone} role={props.role} id={props.id}>
      {props.children}
    </div>
  );
}

/** Most failures named; System health has all of them. */

const MOST_NAMED = 5;

/** What should be watched on a page and is not; nothing while all of it is. */
export function MonitoringNotice(props: { readonly failures: readonly MonitoringFailure[] }) {
  const { failures } = props;
  const more = failures.length - MOST_NAMED;
  if (failures.length === 0) return null;
  return (
    <Callout tone="unknown" id="not-watched">
      <p>
        <b>Not everything here is watched.</b> This is not an all-clear.{" "}
        <a href={paths.health}>System health</a>
      </p>
      <ul>
        {failures.slice(0, MOST_NAMED).map((failure) => {
          const { what, lacks, action, link } = monitoringWords(failure);
          return (
            <li>
              <Told class="wrap">{what}</Told>, since <Moment at={failure.since} />:{" "}
              <Told class="wrap">{failure.reason}</Told> {lacks} {action} <a href={link.href}>{link.words}</a>
            </li>
          );
        })}
        {more > 0 ? <li>And {formatCount(more)} more.</li> : null}
      </ul>
    </Callout>
  );
}
