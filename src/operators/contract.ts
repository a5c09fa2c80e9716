import * as v from "valibot";
import { rule, ruleMessage, text } from "../lib/contract.ts";
import type { Scope } from "../platform/access.ts";

/** What an operator API token may be used for. */
export const SCOPES = ["annotations", "ledger", "health:read", "read"] as const satisfies readonly Scope[];
export type { Scope };

/** A person signs in; a service only holds tokens. */
export type OperatorKind = "person" | "service";

/** Someone, or something, that operates the Tower. */
export interface Operator {
  readonly id: string;
  readonly name: string;
  readonly kind: OperatorKind;
}

/** Letters, digits and what stands in user names and addresses; no comma, so two joined headers are no name. */
const NAME = /^[\p{L}\p{N}][\p{L}\p{M}\p{N} ._@+'-]*$/u;

function isOperatorName(name: string): boolean {
  return NAME.test(name) && !name.endsWith(" ") && name.normalize("NFC") === name;
}

/** An operator's name. Two names that look alike but differ in Unicode form cannot both exist: only NFC is accepted. */
const OperatorNameSchema = v.pipe(
  text(64),
  rule<string>(
    "operator-name",
    isOperatorName,
    "must start with a letter or digit and hold letters, digits, spaces and . _ @ + ' - only",
  ),
);

/** The name a text stands for, in NFC; `undefined` when it is none. */
export function operatorNameOf(text: string): string | undefined {
  const name = v.safeParse(OperatorNameSchema, text.isWellFormed() ? text.normalize("NFC") : text);
  return name.success ? name.output : undefined;
}

/** A token's scopes: at least one, each once, in the order of `SCOPES`. */
const ScopesSchema = v.pipe(
  v.array(v.picklist(SCOPES, ruleMessage("scope", `must be one of ${SCOPES.join(", ")}`))),
  rule<Scope[]>("min-items", (scopes) => scopes.length > 0, "must hold at least one scope"),
  v.transform((scopes) => SCOPES.filter((scope) => scopes.includes(scope))),
);

/** Reads scopes from words; `undefined` when one is unknown or there is none. */
export function scopesOf(words: readonly string[]): readonly Scope[] | undefined {
  const scopes = v.safeParse(ScopesSchema, words);
  return scopes.success ? scopes.output : undefined;
}
