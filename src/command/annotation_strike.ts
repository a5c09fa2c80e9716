import { type StrikeResult, strikeAnnotation, strikeSchema, unstrikeAnnotation } from "../annotations/mod.ts";
import { shown } from "../lib/command_line.ts";
import { readContract } from "../lib/contract.ts";
import type { Clock } from "../platform/clock.ts";
import { type Command, command, done, type Outcome, refused } from "./contract.ts";

/** `annotation strike`. */
export const annotationStrike: Command = command({
  name: "annotation strike",
  summary: "mark an entry of the timeline as a mistake",
  takes: ["<id>"],
  about: [
    "Strikes an entry of the timeline that was a mistake. It stays, and says when, by whom and why; charts no longer show it. tower annotation list shows the ids.",
  ],
  options: { reason: { value: "<text>", says: "why, shown with the entry" } },
  judge: ({ options: { reason } }) => {
    const judged = readContract(strikeSchema(), reason === undefined ? {} : { reason });
    return judged.ok ? undefined : judged.errors.map(({ message }) => `--reason ${message}`).join("; ");
  },
  run: async ({ writer, clock }, { args: [id = ""], options: { reason = null } }) =>
    told(await strikeAnnotation(writer, id, reason, byCommandLine(clock)), id, {
      done: "is struck: it stays, marked, and charts no longer show it",
      same: "was struck before",
    }),
});

/** `annotation unstrike`. */
export const annotationUnstrike: Command = command({
  name: "annotation unstrike",
  summary: "put a struck entry of the timeline back",
  takes: ["<id>"],
  about: ["Puts an entry back that was struck: it stands again. That it was struck stays on record."],
  options: {},
  run: async ({ writer, clock }, { args: [id = ""] }) =>
    told(await unstrikeAnnotation(writer, id, byCommandLine(clock)), id, {
      done: "stands again",
      same: "is not struck",
    }),
});

function byCommandLine(clock: Clock) {
  return { name: "command-line", actor: "command-line", now: clock.now() };
}

function told(
  result: StrikeResult,
  id: string,
  words: { readonly done: string; readonly same: string },
): Outcome {
  if (result === "missing")
    return refused(`there is no entry ${shown(id)}: tower annotation list shows the ids`);
  return result === "done"
    ? done("", `the entry ${words.done}`)
    : refused(`the entry ${words.same}: nothing is changed`);
}
