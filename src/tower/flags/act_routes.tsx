import type { Tx, Writer } from "../../db/mod.ts";
import {
  type ActOutcome,
  type ActRequest,
  acknowledgeFlag,
  dropHypothesis,
  findChainedFlag,
  findFlag,
  linkIncident,
  noteHypothesis,
  readNote,
  readUntil,
  resolveByHand,
  snoozeFlag,
  unacknowledgeFlag,
  unlinkIncident,
  wakeFlag,
} from "../../flags/mod.ts";
import { Problem } from "../../platform/problem.ts";
import { mounted, post, put, remove } from "../kit/route.ts";
import { paths } from "../paths.ts";
import { isHtmx, seeOther } from "../respond.ts";
import { articleOf, type FlagPagesDeps, type FlagVisit, inboxOf, openedAnswer } from "./answer.tsx";
import { type BulkAct, BulkTold, bulkAct, bulkText, MOST_TICKED, performBulk } from "./bulk.tsx";
import { chanceWords } from "./chance_words.ts";
import { FlagsParts } from "./page.tsx";
import { flagHref, INBOX_PLACE, inboxAddress, listHref, NOUNS, type Noun, sitePlace } from "./query.ts";
import { type ActNotice, conflictWords, type Draft, snoozedWords } from "./told.ts";

/** What the acts on flags need. */
export interface FlagActDeps extends FlagPagesDeps {
  readonly writer: Pick<Writer, "write">;
}

/** An act as a form asks for it: to be written, or not to be taken as it is. */
type Asked =
  | {
      readonly perform: (tx: Tx, request: ActRequest) => ActOutcome;
      /** What the operator wrote, kept in case they are too late. */
      readonly draft?: Draft | undefined;
      /** What is said when it is done; undefined where the control itself shows it. */
      readonly told?: (outcome: ActOutcome, now: number) => ActNotice | undefined;
    }
  | { readonly refused: Draft };

interface Act {
  readonly set: (form: URLSearchParams, now: number) => Asked;
  readonly undo?: (tx: Tx, request: ActRequest) => ActOutcome;
}

const ACTS: Readonly<Record<Noun, Act>> = {
  acknowledgement: { set: () => ({ perform: acknowledgeFlag }), undo: unacknowledgeFlag },
  snooze: { set: askedSnooze, undo: wakeFlag },
  incident: { set: (form) => askedNote("incident", form, linkIncident), undo: unlinkIncident },
  hypothesis: { set: (form) => askedNote("hypothesis", form, noteHypothesis), undo: dropHypothesis },
  resolution: {
    set: () => ({ perform: resolveByHand, told: () => done("Resolved. It stays here with its record.") }),
  },
};

/**
 * The acts: `PUT /flags/{id}/snooze` and its like set, `DELETE` undoes, and a plain form posts to the same address with `undo`
 * for the latter. `POST /flags/dispositions` acts on several flags.
 */
export function flagActs(deps: FlagActDeps) {
  const query = inboxAddress;
  return mounted(deps, [
    ...NOUNS.flatMap((noun) => {
      const act = ACTS[noun];
      return [
        post(paths[noun], { query }, (visit) => actOn(deps, visit, act, visit.form.get("undo") === "1")),
        put(paths[noun], { query }, (visit) => actOn(deps, visit, act, false)),
        ...(act.undo === undefined
          ? []
          : [remove(paths[noun], { query }, (visit) => actOn(deps, visit, act, true))]),
      ];
    }),
    post(paths.dispositions, { query }, (visit) => actOnSeveral(deps, visit)),
  ]);
}

async function actOn(
  deps: FlagActDeps,
  visit: FlagVisit & { readonly params: { readonly id: string } },
  act: Act,
  isUndo: boolean,
): Promise<Response> {
  const { params, form, search, now, actor } = visit;
  const wanted = isUndo ? undoOf(act) : act.set(form, now);
  if ("refused" in wanted) {
    const row = findChainedFlag(deps.db, params.id);
    if (row === undefined) throw notFound();
    return openedAnswer(deps, visit, { row, draft: wanted.refused, status: 422, acted: true });
  }
  const seen = form.get("seen") ?? search.get("seen") ?? undefined;
  const outcome = await deps.writer.write((tx) =>
    wanted.perform(tx, { id: params.id, seen, now, by: actor }),
  );
  if (outcome.state === "missing") throw notFound();
  if (outcome.state === "conflict") {
    return openedAnswer(deps, visit, {
      row: outcome.flag,
      told: { tone: "failing", words: conflictWords(outcome, now), focus: true },
      draft: wanted.draft,
      status: 409,
      acted: true,
    });
  }
  if (!isHtmx(visit.request)) return seeOther(flagHref(params.id, visit.query));
  return openedAnswer(deps, visit, { row: outcome.flag, told: wanted.told?.(outcome, now), acted: true });
}

function undoOf({ undo }: Act): Asked {
  if (undo === undefined) throw new Problem("malformed-query", "This act has no way back.");
  return { perform: undo };
}

function askedSnooze(form: URLSearchParams, now: number): Asked {
  const text = form.get("until") ?? "";
  const read = readUntil({ days: form.get("days") ?? undefined, until: text }, now);
  if (!read.ok) return { refused: { act: "snooze", text, error: read.message } };
  return {
    perform: (tx, request) => snoozeFlag(tx, { ...request, until: read.until }),
    told: (outcome, at) => ("flag" in outcome ? done(snoozedWords(outcome.flag, at)) : undefined),
  };
}

function askedNote(
  name: "incident" | "hypothesis",
  form: URLSearchParams,
  write: (tx: Tx, request: ActRequest & { readonly text: string }) => ActOutcome,
): Asked {
  const sent = form.get("text");
  const note = readNote(sent);
  if (!note.ok) return { refused: { act: name, text: sent ?? "", error: note.message } };
  return {
    perform: (tx, request) => write(tx, { ...request, text: note.text }),
    draft: { act: name, text: note.text, error: null },
    told: () => done(name === "incident" ? "The incident is linked." : "The hypothesis is noted."),
  };
}

function done(words: string): ActNotice {
  return { tone: "working", words, focus: true };
}

function notFound(): Problem {
  return new Problem("not-found", "No such flag.");
}

async function actOnSeveral(deps: FlagActDeps, visit: FlagVisit): Promise<Response> {
  const { form, search, query, now, actor } = visit;
  const site = search.get("site");
  const place = site === null ? INBOX_PLACE : sitePlace(site);
  const open = findFlag(deps.db, search.get("open") ?? "");
  const wanted = severalOf(form);
  const until = readUntil({ days: form.get("days") ?? "7" }, now);
  if (wanted === undefined || !until.ok)
    throw new Problem("malformed-query", "Choose what to do with the ticked flags.");
  const { ids } = wanted;
  if (ids.length > MOST_TICKED) throw new Problem("malformed-query", `At most ${MOST_TICKED} flags at once.`);
  const asked = { ...wanted, until: until.until, by: actor, now };
  const result = ids.length === 0 ? undefined : await deps.writer.write((tx) => performBulk(tx, asked));
  if (!isHtmx(visit.request)) {
    const more: Record<string, string> = result === undefined ? {} : { told: bulkText(result) };
    return seeOther(open === undefined ? listHref(place, query, more) : flagHref(open.id, query, more));
  }
  const current = open === undefined ? undefined : findChainedFlag(deps.db, open.id);
  const opened =
    current !== undefined && ids.includes(current.id) ? articleOf(deps, current, visit) : undefined;
  return visit.part(
    <FlagsParts
      view={inboxOf(deps, place, visit)}
      now={now}
      told={result === undefined ? <p>Tick the flags first.</p> : <BulkTold result={result} />}
      opened={opened}
      current={current}
      chance={chanceWords(deps.db, now)}
      asked="list"
    />,
  );
}

/** The act and the flags of a form; the way back names both in one value. */
function severalOf(
  form: URLSearchParams,
): { readonly act: BulkAct; readonly ids: readonly string[] } | undefined {
  const [undo, ...undone] = (form.get("undo") ?? "").split(" ");
  const act = bulkAct(undo === undefined || undo === "" ? form.get("act") : undo);
  if (act === undefined) return undefined;
  return { act, ids: undone.length > 0 ? undone : [...new Set(form.getAll("flag"))] };
}
