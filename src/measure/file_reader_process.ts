/** The process in which files are read, one job after the other. `file_reader.ts` starts and ends it. */

import process from "node:process";
import { grammarLoader } from "./complexity.ts";
import { type Answer, doJob, type Job } from "./reading.ts";

const loaders = new Map<string, ReturnType<typeof grammarLoader>>();

const tools: Parameters<typeof doJob>[1] = {
  load: (folders, name) => {
    const key = folders.join("\n");
    const loader = loaders.get(key) ?? grammarLoader(folders);
    loaders.set(key, loader);
    return loader(name);
  },
};

async function answer(job: Job): Promise<Answer> {
  try {
    return await doJob(job, tools);
  } catch {
    return { kind: "failed" };
  }
}

process.on("message", async (message: string) => {
  for (const job of JSON.parse(message) as readonly Job[]) process.send?.(JSON.stringify(await answer(job)));
});
process.on("disconnect", () => process.exit(0));
