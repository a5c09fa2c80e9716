/** Striking an entry that was a mistake, and taking that back. Both are forms, so that they work without scripts. */

import { MAX_NOTE } from "../../sites/annotation_schema.ts";
import { formatMoment } from "../format.ts";
import { TextField } from "../kit/field.tsx";
import { here } from "../kit/here.ts";
import { Told, Unseen } from "../kit/links.tsx";
import { Form } from "../kit/shown_once.tsx";
import { paths } from "../paths.ts";
import type { TimelineEntry } from "./flag_days.ts";

/** Units of a form's own limits are UTF-16; ours are code points, of two units at most. The server judges. */
const LONGEST_REASON = MAX_NOTE * 2;

/** What was typed as a reason and refused, and of which entry. */
export interface RefusedStrike {
  readonly id: string;
  readonly reason: string;
  readonly error: string;
}

/** Under an entry: that it is struck, or the form that strikes it. */
export function Striking(props: {
  readonly entry: TimelineEntry;
  /** The address to come back to. */
  readonly back: string;
  readonly refused: RefusedStrike | null;
}) {
  const { now } = here();
  const { entry, back } = props;
  const { id, struck } = entry;
  if (struck !== undefined) {
    return (
      <div class="row">
        <span>
          Struck by <Told class="wrap">{struck.by}</Told>, {formatMoment(struck.at, now)}
          {struck.reason === null ? null : [": ", <Told class="wrap">{struck.reason}</Told>]}
        </span>
        <Form action={paths.unstrike(id)} hidden={[["back", back]]} class={null}>
          <button class="btn bare">
            Put back
            <Unseen>
              {" "}
              the entry <Told>{entry.ref}</Told>
            </Unseen>
          </button>
        </Form>
      </div>
    );
  }
  const refused = props.refused?.id === id ? props.refused : null;
  return (
    <details class="sure" open={refused !== null}>
      <summary class="btn bare">
        Strike
        <Unseen>
          {" "}
          the entry <Told>{entry.ref}</Told>
        </Unseen>
      </summary>
      <Form action={paths.strike(id)} hidden={[["back", back]]} class="stack tight form">
        <TextField
          id={`reason-${id}`}
          name="reason"
          label="Why (optional)"
          help="The entry stays here, marked as a mistake; charts no longer show it."
          filled={{ values: { reason: refused?.reason ?? "" }, errors: { reason: refused?.error } }}
          maxlength={LONGEST_REASON}
          autocomplete="off"
        />
        <div>
          <button class="btn">Strike it</button>
        </div>
      </Form>
    </details>
  );
}
