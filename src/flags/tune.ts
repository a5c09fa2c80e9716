import type { Tx } from "../db/mod.ts";
import { type ActOutcome, type ActRequest, performAct } from "./act.ts";
import { tuning } from "./transitions.ts";

/**
 * Notes on a flag that its rule's thresholds were changed because of it. Writing the thresholds into the constants document
 * is the caller's part; `text` says what was changed, for the record, and `version` which version of the document that made: with it the tune can be undone.
 */
export function recordTune(
  tx: Tx,
  request: ActRequest & { readonly text: string; readonly version?: number },
): ActOutcome {
  const { text, version } = request;
  const data = version === undefined ? {} : { constants_version: version };
  return performAct(tx, request, { name: "tune", decide: () => tuning(request.now), text, data });
}
