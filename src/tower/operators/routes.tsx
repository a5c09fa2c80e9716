import {
  type ApiTokenBook,
  isLastWhoSignsIn,
  type ListedOperator,
  listApiTokens,
  listOperators,
  removeOperator,
} from "../../operators/mod.ts";
import { Problem } from "../../platform/problem.ts";
import { confirmed } from "../confirm/confirmed_form.tsx";
import { withNotice } from "../cookies.ts";
import { own } from "../kit/gates.ts";
import { mounted } from "../kit/route.ts";
import { paths } from "../paths.ts";
import { seeOther } from "../respond.ts";
import type { DoorDeps } from "../sign_in/let_in.ts";
import { type OperatorRow, OperatorsPage } from "./page.tsx";

/** What the operators' page needs. */
export interface OperatorsDeps extends DoorDeps {
  readonly apiTokens: ApiTokenBook;
  readonly config: { readonly trustedAuthHeader: string | undefined };
}

/** `/settings/operators`: who operates this Tower, and removing one of them. */
export function operatorRoutes(deps: OperatorsDeps) {
  const byProxy = deps.config.trustedAuthHeader !== undefined;
  return mounted(deps, [
    own.get(paths.operators, {}, ({ shell, actor }) => (
      <OperatorsPage shell={shell} operators={rowsOf(deps, actor.name, byProxy)} />
    )),
    confirmed().post(paths.removeOperator, {}, async ({ params: { name }, actor, by }) => {
      if (name === actor.name)
        throw new Problem("conflict", "Nobody removes themselves here: another operator can.");
      const removed = await removeOperator(deps, name, { ...by, byProxy });
      if (removed.ok) return seeOther(withNotice(paths.operators, "operator-removed"));
      throw removed.why === "last"
        ? new Problem("conflict", "This is the last operator who can sign in.")
        : new Problem("not-found", "There is no such operator; they may have been removed before.");
    }),
  ]);
}

function rowsOf({ store: { db } }: OperatorsDeps, own: string, byProxy: boolean): OperatorRow[] {
  const tokens = listApiTokens(db);
  const operators = listOperators(db);
  return operators.map((operator) => ({
    name: operator.name,
    kind: operator.kind,
    signsInWith: waysIn(operator, byProxy),
    tokens: tokens.filter(({ operatorName }) => operatorName === operator.name).length,
    addedAt: operator.addedAt,
    stays:
      operator.name === own
        ? "you"
        : isLastWhoSignsIn(operators, operator.name, { byProxy })
          ? "the last who can sign in"
          : null,
  }));
}

function waysIn({ kind, hasPassword }: ListedOperator, byProxy: boolean): string {
  if (kind === "service") return "no";
  const ways = [...(hasPassword ? ["with a password"] : []), ...(byProxy ? ["through the proxy"] : [])];
  return ways.length === 0 ? "no: there is no password" : ways.join(", ");
}
