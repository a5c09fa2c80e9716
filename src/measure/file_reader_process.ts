/** The process in which files are read, one job after the other. `file_reader.ts` starts and ends it. */

import process from "node:process";
import { type Answer, doJob, type Job } from "./reading.ts";

async function answer(job: Job): Promise<Answer> {
  try {
    return await doJob(job);
  } catch {
    return { kind: "failed" };
  }
}

process.on("message", async (message: string) => {
  for (const job of JSON.parse(message) as readonly Job[]) process.send?.(JSON.stringify(await answer(job)));
});
