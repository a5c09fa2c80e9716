/**
 * `bun test/bench/parts/simulators.ts [--port <the first>] [--sites <count>] [--days <count>] [--seed <number>] [--keys <folder>] [--answer-ms <ms>]`:
 * the simulators by themselves, for looking at and for benches. Ends with Ctrl-C.
 */

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { systemClock } from "../../../src/base/base.ts";
import { readWords } from "../../../src/base/command_line.ts";
import { startSimulators } from "../../../src/demo/simulator/simulators.ts";
import { sampleWorld } from "./sample_world.ts";

const read = readWords(
  {
    takes: [],
    options: {
      port: {
        value: "<number>",
        says: "the first of the servers' neighbouring ports; any free ones without it",
      },
      sites: { value: "<count>", says: "how many sites there are, 10 without it" },
      days: { value: "<count>", says: "how long they have been there, 400 days without it" },
      seed: { value: "<number>", says: "another history" },
      keys: { value: "<folder>", says: "where the key files are written; the working folder without it" },
      "answer-ms": { value: "<ms>", says: "how long each answer takes; as short as can be without it" },
    },
  },
  process.argv.slice(2),
);

if (!read.ok) {
  process.stderr.write(`simulator: ${read.fault}\n`);
  process.exitCode = 1;
} else {
  const { port, sites, days, seed, keys = ".", "answer-ms": answerMs } = read.given.options;
  const simulators = startSimulators({
    now: () => systemClock.now(),
    seed: Number(seed ?? 1),
    world: sampleWorld(Number(sites ?? 10), systemClock.now(), Number(days ?? 400)),
    keepsConnections: true,
    ...(port === undefined ? {} : { port: Number(port) }),
  });
  if (answerMs !== undefined) {
    simulators.script({ kind: "slow", ms: Number(answerMs) }, { times: Number.POSITIVE_INFINITY });
  }
  const files = { google: join(keys, "google-key.json"), webmaster: join(keys, "webmaster-key.txt") };
  writeFileSync(files.google, simulators.serviceAccount(), { mode: 0o600 });
  writeFileSync(files.webmaster, `${simulators.webmasterKey()}\n`, { mode: 0o600 });
  const settings = Object.entries(simulators.settings).map(([name, value]) => `${name}=${value}\n`);
  process.stdout.write(
    `${settings.join("")}# tokens: ${simulators.urls.token}\n# keys: ${files.google} ${files.webmaster}\n`,
  );
  const end = () => simulators.stop();
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, end);
}
