/** One flag: what it says, its figure, what to do, what changed around that date, how it was judged, and its history. */

import { countWords as countOf } from "../../base/text.ts";
import { formatInstant } from "../../base/time.ts";
import { ACT_NAMES, ACTS, type ActNoun, MAX_NOTE } from "../../flags/acts.ts";
import { titleOf } from "../../flags/api.ts";
import { type ChainedFlag, type FlagRow, isSnoozed, type RuleInputs } from "../../flags/flags.ts";
import type { FlagHistory, FlagRecordRow } from "../../flags/store.ts";
import { siteOf } from "../../integrations/attention.ts";
import type { ChanceMark } from "../../rules/verdicts.ts";
import { ruleOf, sourceName } from "../../sites/rule_catalogue.ts";
import { formatCount, formatDay } from "../format.ts";
import type { Child } from "../jsx/jsx-runtime.ts";
import { LongTextField, TextField } from "../kit/field.tsx";
import { here } from "../kit/here.ts";
import { Go, SeverityMark, Told } from "../kit/links.tsx";
import { Block } from "../kit/list.tsx";
import { DateOf, Facts, inputFacts, Moment, toolsUpdatedWords } from "../kit/proof.tsx";
import { actorWords, Callout, readingWord } from "../kit/words.tsx";
import { paths } from "../paths.ts";
import { plainAddress } from "../site/key_cell.tsx";
import { Figure, Near } from "./figure.tsx";
import { actHref, flagHref, INBOX_PLACE, type InboxQuery, listHref, type OpenedFlag } from "./inbox.ts";
import { JudgedProof, judgedWords } from "./judged.tsx";
import { type Draft, resolutionWords } from "./outcome.ts";

/** A flag's record: what each run saw, and everything that was done with the flag, by whom and when. */

/** What each run of a lasting condition saw, newest first. */
function EvidenceRecord({ history }: { history: FlagHistory }) {
  const { now } = here();
  const { evidence, runs } = history;
  if (runs === 0) return null;
  const note =
    evidence.length < runs ? `newest ${evidence.length} of ${formatCount(runs)} runs` : countOf(runs, "run");
  return (
    <Block heading="What each run saw" note={`${note}, newest first`}>
      <ol class="past">
        {evidence.map((entry) => (
          <li>
            <Moment at={Date.parse(entry.at)} />
            <Facts facts={inputFacts(objectAt(entry.data, "reading"), now)} />
          </li>
        ))}
      </ol>
    </Block>
  );
}

/** What earlier reports said of the same lasting thing, newest first. */
function EarlierReadings({ flag, query }: { flag: Pick<OpenedFlag, "row" | "earlier">; query: InboxQuery }) {
  const { now } = here();
  const { earlier } = flag;
  const { since, reports } = flag.row.chain;
  if (earlier.length === 0) return null;
  const all = reports - 1;
  const shown = earlier.length < all ? `newest ${earlier.length} of ${formatCount(all)}` : formatCount(all);
  return (
    <Block
      heading={`Earlier ${readingWord(flag.row)}s`}
      note={[shown, ", since ", <DateOf at={Date.parse(since)} />]}
    >
      <ol class="past">
        {earlier.map((one) => (
          <li>
            <Moment at={Date.parse(one.raised_at)} />
            <span>
              {one.severity === flag.row.severity ? "" : `${one.severity}: `}
              <a href={flagHref(one.id, query)}>
                <Told class="wrap">{titleOf(one, now)}</Told>
              </a>
            </span>
          </li>
        ))}
      </ol>
    </Block>
  );
}

/** Raising, acts and resolving, newest first. */
function Past({ history }: { history: FlagHistory }) {
  return (
    <ol class="past">
      {history.acts.map((entry) => (
        <li>
          <Moment at={Date.parse(entry.at)} />
          <span>{sentenceOf(entry)}</span>
        </li>
      ))}
    </ol>
  );
}

function sentenceOf({ type, actor, data }: FlagRecordRow): Child {
  if (type === "raised") {
    if (typeof objectAt(data, "set")["renews"] === "string") return "Raised again.";
    const until = momentAt(data, "snoozed_until") ?? momentAt(objectAt(data, "set"), "snoozed_until");
    if (until === undefined) return actor === "site" ? "Sent by the site." : "Raised.";
    return (
      <>
        Raised while a snooze ran, until <Moment at={until} />.
      </>
    );
  }
  if (type === "renewed") return "Raised again later.";
  if (type === "resolved") return `Resolved. ${resolutionWords(String(data["resolution"]))}`;
  const act = ACT_NAMES.find((name) => name === data["act"]);
  const { text } = data;
  const until = act === "snooze" ? momentAt(objectAt(data, "set"), "snoozed_until") : undefined;
  return (
    <>
      <Told>{actorWords(actor)}</Told>{" "}
      {until === undefined
        ? act === undefined
          ? "acted"
          : ACTS[act].words.did
        : ["snoozed it until ", <Moment at={until} />]}
      {typeof text === "string" ? [": ", <Told class="wrap">{text}</Told>] : "."}
    </>
  );
}

function objectAt(data: RuleInputs, name: string): RuleInputs {
  const value = data[name];
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as RuleInputs) : {};
}

function momentAt(data: RuleInputs, name: string): number | undefined {
  const value = data[name];
  return typeof value === "string" ? Date.parse(value) : undefined;
}

/** The URLs of a flag's inputs; undefined of a flag that is no provider's issue. */
export function issueUrls({
  rule,
  rule_inputs,
}: Pick<FlagRow, "rule" | "rule_inputs">): string[] | undefined {
  const urls = rule_inputs?.["urls"];
  if (ruleOf(rule)?.judges !== "issue" || !Array.isArray(urls)) return undefined;
  return urls.filter((url) => typeof url === "string");
}

/** Text, never links: what stands in them is whatever a crawler met. */
export function IssueUrls({ row, urls }: { row: Pick<FlagRow, "rule_inputs">; urls: readonly string[] }) {
  const { url_count: count } = row.rule_inputs ?? {};
  const all = typeof count === "number" ? count : urls.length;
  const note =
    urls.length < all ? `the first ${formatCount(urls.length)} of ${formatCount(all)}` : formatCount(all);
  return (
    <Block heading="URLs" note={note}>
      <ul class="urls">
        {urls.map((url) => (
          <li>
            <Told class="mono wrap">{plainAddress(url)}</Told>
          </li>
        ))}
      </ul>
    </Block>
  );
}

/** The acts on an opened flag: each a form that works by itself, with htmx on top. */

const WEEK_MS = 7 * 86_400_000;

/** What the forms of a flag need. */
interface ActsProps extends Pick<ArticleProps, "query" | "draft" | "opened" | "tuneHref"> {
  readonly row: FlagRow;
  readonly version: string;
}

/** A form that sets (PUT for htmx) or takes back (DELETE), and posts where there are no scripts. */
function ActForm(props: {
  readonly acts: ActsProps;
  readonly noun: ActNoun;
  readonly undo?: boolean;
  readonly children: Child;
}) {
  const { acts, noun, undo = false } = props;
  const { row, version, query } = acts;
  const action = actHref(row.id, noun, query);
  return (
    <form
      method="post"
      action={action}
      hx-put={undo ? undefined : action}
      hx-delete={undo ? actHref(row.id, noun, query, { seen: version }) : undefined}
      hx-target="#flag"
      hx-swap="outerMorph"
    >
      <input type="hidden" name="seen" value={version} />
      {undo ? <input type="hidden" name="undo" value="1" /> : null}
      {props.children}
    </form>
  );
}

/** The row of acts. A resolved flag takes only an incident, a hypothesis and tuning, and one resolved by hand is reopened. */
function Acts(props: ActsProps) {
  const { row } = props;
  const open = row.status === "open";
  const acked = row.acked_at !== null;
  return (
    <div class="acts">
      {open ? (
        <ActForm acts={props} noun="acknowledgement" undo={acked}>
          <button id="flag-ack" class={acked ? "btn" : "btn primary"} data-key={acked ? "u" : "a"}>
            {acked ? "Undo acknowledge" : "Acknowledge"} <kbd>{acked ? "u" : "a"}</kbd>
          </button>
        </ActForm>
      ) : null}
      {open ? <Snooze {...props} /> : null}
      {open ? (
        <details name="act" id="act-resolve" open={props.opened === "resolve"}>
          <summary class="btn" data-key="r">
            Resolve <kbd>r</kbd>
          </summary>
          <ActForm acts={props} noun="resolution">
            <small>Resolved flags stay in the list. A later reading can raise a new one.</small>
            <button class="btn primary" autofocus={props.opened === "resolve"}>
              Resolve
            </button>
          </ActForm>
        </details>
      ) : null}
      {props.tuneHref === undefined ? null : (
        <a class="btn" href={props.tuneHref} data-key="t">
          Tune <kbd>t</kbd>
        </a>
      )}
      <Note
        {...props}
        noun="incident"
        letter="i"
        words="Link incident"
        label="Incident, or its number"
        help="Kept on the flag and in its history."
        current={row.incident}
      />
      <Note
        {...props}
        noun="hypothesis"
        letter="h"
        words="Note hypothesis"
        label="Hypothesis"
        help="Your working theory. For your notes only."
        current={row.hypothesis}
      />
      {row.resolution === "operator" ? (
        <ActForm acts={props} noun="resolution" undo>
          <button class="btn">Raise again</button>
        </ActForm>
      ) : null}
    </div>
  );
}

function Snooze(props: ActsProps) {
  const { now } = here();
  const { row, draft } = props;
  const snoozed = isSnoozed(row, now);
  const own = draft?.act === "snooze" ? draft : undefined;
  const until = (snoozed ? row.snoozed_until : null) ?? formatInstant(now + WEEK_MS);
  const value = own?.text ?? until.slice(0, 16);
  return (
    <>
      {snoozed ? (
        <ActForm acts={props} noun="snooze" undo>
          <button class="btn">Unsnooze</button>
        </ActForm>
      ) : null}
      <details name="act" id="act-snooze" open={own !== undefined || props.opened === "snooze"}>
        <summary class="btn" data-key="s">
          {snoozed ? "Change snooze" : "Snooze"} <kbd>s</kbd>
        </summary>
        <ActForm acts={props} noun="snooze">
          <TextField
            id="snooze-until"
            name="until"
            label="Until (UTC)"
            error={own?.error ?? undefined}
            help="The flag returns on this date."
            type="datetime-local"
            value={value}
            autofocus={own !== undefined}
          />
          <button class="btn primary">Snooze</button>
          <div class="row">
            <button class="btn" name="days" value="1">
              1 day
            </button>
            <button class="btn" name="days" value="7">
              1 week
            </button>
            <button class="btn" name="days" value="30">
              30 days
            </button>
          </div>
        </ActForm>
      </details>
    </>
  );
}

function Note(
  props: ActsProps & {
    readonly noun: "incident" | "hypothesis";
    readonly letter: string;
    readonly words: string;
    readonly label: string;
    readonly help: string;
    readonly current: string | null;
  },
) {
  const { noun, current, draft } = props;
  const own = draft?.act === noun ? draft : undefined;
  return (
    <details name="act" id={`act-${noun}`} open={own !== undefined || props.opened === noun}>
      <summary class="btn" data-key={props.letter}>
        {props.words} <kbd>{props.letter}</kbd>
      </summary>
      <ActForm acts={props} noun={noun}>
        <LongTextField
          id={`${noun}-text`}
          name="text"
          label={props.label}
          error={own?.error ?? undefined}
          help={props.help}
          value={own?.text ?? current ?? ""}
          rows="3"
          maxlength={MAX_NOTE}
          autofocus={own !== undefined || props.opened === noun}
        />
        <button class="btn primary">Save</button>
      </ActForm>
    </details>
  );
}

/** What was done with a flag, above its acts. */
function Disposition(props: ActsProps) {
  const { now } = here();
  const { row } = props;
  const at = (text: string | null) => Date.parse(text ?? "");
  const lines: Child[] = [];
  if (row.acked_by !== null) {
    lines.push(
      <li>
        Acknowledged by <Told>{row.acked_by}</Told>, <Moment at={at(row.acked_at)} />.
      </li>,
    );
  }
  if (isSnoozed(row, now)) {
    lines.push(
      <li>
        Snoozed: returns <Moment at={at(row.snoozed_until)} />.
      </li>,
    );
  }
  if (row.tuned_at !== null) {
    lines.push(
      <li>
        Its rule was tuned <Moment at={at(row.tuned_at)} />.
      </li>,
    );
  }
  for (const [noun, words, text] of [
    ["incident", "Incident", row.incident],
    ["hypothesis", "Hypothesis", row.hypothesis],
  ] as const) {
    if (text === null) continue;
    lines.push(
      <li class="noted">
        <b>{words}:</b> <Told class="wrap">{text}</Told>
        <ActForm acts={props} noun={noun} undo>
          <button class="btn bare" aria-label={`Remove the ${noun}`}>
            Remove
          </button>
        </ActForm>
      </li>,
    );
  }
  return lines.length === 0 ? null : <ul class="dispositions">{lines}</ul>;
}

/** How a flag of the flow test stands among the tests of its day, in words. */

const WHY: Readonly<Record<NonNullable<ChanceMark["standsOut"]>, string>> = {
  error: ", as an error always does",
  count_of_0: ", as a count of 0 always does",
  second_day: ", as a second day running always does",
  improbable: "",
};

/** "It stands out among the 812 tests of 22 Nov." */
function chanceSentence({ standsOut, day, tests }: ChanceMark, now: number): string {
  const among = `the ${countOf(tests, "test")} of ${formatDay(day, now)}`;
  if (standsOut === null) return `Within what chance gives among ${among}. It is raised all the same.`;
  return standsOut === "improbable" ? `It stands out among ${among}.` : `It stands out${WHY[standsOut]}.`;
}

export interface ArticleProps {
  readonly flag: OpenedFlag;
  readonly query: InboxQuery;
  /** Why an act was refused; the reader goes there. */
  readonly refused?: string | undefined;
  /** An act was made whose control is gone or hidden: the reader goes to the heading. */
  readonly focus?: boolean | undefined;
  readonly draft?: Draft | undefined;
  readonly opened?: string | undefined;
  readonly tuneHref?: string | undefined;
  /** Marks it for an answer that brings it along. */
  readonly swap?: boolean;
}

/** One flag. It never refreshes under its reader. */
export function FlagArticle(props: ArticleProps) {
  const { flag, query, refused } = props;
  const { row, version, history, current, near } = flag;
  const urls = issueUrls(row);
  const acts = { ...props, row, version };
  return (
    <article
      id="flag"
      aria-labelledby="flag-heading"
      data-still
      // Tells apart two states of a flag and what stands around it.
      data-stands={[version, history.record.at(-1)?.at, history.record.length, current?.id, near.length].join(
        " ",
      )}
      hx-swap-oob={props.swap === true ? "outerMorph" : undefined}
    >
      <p class="back">
        <a href={listHref(INBOX_PLACE, query)}>← All flags</a>
      </p>
      <div class="stack">
        <Summary row={row} href={flagHref(row.id, query)} focus={props.focus === true} />
        <div
          id="flag-told"
          role="status"
          tabindex={refused === undefined ? undefined : -1}
          autofocus={refused !== undefined}
        >
          {refused === undefined ? null : (
            <div class="callout" data-state="failing">
              <p>
                <Told>{refused}</Told>
              </p>
            </div>
          )}
        </div>
        {flag.figure === undefined ? null : <Figure figure={flag.figure} />}
        {urls === undefined ? null : <IssueUrls row={row} urls={urls} />}
        {current === undefined ? (
          <>
            <Disposition {...acts} />
            <Acts {...acts} />
          </>
        ) : (
          <Callout>
            <p>
              An earlier {readingWord(current)} raised this flag. The latest is of{" "}
              <Moment at={Date.parse(current.raised_at)} />.
            </p>
            <p>
              <Go to={flagHref(current.id, query)} words="Open the latest" />
            </p>
          </Callout>
        )}
        <Near near={near} />
        <Judged flag={flag} />
        <Fold id="history" heading="History">
          <EarlierReadings flag={flag} query={query} />
          <Past history={history} />
        </Fold>
      </div>
    </article>
  );
}

/** What is read only by who asks for it. */
function Fold(props: { readonly id: string; readonly heading: string; readonly children: Child }) {
  return (
    <details class="fold" id={`flag-${props.id}`}>
      <summary>{props.heading}</summary>
      <div class="stack">{props.children}</div>
    </details>
  );
}

/** The flag in one line and its news; a script shows the link when there is something new. */
function Summary({ row, focus, href }: { row: ChainedFlag; href: string; focus: boolean }) {
  const { now } = here();
  const updated = toolsUpdatedWords(row.rule_inputs);
  const { since, reports } = row.chain;
  return (
    <div class="stack tight">
      <p class="row">
        <SeverityMark severity={row.severity} />
        <a href={paths.site(siteOf(row))}>
          <Told class="wrap">{siteOf(row)}</Told>
        </a>
        <span class="dim">
          {reports === 1 ? "raised" : "first raised"} <Moment at={Date.parse(since)} />
          {reports === 1 ? null : `, ${countOf(reports, readingWord(row))}`}
          {row.resolved_at === null ? null : [", resolved ", <Moment at={Date.parse(row.resolved_at)} />]}
        </span>
        <span role="status">
          <a href={href} data-changed hidden>
            Changed since you opened it: reload
          </a>
        </span>
      </p>
      <h2 id="flag-heading" class="lede" tabindex={-1} autofocus={focus}>
        <Told class="wrap">{titleOf(row, now)}</Told>
      </h2>
      {updated === null ? null : <p class="note">{updated}.</p>}
      {row.resolved_at === null ? null : <p class="note">{resolutionWords(row.resolution)}</p>}
    </div>
  );
}

/** Everything statistical: how it was judged in sentences, then the rule with its inputs, and what each run saw. */
function Judged({ flag }: { flag: OpenedFlag }) {
  const { now } = here();
  const { row, inputs, chance, history } = flag;
  // The URLs of an issue have a list of their own.
  const { urls: _apart, ...rest } = inputs ?? {};
  const shown = inputs === null || issueUrls(row) === undefined ? inputs : rest;
  const sender = row.origin === "provider" ? "from a provider" : "sent by the site";
  const rule = row.rule === null ? sender : <Told class="mono wrap">{row.rule}</Told>;
  const isMoved = row.rule_inputs?.["day"] !== inputs?.["day"];
  return (
    <Fold id="judged" heading="How was this judged?">
      <JudgedProof
        sentences={[...judgedWords(row, now), ...(chance === undefined ? [] : [chanceSentence(chance, now)])]}
        rule={rule}
        inputs={shown}
        about={[
          ["Kind", row.kind],
          ["Raised on", siteOf(row) === row.asset ? null : <Told class="wrap">{row.asset}</Told>],
          ["Metric", row.metric === null ? null : <Told class="mono wrap">{row.metric}</Told>],
          ["Source", sourceName(row.source) ?? null],
          [
            "Subject",
            row.subject === "" || row.subject === row.metric ? null : (
              <Told class="mono wrap">{row.subject}</Told>
            ),
          ],
        ]}
        note={isMoved ? "by report date, one day later" : undefined}
      />
      <EvidenceRecord history={history} />
    </Fold>
  );
}
