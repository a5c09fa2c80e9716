import type { Tx } from "../db/mod.ts";
import { type ActOutcome, type ActRequest, performAct } from "./act.ts";
import { linkingIncident, unlinkingIncident } from "./transitions.ts";

/** Links an incident by its reference or in words (see `readNote`); a new text takes the place of the old one. */
export function linkIncident(tx: Tx, request: ActRequest & { readonly text: string }): ActOutcome {
  const { text } = request;
  return performAct(tx, request, { name: "incident", decide: (flag) => linkingIncident(flag, text), text });
}

/** Takes the incident off. */
export function unlinkIncident(tx: Tx, request: ActRequest): ActOutcome {
  return performAct(tx, request, { name: "unlink_incident", decide: unlinkingIncident });
}
