import type { Deps } from "../deps.ts";
import { type FlagEvent, lastRecordId, listFlagEvents } from "../flags/mod.ts";
import { countWords } from "../lib/plural.ts";
import { judgeFreshness } from "../schedule.ts";
import { type Command, command, done, refused } from "./contract.ts";

/** Most flags printed. */
const MOST_PRINTED = 1_000;
/** Judging that reaches no further report for this long is not waited for, in milliseconds. */
const PATIENCE_MS = 30_000;

/** `rules run`. */
export const rulesRun: Command = command({
  name: "rules run",
  summary: "judge what is not judged yet",
  takes: [],
  about: [
    "Judges every nightly report that was accepted and is not judged yet, and what providers told of sites, then how long every site has been silent. Prints what was judged, and the flags raised and resolved meanwhile. Reports on a codebase are judged when they are accepted.",
  ],
  options: {},
  run: async (deps) => {
    const { db } = deps.store;
    const { followed: reportsBefore, followedSignals: signalsBefore } = deps.follower;
    const recordBefore = lastRecordId(db);
    if (!(await settled(deps))) return refused("judging does not get on: see the service's log");
    await judgeFreshness(deps);
    const reports = deps.follower.followed - reportsBefore;
    const signals = deps.follower.followedSignals - signalsBefore;
    const told = signals === 0 ? "" : `, the figures of ${countWords(signals, "property", "properties")}`;
    const events = listFlagEvents(db, recordBefore, MOST_PRINTED);
    const count = (type: FlagEvent["type"]) => events.filter((event) => event.type === type).length;
    const renewed = count("renewed") === 0 ? "" : `, ${count("renewed")} renewed`;
    const summary = [
      `judged ${countWords(reports, "nightly report")}${told} and the silence of every site`,
      `${count("raised")} raised, ${count("resolved")} resolved${renewed}`,
    ];
    const cut = events.length === MOST_PRINTED ? [`and perhaps more: only ${MOST_PRINTED} are shown`] : [];
    return done([summary.join("; "), ...events.map(lineOf), ...cut].join("\n"));
  },
});

/** Waits until everything accepted is judged; false when judging stands still. */
async function settled({ follower }: Deps): Promise<boolean> {
  const settling = follower.settle().then((): true => true);
  for (;;) {
    const before = follower.followed + follower.followedSignals;
    if (await inTime(settling)) return true;
    if (follower.followed + follower.followedSignals === before) return false;
  }
}

async function inTime(settling: Promise<true>): Promise<boolean> {
  const late = Promise.withResolvers<false>();
  const timer = setTimeout(() => late.resolve(false), PATIENCE_MS);
  try {
    return await Promise.race([settling, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}

function lineOf({ type, asset, rule, severity, message }: FlagEvent): string {
  return `${type.padEnd(8)}  ${asset}  ${rule ?? "sent by the site"}  ${severity}  ${message}`;
}
