/**
 * `/flags`, one flag below it, the tab of a site, and the acts on flags.
 *
 * A list: the address (`inbox.ts`) → its rows and why there are none → `inbox_page.tsx`.
 * One flag: `openedOf` (`inbox.ts`) → `article.tsx`: summary, chart and changes near it (`figure.tsx`), acts, how it was judged
 * (`judged.tsx`), its record.
 * An act: a form → `actOn` here → `flags/acts.ts` of the service → the flag and the list again, with an outcome (`outcome.ts`).
 * Begin with `flagPages`.
 */

import { orNotFound, Problem } from "../../base/problem.ts";
import { countWords as countOf, expectedText } from "../../base/text.ts";
import { addDays, utcDayOf } from "../../base/time.ts";
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
import { type ChainedFlag, type FlagRow, readUntil } from "../../flags/flags.ts";
import { findChainedFlag } from "../../flags/queries.ts";
import { sumTallies } from "../../rules/verdicts.ts";
import { ruleOf } from "../../sites/rule_catalogue.ts";
import type { Db } from "../../store/store.ts";
import { formatCount } from "../format.ts";
import type { PageGround } from "../ground.ts";
import { get, mounted, post, put, remove, type SignedInActor, type Visit } from "../kit/route.ts";
import { paths } from "../paths.ts";
import { isHtmx, seeOther } from "../session.ts";
import { siteHead } from "../site_head.ts";
import type { ArticleProps } from "./article.tsx";
import {
  flagHref,
  INBOX_PLACE,
  type InboxQuery,
  inboxAddress,
  listHref,
  openedOf,
  readInbox,
  sitePlace,
} from "./inbox.ts";
import { FlagsPage, FlagsParts } from "./inbox_page.tsx";
import { conflictWords, type Draft, madeOf, type Outcome, outcomeText, readOutcome } from "./outcome.ts";

/** Days the heading of the flags looks back on. */
const CHANCE_DAYS = 30;

/** How many flags chance alone would raise, as a sentence; undefined while no test has run. */
function chanceWords(db: Db, now: number): string | undefined {
  const today = utcDayOf(now);
  const { tests, raised, expected } = sumTallies(db, addDays(today, 1 - CHANCE_DAYS), today);
  if (tests === 0) return undefined;
  return `Flow rules, ${CHANCE_DAYS} days: ${countOf(tests, "test")}, ${formatCount(raised)} raised a flag, about ${expectedText(expected)} expected by chance.`;
}

/** A request about flags, with the inbox its address names. */
type FlagVisit = Omit<Visit<SignedInActor, unknown, InboxQuery, URLSearchParams, unknown>, "found">;

/** A flag to be shown, and what came of an act on it. */
interface Shown {
  readonly row: ChainedFlag;
  /** Why the act was refused. */
  readonly refused?: string | undefined;
  readonly outcome?: Outcome | undefined;
  readonly draft?: Draft | undefined;
  readonly status?: number;
  /** Whether an act was made, so that htmx gets the flag and the list together. */
  readonly acted?: boolean;
}

/** Where the thresholds behind a flag are tuned; only rules with thresholds in the constants document have a place. */
function tuneHref(row: FlagRow): string | undefined {
  return ruleOf(row.rule)?.isTunable === true ? paths.tuneFlag(row.id) : undefined;
}

/** A flag with what stands around it. */
function articleOf(deps: PageGround, row: ChainedFlag, { query, now }: FlagVisit): ArticleProps {
  return { flag: openedOf(deps, row, now), query, tuneHref: tuneHref(row) };
}

/** A flag as it is shown after an act or when it is opened: the whole page, or its parts for htmx. */
function openedAnswer(deps: PageGround, visit: FlagVisit, shown: Shown): Response {
  const { request, now, search } = visit;
  const { row, status = 200, acted = false } = shown;
  const view = readInbox(deps, INBOX_PLACE, visit);
  const article = articleOf(deps, row, visit);
  const parts = { view, now, chance: chanceWords(deps.db, now), current: article.flag.row };
  const opened: ArticleProps = {
    ...article,
    refused: shown.refused,
    focus: shown.outcome !== undefined && shown.outcome.act !== "acknowledge",
    draft: shown.draft,
    opened: search.get("act") ?? undefined,
  };
  if (acted && isHtmx(request)) {
    const made = shown.outcome ?? null;
    const outcome = made?.only === undefined ? made : { ...made, only: article.flag.row };
    return visit.part(<FlagsParts {...parts} opened={opened} outcome={outcome} asked="flag" />, { status });
  }
  const outcome = readOutcome(search.get("told"));
  return visit.page(<FlagsPage view={view} chance={parts.chance} opened={opened} outcome={outcome} />, {
    status,
  });
}

export function flagPages(deps: PageGround) {
  const query = inboxAddress;
  return mounted(deps, [
    get(paths.flags, { query, find: () => null }, (visit) => listAnswer(deps, visit)),
    get(paths.siteFlags, { query, find: ({ asset }, at) => siteHead(deps, asset, at) }, (visit) =>
      listAnswer(deps, visit),
    ),
    get(paths.flag, { query }, (visit) => {
      const row = orNotFound(findChainedFlag(deps.db, visit.params.id), NO_FLAG);
      // The key t on a row of the list, which does not know whether its rule is tuned.
      const tune = visit.search.get("act") === "tune" ? tuneHref(row) : undefined;
      return tune === undefined ? openedAnswer(deps, visit, { row }) : seeOther(tune);
    }),
  ]);
}

/** The inbox, or the list of the site that was found. */
function listAnswer(
  deps: PageGround,
  visit: FlagVisit & { readonly found: ReturnType<typeof siteHead> | null },
) {
  const { found: site, now, search } = visit;
  const view = readInbox(deps, site === null ? INBOX_PLACE : sitePlace(site.asset), visit);
  const chance = chanceWords(deps.db, now);
  return (
    <FlagsPage
      view={view}
      site={site ?? undefined}
      chance={site === null ? chance : undefined}
      outcome={readOutcome(search.get("told"))}
    />
  );
}

/** Most flags in one act: more than a page of the list holds. */
const MOST_TICKED = 200;

/** What may be done with several flags at once: what asks for nothing of each. */
const isBulk = (name: ActName) => ACTS[name].asks === "nothing" || ACTS[name].asks === "until";

/**
 * The acts: `PUT /flags/{id}/snooze` and its like set, `DELETE` takes back, and a plain form posts to the same address with `undo`
 * for the latter. `POST /flags/dispositions` acts on several flags.
 */
export function flagActs(deps: PageGround) {
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
  deps: PageGround,
  visit: FlagVisit & { readonly params: { readonly id: string } },
  noun: ActNoun,
  takesBack: boolean,
): Promise<Response> {
  const { params, form, search, now, actor } = visit;
  const act = actOfNoun(noun, takesBack);
  const asked = askedFor(act, form, now);
  if ("error" in asked) {
    const row = orNotFound(findChainedFlag(deps.db, params.id), NO_FLAG);
    return openedAnswer(deps, visit, { row, draft: asked, status: 422, acted: true });
  }
  const seen = form.get("seen") ?? search.get("seen") ?? undefined;
  const request = { ...asked, id: params.id, seen, now, by: actor, newId: deps.ids.uuid };
  const outcome = await deps.writer.write((tx) => performAct(tx, act, request));
  if (outcome.state === "missing") throw new Problem("not-found", NO_FLAG);
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

const NO_FLAG = "No such flag.";

/** One write; a flag that refuses the act takes no other with it. */
async function actOnSeveral(deps: PageGround, visit: FlagVisit): Promise<Response> {
  const { form, now, actor } = visit;
  const act = ACT_NAMES.find((name) => name === form.get("act") && isBulk(name));
  const until = readUntil({ days: form.get("days") ?? "7" }, now);
  if (act === undefined || !until.ok)
    throw new Problem("malformed-query", "Choose an action for the selected flags.");
  const ids = [...new Set(form.getAll("flag"))];
  if (ids.length > MOST_TICKED) throw new Problem("malformed-query", `At most ${MOST_TICKED} flags at once.`);
  const asked = { until: until.until, text: "", by: actor, now, newId: deps.ids.uuid };
  const outcomes = await deps.writer.write((tx): ActOutcome[] =>
    ids.map((id) => performAct(tx, act, { ...asked, id })),
  );
  return bulkAnswer(deps, visit, madeOf(act, outcomes, now), ids);
}

/** The list after an act on some of its flags, with the opened flag where it is one of them. */
function bulkAnswer(deps: PageGround, visit: FlagVisit, outcome: Outcome, ids: readonly string[]): Response {
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
      view={readInbox(deps, place, visit)}
      outcome={outcome}
      opened={isOfOpened ? articleOf(deps, current, visit) : undefined}
      current={current}
      chance={chanceWords(deps.db, now)}
      asked="list"
    />,
  );
}
