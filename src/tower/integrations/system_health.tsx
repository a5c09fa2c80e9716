/** `/health`: what to do next, integrations by state, scheduled work, ingest, provider allowance, storage and the tests of rules. */

import { type ArchiveTotal, listTotals } from "../../archive/manifest.ts";
import type { Config } from "../../base/config.ts";
import { byteWords, countWords as countOf } from "../../base/text.ts";
import { addDays, startOfDay, utcDayOf } from "../../base/time.ts";
import type { HealthView } from "../../integrations/integrations.ts";
import type { MachineWatch } from "../../integrations/machine_watch.ts";
import type { HealthReader } from "../../integrations/reader.ts";
import { findLastBackup, type LastBackup } from "../../keep/backup.ts";
import { findGrowth, type Growth } from "../../keep/growth.ts";
import { PACKABLE_CODEBASE_REPORTS } from "../../reports/codebase.ts";
import { countPacks } from "../../reports/packing.ts";
import { findBacklog, PACKABLE_PULSES } from "../../reports/pulse.ts";
import { CALIBRATION_DAYS } from "../../rules/calibration.ts";
import { sumTallies } from "../../rules/verdicts.ts";
import { countAttemptPacks } from "../../signals/attempt_packs.ts";
import { listMetLimits } from "../../signals/pull_standing.ts";
import { type ConstantsStore, usualSilentHours } from "../../sites/constants_store.ts";
import type { Db } from "../../store/store.ts";
import { formatCount, formatDecimal } from "../format.ts";
import type { PageDeps } from "../keyboard.tsx";
import { Block } from "../kit/block.tsx";
import { StateMark } from "../kit/glyph.tsx";
import { here } from "../kit/here.ts";
import { HelpLink } from "../kit/links.tsx";
import { Callout } from "../kit/monitoring_words.tsx";
import { Day, Moment, When } from "../kit/proof.tsx";
import { get, healthView, mounted } from "../kit/route.ts";
import { Facts } from "../kit/term.tsx";
import { Page } from "../layout.tsx";
import { paths } from "../paths.ts";
import { type Allowance, allowances, type Limit } from "./allowance.ts";
import { coverageWords, IntegrationsHead } from "./coverage.tsx";
import { IngestBlock, type IngestFacts, type IngestMemory, ingestFacts } from "./ingest_block.tsx";
import { type JobsDeps, JobTable, type JobView, jobViews } from "./jobs.tsx";
import { type NextStep, NextSteps, nextSteps } from "./next_steps.tsx";

interface StorageFacts {
  readonly database: number | undefined;
  readonly log: number;
  readonly diskFree: number | undefined;
  /** Undefined while too few days were measured. */
  readonly growth: Growth | undefined;
  /** Whether writes are refused now. */
  readonly refusing: boolean;
  /** Packs of reports and of attempts. */
  readonly packs: { readonly reports: number; readonly attempts: number };
  /** Objects of the archive, and their bytes as they are stored. */
  readonly archive: { readonly objects: number; readonly storedBytes: number };
  /** The last backup that was made while the service ran. */
  readonly lastBackup: LastBackup | undefined;
}

/** The room that all of it takes. */
function StorageBlock({ facts }: { facts: StorageFacts }) {
  const { database, log, diskFree, growth, refusing, packs, archive, lastBackup } = facts;
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
          ["Packs", `${formatCount(packs.reports)} of reports, ${formatCount(packs.attempts)} of attempts`],
          [
            "Archive",
            <>
              {countOf(archive.objects, "object")}, {byteWords(archive.storedBytes)}{" "}
              <a href={paths.archive}>Archive</a>
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
    </Block>
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

function LimitWords({ limit }: { limit: Limit }) {
  const { since, until, holds, isBudget } = limit;
  const what = isBudget ? "Used up" : "Limited";
  if (holds) {
    return (
      <b>
        {what} since <Moment at={since} />
        {until === undefined ? null : ["; not asked before ", <Moment at={until} />]}
      </b>
    );
  }
  return (
    <>
      {what} <Moment at={since} />
      {until === undefined ? null : [" to ", <Moment at={until} />]}
    </>
  );
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
  readonly config: Pick<Config, "s3">;
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
  readonly allowances: readonly Allowance[];
  readonly storage: StorageFacts;
  readonly rules: RuleFacts;
}

function readSystem(deps: SystemDeps, view: HealthView, now: number): SystemFacts {
  const { db, config, jobs, constants, machine } = deps;
  const today = utcDayOf(now);
  const dayStart = startOfDay(today);
  const found = machine.figures();
  const [, days] = CALIBRATION_DAYS;
  const totals = listTotals(db);
  const tally = sumTallies(db, addDays(today, 1 - days));
  return {
    view,
    steps: nextSteps(view, machine.warnings()),
    jobs: jobViews({ db, jobs }, ({ recorded }) => !recorded, { now, failures: view.monitoring }),
    ingest: ingestFacts(view, deps, now),
    silentHours: usualSilentHours(constants.current().constants),
    allowances: allowances(listMetLimits(db, dayStart, now), view, { dayStart, now }),
    storage: {
      database: found.databaseBytes,
      log: found.logBytes,
      diskFree: found.diskFree,
      growth: findGrowth(db, config, { free: found.diskFree, now }),
      refusing: found.refusing,
      packs: {
        reports: countPacks(db, [PACKABLE_PULSES, PACKABLE_CODEBASE_REPORTS]),
        attempts: countAttemptPacks(db),
      },
      archive: {
        objects: sumOf(totals, ({ objects }) => objects),
        storedBytes: sumOf(totals, ({ storedBytes }) => storedBytes),
      },
      lastBackup: findLastBackup(db),
    },
    rules: { days, ...tally, waiting: findBacklog(db).reports },
  };
}

const sumOf = (totals: readonly ArchiveTotal[], of: (total: ArchiveTotal) => number): number =>
  totals.reduce((sum, total) => sum + of(total), 0);

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
        <Block id="allowance" heading="Provider allowance" note="today, UTC">
          <Facts
            facts={system.allowances.map(({ words, limits }) => [
              words,
              limits.length === 0
                ? "No limit met today"
                : limits.map((limit, place) => (
                    <>
                      {place === 0 ? null : "; "}
                      <LimitWords limit={limit} />
                    </>
                  )),
            ])}
          />
          <p class="note">
            Tower waits by itself. Allowances refill with time; retrying does not restore them.
          </p>
        </Block>
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

export function healthRoutes(deps: PageDeps & SystemDeps & { readonly health: HealthReader }) {
  const { health } = deps;
  return mounted(deps, [
    get(paths.health, {}, ({ request, now }) => {
      const view = healthView(request, health, now);
      return <SystemHealthPage system={readSystem(deps, view, now)} />;
    }),
  ]);
}
