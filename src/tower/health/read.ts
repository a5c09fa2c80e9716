/** Everything that System health shows, gathered: stored evidence only. Nothing is asked of anybody. */
import { type ArchiveTotal, listTotals } from "../../archive/mod.ts";
import { findLastBackup } from "../../backup/mod.ts";
import { PACKABLE_CODEBASE_REPORTS } from "../../codebase/mod.ts";
import { type ConstantsStore, usualSilentHours } from "../../constants/mod.ts";
import type { Db } from "../../db/mod.ts";
import { CALIBRATION_DAYS, sumTallies } from "../../flow/mod.ts";
import type { HealthView } from "../../integrations/mod.ts";
import { addDays, startOfDay, utcDayOf } from "../../lib/utc_day.ts";
import type { MachineWatch } from "../../machine/mod.ts";
import { findBacklog, PACKABLE_PULSES } from "../../pulse/mod.ts";
import { countPacks } from "../../reports/mod.ts";
import { countAttemptPacks, listMetLimits } from "../../signals/mod.ts";
import { type Allowance, allowances } from "./allowance.ts";
import { type IngestFacts, type IngestMemory, ingestFacts } from "./ingest.ts";
import { type NextStep, nextSteps } from "./next_steps.tsx";
import type { RuleFacts } from "./rules_block.tsx";
import { type ScheduledDeps, type ScheduledJob, scheduledJobs } from "./scheduled.ts";
import type { StorageFacts } from "./storage_block.tsx";

/** What the page is read from, beside the one view. */
export interface SystemDeps extends ScheduledDeps, IngestMemory {
  readonly db: Db;
  readonly constants: Pick<ConstantsStore, "current">;
  readonly machine: Pick<MachineWatch, "warnings" | "figures">;
}

/** The system at a moment. */
export interface SystemFacts {
  readonly view: HealthView;
  readonly steps: readonly NextStep[];
  readonly jobs: readonly ScheduledJob[];
  readonly ingest: IngestFacts;
  readonly silentHours: number;
  readonly allowances: readonly Allowance[];
  readonly storage: StorageFacts;
  readonly rules: RuleFacts;
}

export function readSystem(deps: SystemDeps, view: HealthView, now: number): SystemFacts {
  const { db, jobs, constants, machine } = deps;
  const today = utcDayOf(now);
  const dayStart = startOfDay(today);
  const found = machine.figures();
  const [, days] = CALIBRATION_DAYS;
  const totals = listTotals(db);
  const tally = sumTallies(db, addDays(today, 1 - days));
  return {
    view,
    steps: nextSteps(view, machine.warnings()),
    jobs: scheduledJobs({ db, jobs }, view.monitoring, now),
    ingest: ingestFacts(view, deps, now),
    silentHours: usualSilentHours(constants.current().constants),
    allowances: allowances(listMetLimits(db, dayStart, now), view, { dayStart, now }),
    storage: {
      database: found.databaseBytes,
      log: found.logBytes,
      diskFree: found.diskFree,
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
