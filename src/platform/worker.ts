/** One question to a worker of its own: long work off the event loop. Rejects when the worker fails or ends without an answer. */
export async function askWorker<Answer>(script: URL, question: unknown): Promise<Answer> {
  const worker = new Worker(script.href);
  try {
    return await new Promise<Answer>((resolve, reject) => {
      worker.addEventListener("message", (event: MessageEvent<Answer>) => resolve(event.data));
      worker.addEventListener("error", (event) => reject(new Error(event.message)));
      worker.addEventListener("close", () => reject(new Error("it ended before it was done")));
      worker.postMessage(question);
    });
  } finally {
    worker.terminate();
  }
}
