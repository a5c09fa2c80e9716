import { ANNOTATION_KINDS, EVERY_SITE, MAX_NOTE, MAX_REF } from "../../annotations/mod.ts";
import { codePoints } from "../../lib/contract.ts";
import { LongTextField, SelectField, TextField } from "../component/field.tsx";
import { Mark, ANNOTATION_KINDS as WORDS } from "../component/mark.tsx";
import { formatCount, formatMoment } from "../format.ts";
import { paths } from "../paths.ts";
import type { EntryErrors, EntryValues } from "./new_entry.ts";
import { timelinePath } from "./query.ts";

/** Units of a form's own limits are UTF-16; ours are code points, of two units at most. The server judges. */
const unitsOf = (codePointLimit: number): number => codePointLimit * 2;

/** How much of the note is used, in words. */
export function NoteLength({ note }: { readonly note: string }) {
  const length = codePoints(note);
  return (
    <span class={length > MAX_NOTE ? "bad" : undefined}>
      {formatCount(length)} of {formatCount(MAX_NOTE)} characters
    </span>
  );
}

export interface AddFormProps {
  /** The site whose tab this is; null on the page of all sites. */
  readonly site: string | null;
  /** Sites that may be chosen, by identifier. */
  readonly sites: readonly string[];
  readonly values: EntryValues;
  readonly errors: EntryErrors;
  readonly now: number;
}

function KindPick({ values, errors }: Pick<AddFormProps, "values" | "errors">) {
  return (
    <fieldset class="field all">
      <legend>Kind</legend>
      <div class="pick">
        {ANNOTATION_KINDS.map((kind) => (
          <label>
            <input type="radio" name="kind" value={kind} checked={kind === values.kind} required />
            <span aria-hidden="true">
              <Mark kind={kind} />
            </span>
            {WORDS[kind][1]}
          </label>
        ))}
      </div>
      {errors.kind === undefined ? null : <small class="bad">{errors.kind}</small>}
    </fieldset>
  );
}

/** The form of a new annotation. It works without scripts; with them the note is counted while it is typed. */
export function AddForm(props: AddFormProps) {
  const { site, values, errors } = props;
  const sites = site === null ? props.sites : [site];
  const filled = { values: { ...values }, errors: { ...errors } };
  return (
    <form method="post" action={timelinePath(site)} class="fields">
      <KindPick values={values} errors={errors} />
      <SelectField
        id="t-asset"
        name="asset"
        label="Site"
        filled={filled}
        required
        choices={[
          ...(site === null && values.asset === "" ? [["", "Choose a site"] as const] : []),
          [EVERY_SITE, "All sites"],
          ...sites.map((id) => [id, id] as const),
        ]}
      />
      <TextField
        id="t-at"
        name="at"
        label="When, UTC"
        filled={filled}
        type="datetime-local"
        step={1}
        required
      />
      <TextField
        id="t-ref"
        name="ref"
        label="Reference"
        filled={filled}
        placeholder="v4.5.0"
        maxlength={unitsOf(MAX_REF)}
        autocomplete="off"
        required
      />
      <LongTextField
        id="t-note"
        name="note"
        label="Note (optional)"
        wide
        filled={filled}
        help={
          <span id="t-note-length" data-apart>
            <NoteLength note={values.note} />
          </span>
        }
        rows={2}
        placeholder="What changed, in plain words"
        maxlength={unitsOf(MAX_NOTE)}
        hx-post={paths.noteLength}
        hx-trigger="input changed delay:400ms"
        hx-target="#t-note-length"
        hx-swap="innerHTML"
      />
      <p class="note field all">
        The time is read as UTC, whatever this browser's zone. A past time is fine, a future one is refused;
        it is {formatMoment(props.now, props.now)} UTC. An entry cannot be changed; one that was a mistake can
        be struck, and stays, marked. The same site, time, kind and reference again is the same entry.
      </p>
      <div class="field">
        <button class="btn primary">Add to the timeline</button>
      </div>
    </form>
  );
}
