import { type Command, command, done } from "./contract.ts";

/** `archive plan`. */
export const archivePlan: Command = command({
  name: "archive plan",
  summary: "say what a run of the archive would ask for now",
  takes: [],
  about: [
    "Says what the job analysis would ask for if it began now, and asks nobody. Prints one line of JSON: sites, properties, reports, requests (at least: a report that grew needs more pages than it did), about how many seconds it takes, and the same for each lane, which is everything of a provider over one credential.",
  ],
  options: {},
  run: async (deps) => {
    const { sites, properties, reports, requests, lanes, aboutMs } = await deps.archive.estimate(
      deps.clock.now(),
    );
    const line = {
      sites,
      properties,
      reports,
      requests,
      about_seconds: secondsOf(aboutMs),
      lanes: lanes.map(({ aboutMs: ms, ...lane }) => ({ ...lane, about_seconds: secondsOf(ms) })),
    };
    return done(JSON.stringify(line));
  },
});

const secondsOf = (ms: number) => Math.ceil(ms / 1_000);
