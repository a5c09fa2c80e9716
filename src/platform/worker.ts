/** One question to a worker of its own: long work off the event loop. */

/** Its only answer. Rejects when the worker fails or ends without one. */
export async function askWorker<Answer>(script: URL, question: unknown): Promise<Answer> {
  for await (const answer of answersOf<Answer>(script, question)) return answer;
  throw new Error(ENDED);
}

const ENDED = "it ended before it was done";

/** Its answers, each as it comes, until no more are wanted. Throws when the worker fails or ends before. */
export async function* answersOf<Answer>(script: URL, question: unknown): AsyncGenerator<Answer, undefined> {
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
  worker.postMessage(question);
  try {
    for (;;) {
      await told.promise;
      told = Promise.withResolvers<void>();
      yield* come.splice(0);
      if (failure !== undefined) throw failure;
    }
  } finally {
    worker.terminate();
  }
}
