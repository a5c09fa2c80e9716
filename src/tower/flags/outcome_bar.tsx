import { titleOf } from "../../flags/mod.ts";
import { Told } from "../component/text.tsx";
import { actsText, type Outcome, outcomeWords } from "./outcome.ts";
import { BULK_FORM } from "./query.ts";

/**
 * What the last act did, with the way back, at the foot of the window: no row moves under the pointer. It stands outside what
 * refreshes, so that the way back stays until the next act. Its button belongs to the list's own form.
 */
export function OutcomeBar(props: {
  readonly outcome: Outcome | null;
  readonly now: number;
  /** Marks it for an answer that brings it along. */
  readonly swap?: boolean;
}) {
  const { outcome, now } = props;
  return (
    <div
      id="flags-told"
      role="status"
      data-still
      hx-swap-oob={props.swap === true ? "outerMorph" : undefined}
    >
      {outcome === null ? null : <Sentence outcome={outcome} now={now} />}
    </div>
  );
}

function Sentence({ outcome, now }: { readonly outcome: Outcome; readonly now: number }) {
  const only = outcome.kind === "nothing" ? undefined : outcome.only;
  const acts = outcome.kind === "made" ? outcome.acts : null;
  return (
    <div class="told" data-back={outcome.kind === "undone" && only !== undefined ? only.id : undefined}>
      <p>
        {outcomeWords(outcome, now)}
        {only === undefined ? null : (
          <small>
            <Told>{only.asset}</Told>: <Told>{titleOf(only, now)}</Told>
          </small>
        )}
      </p>
      {acts === null ? null : (
        <button class="btn" form={BULK_FORM} name="undo" value={actsText(acts)} data-undo>
          Undo <kbd>u</kbd>
        </button>
      )}
    </div>
  );
}
