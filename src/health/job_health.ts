/** How jobs fare: as figures of `/metrics`, and as a monitoring failure while one throws, does not begin or does not end. */

import type { Clock } from "../base/base.ts";
import { logOf } from "../base/log.ts";
import { storageFault } from "../base/storage_fault.ts";
import type { JobHealth } from "../store/jobs.ts";
import type { Db, Tx } from "../store/store.ts";
import type { Writer } from "../store/writer.ts";
import { listLasting, noteFailure, noteRecovery } from "./monitoring.ts";

/** When each job of the schedule last succeeded, and how often one failed, since the start. */
export class JobRuns {
  readonly #succeededAt = new Map<string, number>();
  readonly #failures = new Map<string, number>();

  succeeded(job: string, at: number): void {
    this.#succeededAt.set(job, at);
  }

  failed(job: string): void {
    this.#failures.set(job, this.failuresOf(job) + 1);
  }

  /** In milliseconds since the epoch; undefined where it has not succeeded since the start. */
  succeededAt(job: string): number | undefined {
    return this.#succeededAt.get(job);
  }

  failuresOf(job: string): number {
    return this.#failures.get(job) ?? 0;
  }
}

interface HealthParts {
  readonly store: { readonly db: Db };
  readonly writer: Writer;
  readonly clock: Clock;
  readonly jobRuns: JobRuns;
}

export class StoredJobHealth implements JobHealth {
  readonly #parts: HealthParts;
  /** Jobs with a monitoring failure that lasts, with its reason. */
  #failing: Map<string, string> | undefined;

  constructor(parts: HealthParts) {
    this.#parts = parts;
  }

  /** Keeps what a run came to. `fault` is why it threw; a run may fail without. */
  recordRun(
    name: string,
    startedAt: number,
    fault: string | undefined,
    isFailed = fault !== undefined,
  ): void {
    const { jobRuns } = this.#parts;
    if (isFailed) jobRuns.failed(name);
    else jobRuns.succeeded(name, startedAt);
    this.setFailure(name, fault === undefined ? undefined : brokeOff(fault));
  }

  /** Keeps why a job does not do its work, in a sentence; undefined when it does. */
  setFailure(name: string, reason: string | undefined): void {
    const { writer, clock } = this.#parts;
    const failing = this.#known();
    const before = failing.get(name);
    if (before === reason) return;
    const of = { kind: "job", asset: "", source: "", subject: name } as const;
    const now = clock.now();
    const noted = (tx: Tx): void => {
      if (reason === undefined) noteRecovery(tx, of, now);
      else noteFailure(tx, of, { reason, now });
    };
    put(failing, name, reason);
    writer.background(writer.write(noted, { lowPriority: true }), (cause) => {
      // Tried again with what is seen next; where that told another thing meanwhile, that stands.
      if (failing.get(name) === reason) put(failing, name, before);
      logOf("jobs").error("how a job fares is not noted", {
        job: name,
        reason: storageFault(cause),
      });
    });
  }

  /** The jobs with a failure that lasts. */
  failing(): readonly string[] {
    return [...this.#known().keys()];
  }

  #known(): Map<string, string> {
    this.#failing ??= new Map(
      listLasting(this.#parts.store.db, { kind: "job", asset: "" }).map(({ subject, reason }) => [
        subject,
        reason,
      ]),
    );
    return this.#failing;
  }
}

/** What is kept of a run that threw. */
function brokeOff(fault: string): string {
  return `It broke off: ${fault}.`;
}

function put(failing: Map<string, string>, name: string, reason: string | undefined): void {
  if (reason === undefined) failing.delete(name);
  else failing.set(name, reason);
}
