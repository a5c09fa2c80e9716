/** What the acts on flags need. */

import type { Ids } from "../../base/base.ts";
import { Problem } from "../../base/problem.ts";
import {
  ACT_NAMES,
  ACT_NOUNS,
  ACTS,
  type ActName,
  type ActNoun,
  type ActOutcome,
  actOfNoun,
  performAct,
  readNote,
} from "../../flags/acts.ts";
import { findChainedFlag } from "../../flags/queries.ts";
import { readUntil } from "../../flags/snoozes.ts";
import type { Writer } from "../../store/writer.ts";
import { mounted, post, put, remove } from "../kit/route.ts";
import { paths } from "../paths.ts";
import { isHtmx, seeOther } from "../session.ts";
import {
  articleOf,
  chanceWords,
  type FlagPagesDeps,
  type FlagVisit,
  inboxOf,
  openedAnswer,
} from "./chance_words.tsx";
import { FlagsParts } from "./head.tsx";
import { conflictWords, type Draft, madeOf, type Outcome, outcomeText } from "./outcome.ts";
import { flagHref, INBOX_PLACE, inboxAddress, listHref, sitePlace } from "./why_empty.ts";

export interface FlagActDeps extends FlagPagesDeps {
  readonly ids: Ids;
  readonly writer: Pick<Writer, "write">;
}

/** Most flags in one act: more than a page of the list holds. */
const MOST_TICKED = 200;

/** What may be done with several flags at once: what asks for nothing of each. */
const isBulk = (name: ActName) => ACTS[name].asks === "nothing" || ACTS[name].asks === "until";

/**
 * The acts: `PUT /flags/{id}/snooze` and its like set, `DELETE` takes back, and a plain form posts to the same address with `undo`
 * for the latter. `POST /flags/dispositions` acts on several flags.
 */
export function flagActs(deps: FlagActDeps) {
  const query = inboxAddress;
  return mounted(deps, [
    ...ACT_NOUNS.flatMap((noun) => [
      post(paths[noun], { query }, (visit) => actOn(deps, visit, noun, visit.form.get("undo") === "1")),
      put(paths[noun], { query }, (visit) => actOn(deps, visit, noun, false)),
      remove(paths[noun], { query }, (visit) => actOn(deps, visit, noun, true)),
    ]),
    post(paths.dispositions, { query }, (visit) => actOnSeveral(deps, visit)),
  ]);
}

async function actOn(
  deps: FlagActDeps,
  visit: FlagVisit & { readonly params: { readonly id: string } },
  noun: ActNoun,
  takesBack: boolean,
): Promise<Response> {
  const { params, form, search, now, actor } = visit;
  const act = actOfNoun(noun, takesBack);
  const asked = askedFor(act, form, now);
  if ("error" in asked) {
    const row = findChainedFlag(deps.db, params.id);
    if (row === undefined) throw notFound();
    return openedAnswer(deps, visit, { row, draft: asked, status: 422, acted: true });
  }
  const seen = form.get("seen") ?? search.get("seen") ?? undefined;
  const request = { ...asked, id: params.id, seen, now, by: actor, newId: deps.ids.uuid };
  const outcome = await deps.writer.write((tx) => performAct(tx, act, request));
  if (outcome.state === "missing") throw notFound();
  if (outcome.state === "conflict") {
    const isNote = noun === "incident" || noun === "hypothesis";
    return openedAnswer(deps, visit, {
      row: outcome.flag,
      refused: conflictWords(outcome, now),
      draft: isNote && !takesBack ? { act: noun, text: asked.text, error: null } : undefined,
      status: 409,
      acted: true,
    });
  }
  const made = madeOf(act, [outcome], now);
  const href = flagHref(outcome.flag.id, visit.query, { told: outcomeText(made) });
  if (!isHtmx(visit.request)) return seeOther(href);
  // Reopening leaves another flag than the one whose page is open.
  if (outcome.flag.id !== params.id) {
    return new Response(null, { headers: { "hx-redirect": href, "cache-control": "no-store" } });
  }
  return openedAnswer(deps, visit, { row: outcome.flag, outcome: made, acted: true });
}

/** What the form says of an act, or what of it is not taken as it is. */
function askedFor(
  act: ActName,
  form: URLSearchParams,
  now: number,
): { readonly until: number; readonly text: string } | (Draft & { readonly error: string }) {
  if (act === "snooze") {
    const text = form.get("until") ?? "";
    const read = readUntil({ days: form.get("days") ?? undefined, until: text }, now);
    return read.ok ? { until: read.until, text: "" } : { act, text, error: read.message };
  }
  if (act === "incident" || act === "hypothesis") {
    const sent = form.get("text");
    const note = readNote(sent);
    return note.ok ? { until: now, text: note.text } : { act, text: sent ?? "", error: note.message };
  }
  return { until: now, text: "" };
}

function notFound(): Problem {
  return new Problem("not-found", "No such flag.");
}

/** One write; a flag that refuses the act takes no other with it. */
async function actOnSeveral(deps: FlagActDeps, visit: FlagVisit): Promise<Response> {
  const { form, now, actor } = visit;
  const act = ACT_NAMES.find((name) => name === form.get("act") && isBulk(name));
  const until = readUntil({ days: form.get("days") ?? "7" }, now);
  if (act === undefined || !until.ok)
    throw new Problem("malformed-query", "Choose what to do with the ticked flags.");
  const ids = [...new Set(form.getAll("flag"))];
  if (ids.length > MOST_TICKED) throw new Problem("malformed-query", `At most ${MOST_TICKED} flags at once.`);
  if (ids.length === 0) return listAnswer(deps, visit, { kind: "nothing" }, []);
  const asked = { until: until.until, text: "", by: actor, now, newId: deps.ids.uuid };
  const outcomes = await deps.writer.write((tx): ActOutcome[] =>
    ids.map((id) => performAct(tx, act, { ...asked, id })),
  );
  return listAnswer(deps, visit, madeOf(act, outcomes, now), ids);
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
      outcome={outcome}
      opened={isOfOpened ? articleOf(deps, current, visit) : undefined}
      current={current}
      chance={chanceWords(deps.db, now)}
      asked="list"
    />,
  );
}
