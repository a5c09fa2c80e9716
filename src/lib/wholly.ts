/** Work that stops again and again for others, done without a stop: what it came to. */
export function wholly<T>(work: Generator<unknown, T>): T {
  for (let step = work.next(); ; step = work.next()) if (step.done === true) return step.value;
}
