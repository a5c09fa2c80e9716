import type { Tx } from "../../db/mod.ts";
import {
  type ActName,
  type ActOutcome,
  type ActRequest,
  acknowledgeFlag,
  dropHypothesis,
  findChainedFlag,
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
import { bulkAct, MOST_TICKED, performBulk } from "./bulk.ts";
import { chanceWords } from "./chance_words.ts";
import { madeOf, type Outcome, outcomeText, raisedFor, readActs, undoneOf } from "./outcome.ts";
import { FlagsParts } from "./page.tsx";
import { flagHref, INBOX_PLACE, inboxAddress, listHref, NOUNS, type Noun, sitePlace } from "./query.ts";
import { conflictWords, type Draft } from "./told.ts";
import { type UndoDeps, undoMade } from "./undo.ts";

/** What the acts on flags need. */
export type FlagActDeps = FlagPagesDeps & UndoDeps;

/** An act as a form asks for it: to be written, or not to be taken as it is. */
type Asked =
  | {
      readonly name: ActName;
      readonly perform: (tx: Tx, request: ActRequest) => ActOutcome;
      /** What the operator wrote, kept in case they are too late. */
      readonly draft?: Draft | undefined;
    }
  | { readonly refused: Draft };

interface Act {
  readonly set: (form: URLSearchParams, now: number) => Asked;
  readonly undo?: Asked;
}

const ACTS: Readonly<Record<Noun, Act>> = {
  acknowledgement: {
    set: () => ({ name: "acknowledge", perform: acknowledgeFlag }),
    undo: { name: "unacknowledge", perform: unacknowledgeFlag },
  },
  snooze: { set: askedSnooze, undo: { name: "wake", perform: wakeFlag } },
  incident: {
    set: (form) => askedNote("incident", form, linkIncident),
    undo: { name: "unlink_incident", perform: unlinkIncident },
  },
  hypothesis: {
    set: (form) => askedNote("hypothesis", form, noteHypothesis),
    undo: { name: "drop_hypothesis", perform: dropHypothesis },
  },
  resolution: { set: () => ({ name: "resolve", perform: resolveByHand }) },
};

/**
 * The acts: `PUT /flags/{id}/snooze` and its like set, `DELETE` undoes, and a plain form posts to the same address with `undo`
 * for the latter. `POST /flags/dispositions` acts on several flags, and undoes what one form did (`undo`).
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
  const wanted = isUndo ? act.undo : act.set(form, now);
  if (wanted === undefined) throw new Problem("malformed-query", "This act has no way back of its own.");
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
      refused: conflictWords(outcome, now),
      draft: wanted.draft,
      status: 409,
      acted: true,
    });
  }
  const made = madeOf(wanted.name, [outcome], now);
  if (!isHtmx(visit.request)) {
    return seeOther(flagHref(params.id, visit.query, { told: outcomeText(made) }));
  }
  return openedAnswer(deps, visit, { row: outcome.flag, outcome: made, acted: true });
}

function askedSnooze(form: URLSearchParams, now: number): Asked {
  const text = form.get("until") ?? "";
  const read = readUntil({ days: form.get("days") ?? undefined, until: text }, now);
  if (!read.ok) return { refused: { act: "snooze", text, error: read.message } };
  return {
    name: "snooze",
    perform: (tx, request) => snoozeFlag(tx, { ...request, until: read.until }),
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
    name,
    perform: (tx, request) => write(tx, { ...request, text: note.text }),
    draft: { act: name, text: note.text, error: null },
  };
}

function notFound(): Problem {
  return new Problem("not-found", "No such flag.");
}

async function actOnSeveral(deps: FlagActDeps, visit: FlagVisit): Promise<Response> {
  const { form, now, actor } = visit;
  const undo = form.get("undo");
  if (undo !== null) return undoForm(deps, visit, undo);
  const act = bulkAct(form.get("act"));
  const until = readUntil({ days: form.get("days") ?? "7" }, now);
  if (act === undefined || !until.ok)
    throw new Problem("malformed-query", "Choose what to do with the ticked flags.");
  const ids = [...new Set(form.getAll("flag"))];
  if (ids.length > MOST_TICKED) throw new Problem("malformed-query", `At most ${MOST_TICKED} flags at once.`);
  if (ids.length === 0) return listAnswer(deps, visit, { kind: "nothing" }, []);
  const asked = { act, ids, until: until.until, by: actor, now };
  const outcomes = await deps.writer.write((tx) => performBulk(tx, asked));
  return listAnswer(deps, visit, madeOf(act, outcomes, now), ids);
}

/** Undoes what a form did, for a while after it. */
async function undoForm(deps: FlagActDeps, visit: FlagVisit, text: string): Promise<Response> {
  const acts = readActs(text);
  if (acts === undefined) throw new Problem("malformed-query", "There is no such act to undo.");
  const undone = await undoMade(deps, acts, visit.actor, visit.now);
  const open = visit.search.get("open") ?? "";
  const raised = raisedFor(open, undone.flags);
  if (raised === undefined) {
    return listAnswer(
      deps,
      visit,
      undoneOf(undone),
      undone.flags.map(({ id }) => id),
    );
  }
  const href = flagHref(raised.id, visit.query, { told: outcomeText(undoneOf(undone)) });
  if (!isHtmx(visit.request)) return seeOther(href);
  return new Response(null, { headers: { "hx-redirect": href, "cache-control": "no-store" } });
}

/** The list after an act on some of its flags, with the opened flag where it is one of them. */
function listAnswer(deps: FlagActDeps, visit: FlagVisit, outcome: Outcome, ids: readonly string[]): Response {
  const { search, query, now } = visit;
  const site = search.get("site");
  const place = site === null ? INBOX_PLACE : sitePlace(site);
  const current = findChainedFlag(deps.db, search.get("open") ?? "");
  if (!isHtmx(visit.request)) {
    const more = { told: outcomeText(outcome) };
    return seeOther(current === undefined ? listHref(place, query, more) : flagHref(current.id, query, more));
  }
  const isOfOpened = current !== undefined && ids.includes(current.id);
  return visit.part(
    <FlagsParts
      view={inboxOf(deps, place, visit)}
      now={now}
      outcome={outcome}
      opened={isOfOpened ? articleOf(deps, current, visit) : undefined}
      current={current}
      chance={chanceWords(deps.db, now)}
      asked="list"
    />,
  );
}
