/** Questions to a worker of its own: long work off the event loop. */

/** Its only answer. Rejects when the worker fails or ends without one, and when `signal` tells it to end. */
export async function askWorker<Answer>(
  script: URL,
  question: unknown,
  signal?: AbortSignal,
): Promise<Answer> {
  for await (const answer of answersOf<Answer>(script, question, signal)) return answer;
  throw new Error(ENDED);
}

const ENDED = "it ended before it was done";
const STOPPED = "it was stopped";

/**
 * Its answers, each as it comes, until no more are wanted. Throws when the worker fails or ends before, and when `signal` tells it to
 * end, whatever it is doing.
 */
export async function* answersOf<Answer>(
  script: URL,
  question: unknown,
  signal?: AbortSignal,
): AsyncGenerator<Answer, undefined> {
  const worker = new Worker(script.href);
  const come: Answer[] = [];
  let failure: Error | undefined;
  let told = Promise.withResolvers<void>();
  const fail = (error: Error) => {
    failure ??= error;
    told.resolve();
  };
  worker.addEventListener("message", (event: MessageEvent<Answer>) => {
    come.push(event.data);
    told.resolve();
  });
  worker.addEventListener("error", (event) => fail(new Error(event.message)));
  worker.addEventListener("close", () => fail(new Error(ENDED)));
  const stop = () => fail(new Error(STOPPED));
  if (signal?.aborted === true) stop();
  signal?.addEventListener("abort", stop);
  worker.postMessage(question);
  try {
    for (;;) {
      await told.promise;
      told = Promise.withResolvers<void>();
      yield* come.splice(0);
      if (failure !== undefined) throw failure;
    }
  } finally {
    signal?.removeEventListener("abort", stop);
    worker.terminate();
  }
}

/** A worker that answers one question after another, in the order in which they were asked. */
export class AnsweringWorker<Question, Answer> {
  readonly #worker: Worker;
  readonly #asked: PromiseWithResolvers<Answer>[] = [];
  #failure: Error | undefined;

  constructor(script: URL) {
    this.#worker = new Worker(script.href);
    this.#worker.addEventListener("message", (event: MessageEvent<Answer>) => {
      this.#asked.shift()?.resolve(event.data);
    });
    this.#worker.addEventListener("error", (event) => this.#fail(new Error(event.message)));
    this.#worker.addEventListener("close", () => this.#fail(new Error(ENDED)));
  }

  /** Whether it answers no more. */
  get hasEnded(): boolean {
    return this.#failure !== undefined;
  }

  /** Says something that has no answer. */
  tell(question: Question): void {
    this.#worker.postMessage(question);
  }

  /** Rejects when the worker fails or ends before. */
  ask(question: Question): Promise<Answer> {
    if (this.#failure !== undefined) return Promise.reject(this.#failure);
    const answer = Promise.withResolvers<Answer>();
    this.#asked.push(answer);
    this.#worker.postMessage(question);
    return answer.promise;
  }

  /** Ends it; what was asked and is not answered is rejected. */
  end(): void {
    this.#fail(new Error(ENDED));
    this.#worker.terminate();
  }

  #fail(error: Error): void {
    this.#failure ??= error;
    for (const { reject } of this.#asked.splice(0)) reject(this.#failure);
  }
}
