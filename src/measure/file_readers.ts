/** Two file readers at work on one list: what parses files is most of the time of a large run. */
import { FileReader, type FileReaderOptions, type Outcome } from "./file_reader.ts";
import type { Job } from "./reading.ts";

/** Files given to one reader at a time, and the shortest list for which a second one is worth its start. */
const PIECE = 500;

/** Reads lists of files, one list at a time. */
export class FileReaders {
  readonly #readers: readonly [FileReader, FileReader];

  constructor(options: FileReaderOptions) {
    this.#readers = [new FileReader(options), new FileReader(options)];
  }

  /** Reads files and gives one outcome for each, in their order. */
  async *readAll(jobs: readonly Job[]): AsyncGenerator<Outcome> {
    const [first, second] = this.#readers;
    if (jobs.length <= PIECE) {
      yield* first.readAll(jobs);
      return;
    }
    const pieces = [this.#start(first, jobs, 0), this.#start(second, jobs, 1)];
    try {
      for (let index = 0; index * PIECE < jobs.length; index++) {
        const reader = index % 2 === 0 ? first : second;
        const outcomes = await pieces[index % 2];
        pieces[index % 2] = this.#start(reader, jobs, index + 2);
        yield* outcomes ?? [];
      }
    } finally {
      // Whoever leaves early must not leave a failure behind that nobody hears of.
      await Promise.allSettled(pieces);
    }
  }

  /** Reads one piece of the list; none behind its end. */
  async #start(reader: FileReader, jobs: readonly Job[], index: number): Promise<Outcome[]> {
    const outcomes: Outcome[] = [];
    for await (const outcome of reader.readAll(jobs.slice(index * PIECE, (index + 1) * PIECE))) {
      outcomes.push(outcome);
    }
    return outcomes;
  }

  async close(): Promise<void> {
    await Promise.all(this.#readers.map((reader) => reader.close()));
  }
}
