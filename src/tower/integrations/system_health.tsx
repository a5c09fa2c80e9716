/** `/health`: what is wrong with Tower itself, scheduled work, incoming reports and storage. */

import { orNotFound } from "../../base/problem.ts";
import { byteWords, countWords as countOf } from "../../base/text.ts";
import { utcDayOf } from "../../base/time.ts";
import { NIGHTLY_REPORTS } from "../../health/catalogue.ts";
import type { HealthView } from "../../integrations/integrations.ts";
import { BACKUP_JOB, backupRun, findLastBackup, type LastBackup, ownBackups } from "../../keep/backup.ts";
import { archivedWords, findGrowth, type Growth } from "../../keep/growth.ts";
import { listOwnBackups, type OwnBackup, RESTORE_JOB, restoreRun } from "../../keep/restore.ts";
import { usualSilentHours } from "../../sites/constants_store.ts";
import type { RunningJob } from "../../store/job_runs.ts";
import { formatCount } from "../format.ts";
import type { PageGround } from "../ground.ts";
import { withNotice } from "../keyboard.tsx";
import { Act } from "../kit/field.tsx";
import { StateMark } from "../kit/glyph.tsx";
import { here } from "../kit/here.ts";
import { Code, Go, HelpLink, joined, ShortName, Told } from "../kit/links.tsx";
import { Block, List } from "../kit/list.tsx";
import { Clock, Day, Facts, Moment, When } from "../kit/proof.tsx";
import { get, healthView, mounted, post } from "../kit/route.ts";
import { monitoringWords } from "../kit/words.tsx";
import { Live, Page } from "../layout.tsx";
import { paths } from "../paths.ts";
import { seeOther } from "../session.ts";
import { CoverageCallout, coverageWords, IntegrationsHead, integrationsHref } from "./coverage.tsx";
import { JobTable, jobViews, PROGRESS_PERIOD } from "./jobs.tsx";

interface HealthProps {
  readonly deps: PageGround;
  readonly view: HealthView;
}

/** Most failures that are listed. */
const MOST_LISTED = 50;

/** What is wrong with Tower itself. What the machine lacks is said above every page. */
function OwnFailures({ view: { monitoring, coverage } }: { readonly view: HealthView }) {
  return (
    <Block id="next" heading="Tower itself">
      <List
        class="acts-t"
        of="What should be watched and is not"
        items={monitoring.slice(0, MOST_LISTED)}
        empty={
          coverage.state === "empty" ? (
            <div class="stack tight">
              <p>Tower watches nothing yet.</p>
              <p>
                <Go to={paths.newSite} words="Add a site" primary />
              </p>
            </div>
          ) : (
            <p>
              {coverage.state === "complete"
                ? "Nothing is wrong with Tower itself."
                : "Nothing is wrong with what could be read. What could not be read is not known."}
            </p>
          )
        }
        columns={[
          ["What is not watched", (failure) => <Told class="wrap">{monitoringWords(failure).what}</Told>],
          [
            "What happened",
            (failure) => (
              <>
                <Told class="wrap">{failure.reason}</Told>{" "}
                <small class="block-sm">{monitoringWords(failure).lacks}</small>
              </>
            ),
            { class: "all" },
          ],
          ["Since", ({ since }) => <Moment at={since} />, { class: "nowrap" }],
          [
            "What to do",
            (failure) => {
              const { action, link } = monitoringWords(failure);
              return (
                <>
                  {action}{" "}
                  <a class="nowrap" href={link.href}>
                    {link.words}
                  </a>
                </>
              );
            },
            { class: "all" },
          ],
        ]}
      />
      {monitoring.length <= MOST_LISTED ? null : (
        <p class="note">{countOf(monitoring.length - MOST_LISTED, "more failure")}</p>
      )}
    </Block>
  );
}

/** The newest report of a kind, whose it is, and when it was accepted (milliseconds since the epoch). */
function newestOf({ capabilities }: HealthView, id: string) {
  const targets = capabilities.find(({ capability }) => capability === id)?.targets ?? [];
  let newest: { readonly asset: string; readonly at: number } | undefined;
  for (const { asset, lastSuccessStartedAt: at } of targets) {
    if (at !== null && (newest === undefined || at > newest.at)) newest = { asset, at };
  }
  return newest;
}

/** Most sites that are named. */
const MOST_NAMED = 5;

/** Sites of which a report was refused since the last good one. */
function refusedIn({ capabilities }: HealthView): string[] {
  const sent = capabilities.filter(({ provider }) => provider === "ingest");
  const refused = sent.flatMap(({ targets }) => targets.filter(({ state }) => state === "failing"));
  return [...new Set(refused.map(({ asset }) => asset))];
}

/** What sites send here. What each of them owes is among the problems of Integrations. */
function IngestBlock({ deps, view }: HealthProps) {
  const refused = refusedIn(view);
  const unknown = deps.refusals.unknownSenders();
  const nearLimit = deps.sendRates.nearLimit(here().now);
  return (
    <Block id="ingest" heading="Incoming reports">
      <Facts
        facts={[
          ["Newest nightly report", <NewestReport of={newestOf(view, NIGHTLY_REPORTS)} />],
          ["Newest codebase report", <NewestReport of={newestOf(view, "ingest.codebase")} />],
          [
            "Refused",
            refused.length === 0 ? (
              "none since the last good report of each site"
            ) : (
              <>
                reports of {countOf(refused.length, "site")}: <RefusedSites of={refused} />
              </>
            ),
          ],
          [
            "Unknown token",
            unknown === undefined ? (
              "none since Tower started"
            ) : (
              <>
                {countOf(unknown.count, "report")} refused since Tower started, last <When at={unknown.at} />
              </>
            ),
          ],
          [
            "Near the daily limit",
            nearLimit.length === 0
              ? "none"
              : joined(
                  nearLimit.map(({ asset, bytes }) => (
                    <>
                      <Site asset={asset} /> ({byteWords(bytes)} of {byteWords(deps.sendRates.bytesPerDay)})
                    </>
                  )),
                ),
          ],
          [
            "Flag when silent for",
            [
              formatCount(usualSilentHours(deps.constants.current().constants)),
              " h ",
              <a href={paths.constants}>change</a>,
            ],
          ],
        ]}
      />
    </Block>
  );
}

function NewestReport({ of }: { readonly of: ReturnType<typeof newestOf> }) {
  if (of === undefined) return <span class="dim">none yet</span>;
  return (
    <>
      <When at={of.at} />, from <Site asset={of.asset} />
    </>
  );
}

function RefusedSites({ of }: { readonly of: readonly string[] }) {
  return (
    <>
      {joined(of.slice(0, MOST_NAMED).map((asset) => <Site asset={asset} />))}
      {of.length <= MOST_NAMED ? null : (
        <>
          {" "}
          and <a href={integrationsHref({ state: "failing" })}>{formatCount(of.length - MOST_NAMED)} more</a>
        </>
      )}
    </>
  );
}

function Site({ asset }: { readonly asset: string }) {
  return (
    <a class="wrap" href={paths.site(asset)}>
      <ShortName name={asset} longest={40} />
    </a>
  );
}

/** The room that all of it takes. */
function StorageBlock({ deps: { db, config, machine, jobs } }: HealthProps) {
  const { now } = here();
  const { databaseBytes, logBytes, diskFree, refusing } = machine.figures();
  // Undefined while too few days were measured.
  const growth = findGrowth(db, config, { free: diskFree, now });
  const lastBackup = findLastBackup(db);
  return (
    <Block
      id="storage"
      heading="Storage"
      note={refusing ? <StateMark state="failing">nothing can be stored</StateMark> : undefined}
    >
      <Facts
        facts={[
          ["Database", bytesOrUnknown(databaseBytes)],
          ["Write-ahead log", byteWords(logBytes)],
          ["Free on its disk", bytesOrUnknown(diskFree)],
          ["Growth for a site and year", <GrowthWords growth={growth} />],
          ["Disk full at this rate", <FullWords growth={growth} />],
          [
            "Archive",
            <>
              {archivedWords(db, now) ?? "Not measured yet"} <a href={paths.archive}>Archive</a>
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
      <Backups
        folder={ownBackups(config.dataDir)}
        newest={listOwnBackups(config.dataDir)}
        running={jobs.running().find(({ job }) => job === BACKUP_JOB || job === RESTORE_JOB)}
      />
    </Block>
  );
}

function Backups(props: {
  readonly folder: string;
  readonly newest: readonly OwnBackup[];
  readonly running: RunningJob | undefined;
}) {
  const { folder, newest, running } = props;
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

/** System health: what is wrong with Tower itself, and what it does. */
function SystemHealthPage(props: HealthProps) {
  const { now } = here();
  const { deps, view } = props;
  return (
    <Page title={titleOf(view)} current="integrations">
      <IntegrationsHead current="health" sentence={coverageWords(view)}>
        <HelpLink
          to={paths.helpAbout("operating", "when-something-is-wrong")}
          about="when something is wrong"
        />
      </IntegrationsHead>
      <CoverageCallout coverage={view.coverage} />
      <OwnFailures view={view} />
      <Block
        id="scheduled"
        heading="Scheduled work"
        note={
          <>
            Tower's own jobs; those that ask providers are under <a href={paths.runs}>Runs</a>
          </>
        }
      >
        <JobTable
          jobs={jobViews(deps, ({ recorded }) => !recorded, { now, failures: view.monitoring })}
          caption="Scheduled work"
        />
      </Block>
      <div class="halves quarters">
        <IngestBlock {...props} />
        <StorageBlock {...props} />
      </div>
    </Page>
  );
}

/** What the browser's tab says: what is worst. */
function titleOf({ coverage, summary }: HealthView): string {
  if (summary.failing > 0) return `Health: ${summary.failing} failing`;
  return coverage.state === "complete" && summary.unknown === 0 ? "Health" : "Health: not an all-clear";
}

function findBackup({ config }: PageGround, name: string): OwnBackup {
  return orNotFound(
    listOwnBackups(config.dataDir).find((backup) => backup.name === name),
    "No such backup.",
  );
}

export function healthRoutes(deps: PageGround) {
  const { health, jobs } = deps;
  return mounted(deps, [
    get(paths.health, {}, ({ request, now }) => {
      const view = healthView(request, health, now);
      return <SystemHealthPage deps={deps} view={view} />;
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
