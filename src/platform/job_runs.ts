/** When each job of the schedule last came off, and how often one failed, since the start. */
export class JobRuns {
  readonly #succeededAt = new Map<string, number>();
  readonly #failures = new Map<string, number>();

  succeeded(job: string, at: number): void {
    this.#succeededAt.set(job, at);
  }

  failed(job: string): void {
    this.#failures.set(job, this.failuresOf(job) + 1);
  }

  /** In milliseconds since the epoch; undefined where it has not come off since the start. */
  succeededAt(job: string): number | undefined {
    return this.#succeededAt.get(job);
  }

  failuresOf(job: string): number {
    return this.#failures.get(job) ?? 0;
  }
}
