import { titleOf } from "../../flags/mod.ts";
import { Told } from "../component/text.tsx";
import { type Outcome, outcomeWords } from "./outcome.ts";

/** What the last act did, at the foot of the window: no row moves under the pointer. It stands outside what refreshes. */
export function OutcomeBar(props: {
  readonly outcome: Outcome | null;
  readonly now: number;
  /** Marks it for an answer that brings it along. */
  readonly swap?: boolean;
}) {
  const { outcome, now } = props;
  const only = outcome?.kind === "made" ? outcome.only : undefined;
  return (
    <div
      id="flags-told"
      role="status"
      data-still
      hx-swap-oob={props.swap === true ? "outerMorph" : undefined}
    >
      {outcome === null ? null : (
        <div class="told">
          <p>
            {outcomeWords(outcome, now)}
            {only === undefined ? null : (
              <small>
                <Told>{only.asset}</Told>: <Told>{titleOf(only, now)}</Told>
              </small>
            )}
          </p>
        </div>
      )}
    </div>
  );
}
