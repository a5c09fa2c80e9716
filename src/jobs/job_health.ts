import { type Db, storageFault, type Tx, type Writer } from "../db/mod.ts";
import { listLasting, noteFailure, noteRecovery } from "../monitoring/mod.ts";
import type { Clock } from "../platform/clock.ts";
import type { JobRuns } from "../platform/job_runs.ts";
import { logOf } from "../platform/log.ts";

/** What keeping how jobs fare needs. */
interface HealthParts {
  readonly store: { readonly db: Db };
  readonly writer: Writer;
  readonly clock: Clock;
  readonly jobRuns: JobRuns;
}

/** How jobs fare: for `/metrics`, and as a monitoring failure while one throws. */
export class JobHealth {
  readonly #parts: HealthParts;
  /** Jobs with a monitoring failure that lasts. */
  #failing: Set<string> | undefined;

  constructor(parts: HealthParts) {
    this.#parts = parts;
  }

  /** Keeps what a run came to. `fault` is why it threw; a run may fail without. */
  note(name: string, startedAt: number, fault: string | undefined, isFailed = fault !== undefined): void {
    const { store, writer, clock, jobRuns } = this.#parts;
    if (isFailed) jobRuns.failed(name);
    else jobRuns.succeeded(name, startedAt);
    this.#failing ??= new Set(
      listLasting(store.db, { kind: "job", asset: "" }).map(({ subject }) => subject),
    );
    const wasFailing = this.#failing.has(name);
    if (fault === undefined && !wasFailing) return;
    const of = { kind: "job", asset: "", source: "", subject: name } as const;
    const now = clock.now();
    const noted = (tx: Tx): void => {
      if (fault === undefined) noteRecovery(tx, of, now);
      else noteFailure(tx, of, { reason: fault, now });
    };
    if (fault === undefined) this.#failing.delete(name);
    else this.#failing.add(name);
    writer.aside(writer.write(noted, { behind: true }), (cause) => {
      if (fault === undefined) this.#failing?.add(name);
      logOf("jobs").error("how a job fares is not noted", {
        job: name,
        reason: storageFault(cause),
      });
    });
  }
}
