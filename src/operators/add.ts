import { appendAudit } from "../audit/mod.ts";
import type { Tx } from "../db/mod.ts";
import { type Operator, operatorNameOf } from "./contract.ts";
import { passwordFault } from "./judge.ts";
import type { By, OperatorDeps } from "./needs.ts";
import { findOperator, insertOperator, type StoredOperator } from "./store.ts";

/** An operator was made, or a sentence says why not and which field is meant. */
export type AddOperatorResult =
  | { readonly ok: true; readonly operator: Operator }
  | { readonly ok: false; readonly field: "name" | "password"; readonly reason: string };

/** The sentence for a name that is none. */
export const NAME_FAULT =
  "A name starts with a letter or digit and holds letters, digits, spaces and . _ @ + ' - only, at most 64.";

/** Adds a person who signs in with a password. */
export async function addOperator(
  deps: OperatorDeps,
  asked: { readonly name: string; readonly password: string },
  by: By,
): Promise<AddOperatorResult> {
  const judged = await judgeNew(asked);
  if (!judged.ok) return judged;
  const hash = await deps.passwords.hash(asked.password);
  const operator = personOf(deps, judged.name, hash);
  return deps.writer.write((tx): AddOperatorResult => {
    if (findOperator(tx, operator.name) !== undefined) return taken(operator.name);
    recordOperator(tx, operator, by);
    return { ok: true, operator: publicOf(operator) };
  });
}

/** Judges the name and the password of a new operator, before anything costly is done. */
export async function judgeNew(asked: {
  readonly name: string;
  readonly password: string;
}): Promise<{ readonly ok: true; readonly name: string } | Extract<AddOperatorResult, { ok: false }>> {
  const name = operatorNameOf(asked.name);
  if (name === undefined) return { ok: false, field: "name", reason: NAME_FAULT };
  const reason = await passwordFault(asked.password, name);
  return reason === undefined ? { ok: true, name } : { ok: false, field: "password", reason };
}

/** A new person, to be inserted. */
export function personOf(
  deps: Pick<OperatorDeps, "ids">,
  name: string,
  passwordHash: string | null,
): StoredOperator {
  return { id: deps.ids.uuid(), name, kind: "person", passwordHash };
}

/** Inserts an operator and its audit row. */
export function recordOperator(tx: Tx, operator: StoredOperator, by: By): void {
  insertOperator(tx, operator, by.now);
  appendAudit(tx, {
    at: by.now,
    actor: by.actor,
    act: "operator.add",
    target: operator.name,
    detail: { kind: operator.kind, signs_in: operator.passwordHash !== null },
  });
}

/** An operator without its hash. */
export function publicOf({ id, name, kind }: StoredOperator): Operator {
  return { id, name, kind };
}

function taken(name: string): AddOperatorResult {
  return { ok: false, field: "name", reason: `There is an operator named ${name} already.` };
}
