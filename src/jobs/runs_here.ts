/** The runs of a job in this process, and the last of them. Times are milliseconds since the epoch. */
export interface RunOfProcess {
  /** How many have begun. */
  readonly runs: number;
  readonly startedAt: number | undefined;
  /** Undefined while it is under way. */
  readonly finishedAt: number | undefined;
  /** Whether it broke off. */
  readonly broke: boolean;
}

const NONE: RunOfProcess = { runs: 0, startedAt: undefined, finishedAt: undefined, broke: false };

interface Run {
  readonly job: string;
  readonly startedAt: number;
}

/** What ran since the start, whoever asked for it: for jobs whose runs leave no rows, and for whoever watches that jobs run. */
export class RunsHere {
  readonly #last = new Map<string, RunOfProcess>();

  of(job: string): RunOfProcess {
    return this.#last.get(job) ?? NONE;
  }

  begun({ job, startedAt }: Run): void {
    this.#last.set(job, { ...NONE, runs: this.of(job).runs + 1, startedAt });
  }

  /** A clock that was set back must not end a run before it began. */
  ended({ job, startedAt }: Run, now: number, broke: boolean): void {
    this.#last.set(job, { ...this.of(job), finishedAt: Math.max(now, startedAt), broke });
  }
}
