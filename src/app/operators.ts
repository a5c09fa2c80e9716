/** Commands on operators. */

import { listApiTokens, removeOperator } from "../access/api_tokens.ts";
import {
  addOperator,
  findOperator,
  listOperators,
  NAME_FAULT as OPERATOR_NAME_FAULT,
  operatorNameOf,
} from "../access/operators.ts";
import { resetPassword } from "../access/sign_in.ts";
import { nounFor } from "../base/text.ts";
import type { Db } from "../store/store.ts";
import {
  byCommandLine,
  command,
  instantOf,
  JSON_OPTION,
  listing,
  minuteOf,
  notice,
  refused,
  unknownName,
} from "./command.ts";

/** The refusal of a name that no operator has; undefined where one has it. */
export function noOperator(db: Db, name: string): string | undefined {
  if (findOperator(db, name) !== undefined) return undefined;
  const names = listOperators(db).map((operator) => operator.name);
  return unknownName("operator", name, names);
}

const PASSWORD_HELP =
  "The password (12 to 256 characters) is asked for on the terminal without showing it. When standard input is not a terminal, its first line is the password; a second line, if there, must be the same.";

export const operatorAdd = command({
  name: "operator add",
  summary: "add an operator who signs in with a password",
  setsUp: true,
  takes: ["<name>"],
  about: ["Adds an operator who signs in to the Tower.", PASSWORD_HELP],
  wantsPassword: true,
  judge: ({ args: [name = ""] }) => (operatorNameOf(name) === undefined ? OPERATOR_NAME_FAULT : undefined),
  run: async (deps, { args: [name = ""], password = "" }) => {
    const result = await addOperator(deps, { name, password }, byCommandLine(deps));
    return result.ok ? notice(`${result.operator.name} can sign in now`) : refused(result.reason);
  },
});

export const operatorReset = command({
  name: "operator reset",
  summary: "set a new password for an operator",
  takes: ["<name>"],
  about: ["Sets a new password and ends the operator's sessions.", PASSWORD_HELP],
  wantsPassword: true,
  run: async (deps, { args: [name = ""], password = "" }) => {
    const unknown = noOperator(deps.store.db, name);
    if (unknown !== undefined) return refused(unknown);
    const result = await resetPassword(deps, { name, password }, byCommandLine(deps));
    return result.ok
      ? notice(`${name} has a new password; the sessions before are ended`)
      : refused(result.reason);
  },
});

export const operatorList = command({
  name: "operator list",
  summary: "list the operators",
  about: ["Lists the operators: people, who sign in, and services, who hold tokens."],
  options: { json: JSON_OPTION },
  run: ({ store: { db }, config }, { options: { json = false } }) => {
    const tokens = listApiTokens(db);
    const countOf = (name: string) => tokens.filter(({ operatorName }) => operatorName === name).length;
    const byProxy = config.trustedAuthHeader !== undefined;
    const waysIn = ({
      kind,
      hasPassword,
    }: {
      readonly kind: string;
      readonly hasPassword: boolean;
    }): string[] =>
      kind === "service" ? [] : [...(hasPassword ? ["password"] : []), ...(byProxy ? ["proxy"] : [])];
    return listing(listOperators(db), {
      json,
      none: "no operator yet: tower operator add <name>, or the set-up link of the running service",
      columns: [
        { head: "NAME", cell: ({ name }) => name },
        { head: "KIND", cell: ({ kind }) => kind },
        { head: "SIGNS IN WITH", cell: (operator) => waysIn(operator).join(", ") },
        { head: "TOKENS", cell: ({ name }) => String(countOf(name)) },
        { head: "ADDED", cell: ({ addedAt }) => minuteOf(addedAt) },
      ],
      asJson: (operator) => ({
        name: operator.name,
        kind: operator.kind,
        signs_in_with: waysIn(operator),
        tokens: countOf(operator.name),
        added_at: instantOf(operator.addedAt),
      }),
    });
  },
});

export const operatorRemove = command({
  name: "operator remove",
  summary: "remove an operator, with sessions and tokens",
  takes: ["<name>"],
  about: [
    "Removes an operator: their sessions end, and what is sent with their tokens is refused. What they did stays under their name. The last operator who can sign in is never removed: add another first.",
  ],
  run: async (deps, { args: [name = ""] }) => {
    const unknown = noOperator(deps.store.db, name);
    if (unknown !== undefined) return refused(unknown);
    const isPerson = findOperator(deps.store.db, name)?.kind === "person";
    const byProxy = deps.config.trustedAuthHeader !== undefined;
    const by = { actor: "command-line", now: deps.clock.now(), byProxy };
    const removed = await removeOperator(deps, name, by);
    if (!removed.ok) {
      return refused(
        removed.why === "last"
          ? `${name} is the last operator who can sign in: add another first (tower operator add <name>)`
          : `there is no operator ${name}`,
      );
    }
    const { endedSessions, revokedTokens } = removed;
    return notice(
      [
        `${name} is removed: ${endedSessions} ${nounFor(endedSessions, "session")} ended, ${revokedTokens.length} ${nounFor(revokedTokens.length, "token")} revoked`,
        ...(byProxy && isPerson
          ? [
              "TRUSTED_AUTH_HEADER is set: whom the proxy names signs in and is added anew; take them out there, too.",
            ]
          : []),
      ].join("\n"),
    );
  },
});
