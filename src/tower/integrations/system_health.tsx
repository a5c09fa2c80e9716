/** `/health`: what to do next, integrations by state, scheduled work, ingest, storage and the tests of rules. */

import type { Config } from "../../base/config.ts";
import { Problem } from "../../base/problem.ts";
import { byteWords, countWords as countOf } from "../../base/text.ts";
import { addDays, utcDayOf } from "../../base/time.ts";
import type { HealthState } from "../../health/health.ts";
import type { MonitoringFailure } from "../../health/monitoring.ts";
import type { HealthView } from "../../integrations/integrations.ts";
import type { MachineWatch } from "../../integrations/machine_watch.ts";
import type { HealthReader } from "../../integrations/reader.ts";
import { BACKUP_JOB, backupRun, findLastBackup, type LastBackup, ownBackups } from "../../keep/backup.ts";
import { archivedWords, findGrowth, type Growth } from "../../keep/growth.ts";
import { listOwnBackups, type OwnBackup, RESTORE_JOB, restoreRun } from "../../keep/restore_run.ts";
import { findBacklog } from "../../reports/pulse.ts";
import { CALIBRATION_DAYS } from "../../rules/calibration.ts";
import { sumTallies } from "../../rules/verdicts.ts";
import { type ConstantsStore, usualSilentHours } from "../../sites/constants_store.ts";
import type { RunningJob } from "../../store/job_runs.ts";
import type { Jobs } from "../../store/jobs.ts";
import type { Db } from "../../store/store.ts";
import { formatCount, formatDecimal } from "../format.ts";
import { type PageDeps, withNotice } from "../keyboard.tsx";
import { Act } from "../kit/field.tsx";
import { StateMark } from "../kit/glyph.tsx";
import { here } from "../kit/here.ts";
import { Code, Go, HelpLink, Told } from "../kit/links.tsx";
import { Block, List } from "../kit/list.tsx";
import { Live } from "../kit/live.tsx";
import { Callout, monitoringWords, severalWords } from "../kit/monitoring_words.tsx";
import { Clock, Day, Facts, Moment, When } from "../kit/proof.tsx";
import { get, healthView, mounted, post } from "../kit/route.ts";
import { Page } from "../layout.tsx";
import { paths } from "../paths.ts";
import { seeOther } from "../session.ts";
import { coverageWords, IntegrationsHead } from "./coverage.tsx";
import { IngestBlock, type IngestFacts, type IngestMemory, ingestFacts } from "./ingest_block.tsx";
import { type JobsDeps, JobTable, type JobView, jobViews, PROGRESS_PERIOD } from "./jobs.tsx";
import { idPart } from "./target_words.tsx";

/** What to do about Tower itself: the machine, and what is not watched. */

/** One thing of Tower itself that needs somebody. */
type NextStep =
  | { readonly is: "unwatched"; readonly failures: readonly [MonitoringFailure, ...MonitoringFailure[]] }
  | { readonly is: "storage"; readonly words: string };

/** Most that a row names of several. */
const MOST_NAMED = 50;

/** The machine, then what is not watched. */
export const nextSteps = (view: HealthView, warnings: readonly string[]): NextStep[] => [
  ...warnings.map((words): NextStep => ({ is: "storage", words })),
  ...unwatchedSteps(view.monitoring),
];

/** One row for each cause: what one thing keeps from being watched on many sites is one of these. */
function unwatchedSteps(failures: readonly MonitoringFailure[]): NextStep[] {
  const groups = Map.groupBy(failures, ({ kind, reason, asset, subject }) =>
    JSON.stringify([kind, reason, asset === "" ? subject : ""]),
  );
  return [...groups.values()].flatMap(([first, ...others]): NextStep[] =>
    first === undefined ? [] : [{ is: "unwatched", failures: [first, ...others] }],
  );
}

function NextSteps({ steps, view }: { readonly steps: readonly NextStep[]; readonly view: HealthView }) {
  return (
    <Block id="next" heading="Tower itself" note={steps.length < 2 ? undefined : "worst first"}>
      <List
        class="acts-t"
        of="What to do about Tower itself, worst first"
        items={steps}
        id={idOf}
        empty={<NothingToDo view={view} />}
        columns={[
          ["State", (step) => <StateMark state={stateOf(step)} />, { label: false }],
          ["What", (step) => <What step={step} />, { names: true }],
          ["What happened", (step) => <Why step={step} />, { class: "all" }],
          ["Since", (step) => <Since step={step} />, { class: "nowrap" }],
          ["What to do", (step) => <StepAction step={step} />, { class: "all" }],
        ]}
      />
    </Block>
  );
}

/** Nothing is to be done: an all-clear only where all of it could be read. */
function NothingToDo({ view: { coverage } }: { view: HealthView }) {
  if (coverage.state === "complete") return <p>Nothing is wrong with Tower itself.</p>;
  if (coverage.state !== "empty") {
    return <p>Nothing is wrong with what could be read. What could not be read is not known.</p>;
  }
  return (
    <div class="stack tight">
      <p>Tower watches nothing yet.</p>
      <p>
        <Go to={paths.newSite} words="Add a site" primary />
      </p>
    </div>
  );
}

function idOf(step: NextStep): string {
  const of = step.is === "unwatched" ? keyOf(step.failures[0]) : step.words;
  return `next-${step.is}-${idPart(of).slice(0, 120)}`;
}

const keyOf = ({ kind, asset, source, subject }: MonitoringFailure) =>
  [kind, asset, source, subject].join("-");

/** What is not watched is not known; a machine in trouble keeps what is watched from being stored. */
function stateOf(step: NextStep): HealthState {
  return step.is === "unwatched" ? "unknown" : "failing";
}

function What({ step }: { step: NextStep }) {
  if (step.is === "storage") return <>This machine</>;
  return <Unwatched failures={step.failures} id={idOf(step)} />;
}

function Unwatched({
  failures,
  id,
}: {
  failures: readonly [MonitoringFailure, ...MonitoringFailure[]];
  id: string;
}) {
  const [first] = failures;
  if (failures.length === 1) return <Told class="wrap">{monitoringWords(first).what}</Told>;
  const named = failures.slice(0, MOST_NAMED);
  return (
    <details id={`${id}-of`}>
      <summary>{severalWords(first.kind, failures.length)}</summary>
      <ul>
        {named.map((failure) => {
          const { what, link } = monitoringWords(failure);
          return (
            <li>
              <a href={link.href}>
                <Told class="wrap">{what}</Told>
              </a>
            </li>
          );
        })}
        {named.length === failures.length ? null : (
          <li>and {formatCount(failures.length - named.length)} more</li>
        )}
      </ul>
    </details>
  );
}

function Why({ step }: { step: NextStep }) {
  if (step.is === "storage") return <Told class="wrap">{step.words}</Told>;
  const { lacks } = monitoringWords(step.failures[0]);
  return (
    <>
      <b>Not watched</b>{" "}
      <small class="block-sm">
        <Told class="wrap">{step.failures[0].reason}</Told> {lacks}
      </small>
    </>
  );
}

function Since({ step }: { step: NextStep }) {
  const known = step.is === "unwatched" ? step.failures.flatMap(({ since }) => since ?? []) : [];
  return known.length === 0 ? null : <Moment at={Math.min(...known)} />;
}

function StepAction({ step }: { step: NextStep }) {
  if (step.is === "storage") return <a href="#storage">Storage</a>;
  const { action, link } = monitoringWords(step.failures[0]);
  return (
    <>
      {action}{" "}
      {step.failures.length > 1 ? null : (
        <a class="nowrap" href={link.href}>
          {link.words}
        </a>
      )}
    </>
  );
}

interface StorageFacts {
  readonly database: number | undefined;
  readonly log: number;
  readonly diskFree: number | undefined;
  /** Undefined while too few days were measured. */
  readonly growth: Growth | undefined;
  /** Whether writes are refused now. */
  readonly refusing: boolean;
  /** What the objects of the archive take, in words; undefined where that was never measured. */
  readonly archive: string | undefined;
  /** The last backup that was made while the service ran. */
  readonly lastBackup: LastBackup | undefined;
  /** Those that were asked for here, where they lie, and what is done with them now. */
  readonly backups: {
    readonly folder: string;
    readonly newest: readonly OwnBackup[];
    readonly running: RunningJob | undefined;
  };
}

/** The room that all of it takes. */
function StorageBlock({ facts }: { facts: StorageFacts }) {
  const { database, log, diskFree, growth, refusing, archive, lastBackup, backups } = facts;
  return (
    <Block
      id="storage"
      heading="Storage"
      note={refusing ? <StateMark state="failing">nothing can be stored</StateMark> : undefined}
    >
      <Facts
        facts={[
          ["Database", bytesOrUnknown(database)],
          ["Write-ahead log", byteWords(log)],
          ["Free on its disk", bytesOrUnknown(diskFree)],
          ["Growth for a site and year", <GrowthWords growth={growth} />],
          ["Disk full at this rate", <FullWords growth={growth} />],
          [
            "Archive",
            <>
              {archive ?? "Not measured yet"} <a href={paths.archive}>Archive</a>
            </>,
          ],
          [
            "Last backup",
            lastBackup === undefined ? (
              <span class="dim">No backup recorded</span>
            ) : (
              <>
                <When at={lastBackup.at} />
                <ArchiveOfBackup {...lastBackup} />
              </>
            ),
          ],
        ]}
      />
      <Backups of={backups} />
    </Block>
  );
}

function Backups({ of: { folder, newest, running } }: { of: StorageFacts["backups"] }) {
  return (
    <Live
      id="backup"
      href={running === undefined ? null : paths.health}
      every={PROGRESS_PERIOD}
      class="stack tight"
      status
    >
      {running === undefined ? (
        <Act action={paths.backups} words="Back up now" />
      ) : (
        <Progress running={running} />
      )}
      <p class="note">
        Into <Code>{folder}</Code>: copy it to another disk.{" "}
        <a href={paths.helpAbout("operating", "restore")}>How to restore</a>
      </p>
      {newest.map(({ name, bytes, restoredInto }) => (
        <div class="row">
          <span>
            <Code>{name}</Code> {byteWords(bytes)}
          </span>
          {restoredInto !== undefined ? (
            <p class="note">
              Restored. Tower goes on from it when it is stopped and started with{" "}
              <Code>{`DATA_DIR=${restoredInto}`}</Code>
            </p>
          ) : running === undefined ? (
            <Act action={paths.restoreBackup(name)} words="Restore into a new folder" on={name} />
          ) : null}
        </div>
      ))}
    </Live>
  );
}

/** How far a backup is, or that one is being restored. */
function Progress({ running: { job, startedAt, progress } }: { running: RunningJob }) {
  return (
    <p>
      {job === BACKUP_JOB ? "Backing up" : "Restoring"} since <Clock at={startedAt} seconds /> UTC
      {progress === undefined
        ? "."
        : `: ${formatCount(progress.done)} of ${countOf(progress.of, "archived report")}.`}
    </p>
  );
}

function GrowthWords({ growth }: { growth: Growth | undefined }) {
  if (growth === undefined) return <span class="dim">Not known before a week is measured</span>;
  if (growth.kinds.length === 0) return <>None in the last weeks</>;
  return (
    <>
      {growth.kinds.map(({ kind, bytes }) => (
        <div>
          {byteWords(bytes)} of {kind}
        </div>
      ))}
    </>
  );
}

/** A date that is further away says nothing any more, in milliseconds. */
const FAR_MS = 20 * 365 * 86_400_000;

function FullWords({ growth }: { growth: Growth | undefined }) {
  const fullAt = growth?.fullAt;
  if (fullAt === undefined) return <span class="dim">Not known</span>;
  return fullAt - here().now > FAR_MS ? <>Not within 20 years</> : <Day day={utcDayOf(fullAt)} />;
}

/** What of the archive went along with it. */
function ArchiveOfBackup({ lacking }: LastBackup) {
  if (lacking === undefined) return <>, without the objects of the archive</>;
  if (lacking === 0) return null;
  return (
    <>
      {" "}
      <StateMark state="failing">{`${countOf(lacking, "object")} of the archive could not be copied`}</StateMark>
    </>
  );
}

function bytesOrUnknown(bytes: number | undefined) {
  return bytes === undefined ? <span class="dim">not known</span> : byteWords(bytes);
}

interface RuleFacts {
  readonly days: number;
  readonly tests: number;
  readonly notTested: number;
  readonly raised: number;
  readonly expected: number;
  /** Nightly reports that wait to be judged. */
  readonly waiting: number;
}

/** What the page is read from, beside the one view. */
interface SystemDeps extends JobsDeps, IngestMemory {
  readonly db: Db;
  readonly config: Pick<Config, "s3" | "dataDir">;
  readonly constants: Pick<ConstantsStore, "current">;
  readonly machine: Pick<MachineWatch, "warnings" | "figures">;
}

/** The system at a moment. */
interface SystemFacts {
  readonly view: HealthView;
  readonly steps: readonly NextStep[];
  readonly jobs: readonly JobView[];
  readonly ingest: IngestFacts;
  readonly silentHours: number;
  readonly storage: StorageFacts;
  readonly rules: RuleFacts;
}

function readSystem(deps: SystemDeps, view: HealthView, now: number): SystemFacts {
  const { db, config, jobs, constants, machine } = deps;
  const today = utcDayOf(now);
  const found = machine.figures();
  const [, days] = CALIBRATION_DAYS;
  const tally = sumTallies(db, addDays(today, 1 - days));
  return {
    view,
    steps: nextSteps(view, machine.warnings()),
    jobs: jobViews({ db, jobs }, ({ recorded }) => !recorded, { now, failures: view.monitoring }),
    ingest: ingestFacts(view, deps, now),
    silentHours: usualSilentHours(constants.current().constants),
    storage: {
      database: found.databaseBytes,
      log: found.logBytes,
      diskFree: found.diskFree,
      growth: findGrowth(db, config, { free: found.diskFree, now }),
      refusing: found.refusing,
      archive: archivedWords(db, now),
      lastBackup: findLastBackup(db),
      backups: {
        folder: ownBackups(config.dataDir),
        newest: listOwnBackups(config.dataDir),
        running: jobs.running().find(({ job }) => job === BACKUP_JOB || job === RESTORE_JOB),
      },
    },
    rules: { days, ...tally, waiting: findBacklog(db).reports },
  };
}

/** System health: what to do next, how much is watched, and what Tower itself does. */
function SystemHealthPage({ system }: { system: SystemFacts }) {
  const { view } = system;
  const { days, tests, notTested, raised, expected, waiting } = system.rules;
  return (
    <Page title={titleOf(system)} current="integrations">
      <IntegrationsHead current="health" sentence={coverageWords(view)}>
        <HelpLink
          to={paths.helpAbout("operating", "when-something-is-wrong")}
          about="when something is wrong"
        />
      </IntegrationsHead>
      <NotAllClear system={system} />
      <NextSteps steps={system.steps} view={view} />
      <Scheduled jobs={system.jobs} />
      <div class="halves quarters">
        <IngestBlock facts={system.ingest} silentHours={system.silentHours} />
        <StorageBlock facts={system.storage} />
        {/* The tests of rules, beside what chance alone would raise. */}
        <Block id="rules" heading="Tests of rules" note={`the last ${days} days`}>
          <Facts
            facts={[
              ["Tests run", tests === 0 ? <span class="dim">none yet</span> : formatCount(tests)],
              ["Not tested", notTested === 0 ? "none" : formatCount(notTested)],
              [
                "Flags raised",
                tests === 0
                  ? null
                  : `${formatCount(raised)}, about ${formatDecimal(expected)} expected by chance`,
              ],
              ["Waiting to be checked", waiting === 0 ? "none" : countOf(waiting, "nightly report")],
            ]}
          />
          <p class="note">
            <a href={paths.calibration}>Calibration</a>
          </p>
        </Block>
      </div>
    </Page>
  );
}

/** What Tower does by itself and asks nobody for, and whether it did: behind it the small jobs that keep house. */
function Scheduled({ jobs }: { jobs: readonly JobView[] }) {
  const others = jobs.filter(({ job, trouble }) => trouble === undefined && HOUSEKEEPING.has(job));
  return (
    <Block
      id="scheduled"
      heading="Scheduled work"
      note={
        <>
          Tower's own jobs; those that ask providers are under <a href={paths.runs}>Runs</a>
        </>
      }
    >
      <JobTable jobs={jobs.filter((job) => !others.includes(job))} caption="Scheduled work" />
      <details id="scheduled-others">
        <summary>{countOf(others.length, "maintenance job")}</summary>
        <JobTable jobs={others} caption="Maintenance jobs" />
      </details>
    </Block>
  );
}

const HOUSEKEEPING: ReadonlySet<string> = new Set([
  "constants",
  "heartbeat",
  "refusals",
  "bodies",
  "attempts",
  "growth",
  "token-uses",
]);

/** What keeps this page from being an all-clear; nothing where everything that is set up could be judged. */
function NotAllClear({ system }: { system: SystemFacts }) {
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

function findBackup({ config }: Pick<SystemDeps, "config">, name: string): OwnBackup {
  const found = listOwnBackups(config.dataDir).find((backup) => backup.name === name);
  if (found === undefined) throw new Problem("not-found", "No such backup.");
  return found;
}

export function healthRoutes(
  deps: PageDeps &
    SystemDeps &
    Parameters<typeof backupRun>[0] & {
      readonly health: HealthReader;
      readonly jobs: Pick<Jobs, "start">;
    },
) {
  const { health, jobs } = deps;
  return mounted(deps, [
    get(paths.health, {}, ({ request, now }) => {
      const view = healthView(request, health, now);
      return <SystemHealthPage system={readSystem(deps, view, now)} />;
    }),
    post(paths.backups, {}, async ({ actor, by }) => {
      const { isNew } = await jobs.start(backupRun(deps, by.actor), `operator:${actor.name}`);
      return seeOther(withNotice(paths.health, isNew ? "backup-begun" : "backup-busy"));
    }),
    post(
      paths.restoreBackup,
      { find: ({ name }) => findBackup(deps, name) },
      async ({ found, actor, by }) => {
        const { isNew } = await jobs.start(restoreRun(deps, found.name, by.actor), `operator:${actor.name}`);
        return seeOther(withNotice(paths.health, isNew ? "restore-begun" : "restore-busy"));
      },
    ),
  ]);
}
