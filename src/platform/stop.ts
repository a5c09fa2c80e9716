import { logOf } from "./log.ts";

/** One step of a stop. */
export interface StopStep {
  readonly name: string;
  /** How long it may take, in milliseconds. */
  readonly withinMs: number;
  readonly run: () => unknown;
}

/** Takes the steps one after the other. One that fails or takes too long is told and left behind: a stop always ends. */
export async function stopInSteps(steps: readonly StopStep[]): Promise<void> {
  for (const { name, withinMs, run } of steps) {
    const { promise: late, resolve } = Promise.withResolvers<"late">();
    const timer = setTimeout(() => resolve("late"), withinMs);
    try {
      const ended = await Promise.race([(async () => void (await run()))(), late]);
      if (ended === "late")
        logOf("service").error("a step of the stop was given up", { step: name, within_ms: withinMs });
    } catch (error) {
      logOf("service").error("a step of the stop failed", { step: name, reason: String(error) });
    } finally {
      clearTimeout(timer);
    }
  }
}
