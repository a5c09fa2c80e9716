import type { Tx } from "../db/mod.ts";
import { type ActOutcome, type ActRequest, performAct } from "./act.ts";
import { droppingHypothesis, notingHypothesis } from "./transitions.ts";

/** Notes what could explain a flag, in the operator's words (see `readNote`). Nothing is concluded from it. */
export function noteHypothesis(tx: Tx, request: ActRequest & { readonly text: string }): ActOutcome {
  const { text } = request;
  return performAct(tx, request, {
    name: "hypothesis",
    decide: (flag) => notingHypothesis(flag, text),
    text,
  });
}

/** Takes the hypothesis off. */
export function dropHypothesis(tx: Tx, request: ActRequest): ActOutcome {
  return performAct(tx, request, { name: "drop_hypothesis", decide: droppingHypothesis });
}
