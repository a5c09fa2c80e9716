import { Elysia } from "elysia";
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
import type { Actor } from "../../platform/access.ts";
import { Problem } from "../../platform/problem.ts";
import { readForm } from "../form.ts";
import { htmlFragment, isHtmx, seeOther } from "../respond.ts";
import { type BulkAct, BulkTold, bulkAct, bulkText, MOST_TICKED, performBulk } from "./bulk.tsx";
import { FlagsParts } from "./page.tsx";
import { flagHref, INBOX_PLACE, inboxQuery, listHref, sitePlace } from "./query.ts";
import { articleOf, type FlagPagesDeps, openedAnswer, standingOf } from "./routes.tsx";
import { conflictWords, type Draft, snoozedWords, type Told } from "./told.ts";
import { readInbox } from "./view.ts";

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
      readonly told?: (outcome: ActOutcome, now: number) => Told | undefined;
    }
  | { readonly refused: Draft };

interface Noun {
  readonly set: (form: URLSearchParams, now: number) => Asked;
  readonly undo?: (tx: Tx, request: ActRequest) => ActOutcome;
}

const NOUNS: Readonly<Record<"acknowledgement" | "snooze" | "incident" | "hypothesis" | "resolution", Noun>> =
  {
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
  const app = new Elysia({ name: "flag-acts" });
  for (const name of Object.keys(NOUNS) as (keyof typeof NOUNS)[]) {
    const noun = NOUNS[name];
    const path = `/flags/:id/${name}` as const;
    const answer = async (request: Request, id: string, undo?: boolean) => {
      const actor = deps.access.page(request);
      const form = await readForm(request);
      return act(deps, { request, actor, id, form, noun, undo: undo ?? form.get("undo") === "1" });
    };
    app.post(path, ({ request, params: { id } }) => answer(request, id), { parse: "none" });
    app.put(path, ({ request, params: { id } }) => answer(request, id, false), { parse: "none" });
    if (noun.undo !== undefined) {
      app.delete(path, ({ request, params: { id } }) => answer(request, id, true), { parse: "none" });
    }
  }
  return app.post("/flags/dispositions", ({ request }) => actOnSeveral(deps, request), { parse: "none" });
}

async function act(
  deps: FlagActDeps,
  asked: {
    readonly request: Request;
    readonly actor: Actor;
    readonly id: string;
    readonly form: URLSearchParams;
    readonly noun: Noun;
    readonly undo: boolean;
  },
): Promise<Response> {
  const { request, actor, id, form, noun } = asked;
  const now = deps.clock.now();
  const url = new URL(request.url);
  const wanted = asked.undo ? undoOf(noun) : noun.set(form, now);
  if ("refused" in wanted) {
    const row = findChainedFlag(deps.db, id);
    if (row === undefined) throw notFound();
    return openedAnswer(deps, request, actor, { row, draft: wanted.refused, status: 422, acted: true });
  }
  const seen = form.get("seen") ?? url.searchParams.get("seen") ?? undefined;
  const outcome = await deps.writer.write((tx) => wanted.perform(tx, { id, seen, now, by: actor }));
  if (outcome.state === "missing") throw notFound();
  if (outcome.state === "conflict") {
    return openedAnswer(deps, request, actor, {
      row: outcome.flag,
      told: { tone: "failing", words: conflictWords(outcome, now), focus: true },
      draft: wanted.draft,
      status: 409,
      acted: true,
    });
  }
  if (!isHtmx(request)) return seeOther(flagHref(id, inboxQuery(url.searchParams)));
  const told = wanted.told?.(outcome, now);
  return openedAnswer(deps, request, actor, { row: outcome.flag, told, acted: true });
}

function undoOf(noun: Noun): Asked {
  if (noun.undo === undefined) throw new Problem("malformed-query", "This act has no way back.");
  return { perform: noun.undo };
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

function done(words: string): Told {
  return { tone: "working", words, focus: true };
}

function notFound(): Problem {
  return new Problem("not-found", "No such flag.");
}

async function actOnSeveral(deps: FlagActDeps, request: Request): Promise<Response> {
  const actor = deps.access.page(request);
  const form = await readForm(request);
  const now = deps.clock.now();
  const params = new URL(request.url).searchParams;
  const query = inboxQuery(params);
  const site = params.get("site");
  const place = site === null ? INBOX_PLACE : sitePlace(site);
  const open = findFlag(deps.db, params.get("open") ?? "");
  const wanted = severalOf(form);
  const until = readUntil({ days: form.get("days") ?? "7" }, now);
  if (wanted === undefined || !until.ok)
    throw new Problem("malformed-query", "Choose what to do with the ticked flags.");
  if (wanted.ids.length > MOST_TICKED) {
    throw new Problem("malformed-query", `At most ${MOST_TICKED} flags at once.`);
  }
  const { act: name, ids } = wanted;
  const result =
    ids.length === 0
      ? undefined
      : await deps.writer.write((tx) =>
          performBulk(tx, { act: name, ids, until: until.until, by: actor, now }),
        );
  if (!isHtmx(request)) {
    const more: Record<string, string> = result === undefined ? {} : { told: bulkText(result) };
    return seeOther(open === undefined ? listHref(place, query, more) : flagHref(open.id, query, more));
  }
  const current = open === undefined ? undefined : findChainedFlag(deps.db, open.id);
  const view = readInbox(deps.db, place, query, now, standingOf(deps));
  const told = result === undefined ? <p>Tick the flags first.</p> : <BulkTold result={result} />;
  const opened =
    current !== undefined && ids.includes(current.id) ? articleOf(deps, current, query) : undefined;
  const parts = { view, now, told, opened, current, chance: deps.chance?.(), asked: "list" } as const;
  return htmlFragment(request, <FlagsParts {...parts} />);
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
