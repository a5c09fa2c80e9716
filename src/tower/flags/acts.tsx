/** The acts on an opened flag: each a form that works by itself, with htmx on top. */

import { formatInstant, parseInstant } from "../../base/time.ts";
import { type ActNoun, MAX_NOTE } from "../../flags/acts.ts";
import type { FlagRow } from "../../flags/flags.ts";
import { isSnoozed } from "../../flags/snoozes.ts";
import type { Child } from "../jsx/child.ts";
import { LongTextField, TextField } from "../kit/field.tsx";
import { here } from "../kit/here.ts";
import { Told } from "../kit/links.tsx";
import { Moment } from "../kit/proof.tsx";
import { actHref, type InboxQuery } from "./inbox.ts";
import type { Draft } from "./outcome.ts";

const WEEK_MS = 7 * 86_400_000;

/** What the forms of a flag need. */
export interface ActsProps {
  readonly row: FlagRow;
  readonly version: string;
  readonly query: InboxQuery;
  readonly draft?: Draft | undefined;
  /** The form that stands open from the start. */
  readonly opened?: string | undefined;
  /** Where the thresholds of the flag's rule are tuned; undefined where the rule has none. */
  readonly tuneHref?: string | undefined;
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
export function Acts(props: ActsProps) {
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
export function Disposition(props: ActsProps) {
  const { now } = here();
  const { row } = props;
  const at = (text: string | null) => (text === null ? 0 : (parseInstant(text) ?? 0));
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
