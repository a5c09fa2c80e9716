/**
 * What a scrape of `/metrics` reads of the service's state, each figure anew. Nothing here grows with history: what is read is the
 * portfolio, what is open, what waits, and what lies in memory. What is not known is absent, and another figure says so.
 */

import { logOf } from "../base/log.ts";
import type { Figure, Sample } from "../base/metrics.ts";
import { RECEIVE_REFUSALS } from "../base/receive.ts";
import { tallied } from "../base/statistics.ts";
import { towerVersion } from "../base/version.ts";
import { SEVERITIES } from "../flags/flags.ts";
import { countOpenByState, OPEN_STATES } from "../flags/inbox.ts";
import { HEALTH_STATES } from "../health/health.ts";
import { countMonitoringFailures, MONITORING_KINDS } from "../health/monitoring.ts";
import { listPauses, pausesInForce } from "../health/pauses.ts";
import { COVERAGE_STATES, nightsOf } from "../integrations/integrations.ts";
import { findLastBackup } from "../keep/backup.ts";
import { findBacklog, secondsWaited } from "../reports/pulse.ts";
import { nightlyOf, SITE_STATES, silenceLimit, siteState } from "../rules/freshness.ts";
import { EVERY_SITE } from "../sites/annotations.ts";
import { silentHours } from "../sites/constants_store.ts";
import { SENDER_REFUSALS } from "../sites/report_sender.ts";
import { findAsset, listSites } from "../sites/sites.ts";
import type { Deps } from "./app.ts";
import { JOBS, lastSuccess } from "./schedule.ts";

/** What is read at a scrape. */
type ScrapeDeps = Pick<
  Deps,
  "config" | "clock" | "store" | "writer" | "constants" | "machine" | "refusals" | "jobs" | "health"
>;

/** Every figure that is read and not counted; those of a site, or of every one (`*`), where they are asked for. */
export function scraped(deps: ScrapeDeps, asset?: string): Figure[] {
  let unreadable = 0;
  const figures = [openFlags, sites, reports, watching, integrations, storage].flatMap((read) => {
    try {
      return read(deps, asset);
    } catch (error) {
      unreadable += 1;
      logOf("metrics").error("figures cannot be read", { part: read.name, reason: String(error) });
      return [];
    }
  });
  return [
    gauge("tower_build_info", "The release that runs; always 1.", [[1, { version: towerVersion() }]]),
    gauge("tower_unreadable_parts", "Parts of these figures that could not be read, and are absent.", [
      [unreadable],
    ]),
    ...figures,
  ];
}

function gauge(name: string, help: string, samples: readonly Sample[]): Figure {
  return { name, type: "gauge", help, samples };
}

function counter(name: string, help: string, samples: readonly Sample[]): Figure {
  return { name, type: "counter", help, samples };
}

/** The one value of a figure, or none where it is not known. */
function one(value: number | undefined): Sample[] {
  return value === undefined ? [] : [[value]];
}

const seconds = (ms: number): number => ms / 1_000;

function openFlags({ store, clock }: ScrapeDeps): Figure[] {
  const counted = new Map(
    countOpenByState(store.db, clock.now()).map(({ severity, state, flags }) => [
      `${severity} ${state}`,
      flags,
    ]),
  );
  return [
    gauge(
      "tower_open_flags",
      "Open flags by severity and state, a lasting thing once. The inbox's open ones are unread and acknowledged together.",
      SEVERITIES.flatMap((severity) =>
        OPEN_STATES.map((state): Sample => [counted.get(`${severity} ${state}`) ?? 0, { severity, state }]),
      ),
    ),
  ];
}

/** All sites together; those of a thousand one by one are read by who asks for them. */
function sites({ store, clock, constants, config, health }: ScrapeDeps, asked: string | undefined): Figure[] {
  const now = clock.now();
  const view = health.read(now);
  const nights = nightsOf(view, store.db, now);
  const current = constants.current().constants;
  const pauseOf = pausesInForce(listPauses(store.db), now);
  const own = findAsset(store.db, config.serviceAsset);
  const portfolio = view.portfolio ?? listSites(store.db).filter(({ id }) => id !== config.serviceAsset);
  const all = [...portfolio, ...(own === undefined ? [] : [own])].map(({ id, lifecycle, wentLiveAt }) => {
    const heard = nights.get(id)?.[0];
    return {
      id,
      lifecycle,
      wentLiveAt: wentLiveAt ?? undefined,
      // Of a report that came under a clock that was fast the moment lies ahead.
      receivedAt: heard && Math.min(heard.at, now),
      silentHours: silentHours(current, id),
      paused: pauseOf(nightlyOf(id)),
    };
  });
  const states = tallied(
    SITE_STATES,
    all.flatMap((site) => (site.id === config.serviceAsset ? [] : [siteState(site, now)])),
  );
  const total = gauge(
    "tower_sites",
    "Sites by how they report, as the portfolio shows them.",
    SITE_STATES.map((state) => [states[state], { state }]),
  );
  if (asked === undefined) return [total];
  const found = all.filter(({ id }) => asked === EVERY_SITE || id === asked);
  return [
    total,
    gauge(
      "tower_site_info",
      "A site with its lifecycle; always 1.",
      found.map(({ id, lifecycle }) => [1, { asset: id, lifecycle }]),
    ),
    gauge(
      "tower_site_last_report_timestamp_seconds",
      "When the last nightly report of the site was received; absent before the first.",
      found.flatMap(({ id, receivedAt }): Sample[] =>
        receivedAt === undefined ? [] : [[seconds(receivedAt), { asset: id }]],
      ),
    ),
    gauge(
      "tower_site_silence_limit_seconds",
      "How long after its last nightly report the site counts as silent; only of sites that are live and not paused.",
      found
        .filter(
          ({ id, lifecycle, paused }) =>
            lifecycle === "live" && id !== config.serviceAsset && paused === undefined,
        )
        .map(({ receivedAt = now, ...site }) => [
          seconds(silenceLimit({ ...site, receivedAt }, now)),
          { asset: site.id },
        ]),
    ),
  ];
}

/** Why a report may be refused. */
const REFUSALS = [...SENDER_REFUSALS, ...RECEIVE_REFUSALS, "storage-unavailable"];

function reports({ store, clock, refusals }: ScrapeDeps): Figure[] {
  const backlog = findBacklog(store.db);
  const { counts } = refusals;
  return [
    counter(
      "tower_refused_reports_total",
      "Reports that were refused, by the problem's code.",
      REFUSALS.map((code) => [counts.get(code) ?? 0, { code }]),
    ),
    gauge("tower_reports_waiting", "Accepted nightly reports that are not judged yet.", [[backlog.reports]]),
    gauge(
      "tower_oldest_waiting_report_seconds",
      "How long the oldest report that is not judged yet has waited; 0 when none waits.",
      [[secondsWaited(backlog, clock.now()) ?? 0]],
    ),
  ];
}

function watching(deps: ScrapeDeps): Figure[] {
  const { store, constants, jobs } = deps;
  const lasting = countMonitoringFailures(store.db);
  const lastBackup = findLastBackup(store.db);
  return [
    gauge(
      "tower_monitoring_failures",
      "What should be watched and is not, by kind.",
      MONITORING_KINDS.map((kind) => [lasting.get(kind) ?? 0, { kind }]),
    ),
    gauge(
      "tower_constants_valid",
      "1 while the constants document is in effect, 0 while it is not and the last good one is used.",
      [[Number(constants.problem === undefined)]],
    ),
    // Not `job`: that is the label under which Prometheus itself scrapes.
    gauge(
      "tower_job_last_success_timestamp_seconds",
      "When the job last came off; absent while it has not since the start.",
      JOBS.flatMap((job): Sample[] => {
        const at = lastSuccess(deps, job);
        return at === undefined ? [] : [[seconds(at), { name: job.name }]];
      }),
    ),
    counter(
      "tower_job_failures_total",
      "Runs of the job that failed.",
      JOBS.map(({ name }) => [jobs.runsHere(name).failures, { name }]),
    ),
    gauge(
      "tower_last_backup_timestamp_seconds",
      "Of when the last backup is that was made while the service ran; absent where there is none.",
      one(lastBackup === undefined ? undefined : seconds(lastBackup.at)),
    ),
    gauge(
      "tower_last_backup_lacking_objects",
      "Objects of the archive that are not beside that backup, since they could not be copied; absent where they were left out on purpose.",
      one(lastBackup?.lacking),
    ),
  ];
}

/** The one view that the pages show, too: kept until something is written. */
function integrations({ health, clock }: ScrapeDeps): Figure[] {
  const { coverage, summary } = health.read(clock.now());
  return [
    gauge(
      "tower_health_targets",
      "Integrations by state; absent while it is not known what is set up.",
      coverage.state === "unknown" ? [] : HEALTH_STATES.map((state): Sample => [summary[state], { state }]),
    ),
    gauge(
      "tower_health_coverage",
      "How much of what is set up can be judged: 1 for the state that holds. Only complete says anything of the whole.",
      COVERAGE_STATES.map((state): Sample => [Number(state === coverage.state), { state }]),
    ),
  ];
}

function storage({ writer, machine }: ScrapeDeps): Figure[] {
  const found = machine.figures();
  return [
    gauge("tower_queued_writes", "Writes waiting for a commit.", [[writer.queued]]),
    gauge("tower_wal_bytes", "Size of the write-ahead log.", [[found.logBytes]]),
    gauge("tower_disk_free_bytes", "Room left on the disk of the data folder.", one(found.diskFree)),
    gauge("tower_storage_refusing", "1 while storage refuses writes, else 0.", [[Number(found.refusing)]]),
    gauge(
      "tower_write_lock_wait_seconds",
      "How long writes have been waiting for a lock of another process.",
      [[found.lockWaitSeconds]],
    ),
    counter("tower_checkpoint_failures_total", "Checkpoints that failed.", [[found.checkpointFailures]]),
    counter("tower_descriptor_shortages_total", "Looks that found file descriptors running out.", [
      [found.descriptorShortages],
    ]),
  ];
}
