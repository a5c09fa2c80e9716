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
  type Command,
  command,
  instantOf,
  listCommand,
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

const operatorAdd = command({
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

const operatorReset = command({
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

const operatorList = listCommand({
  name: "operator list",
  summary: "list the operators",
  about: ["Lists the operators: people, who sign in, and services, who hold tokens."],
  none: "no operator yet: tower operator add <name>, or the set-up link of the running service",
  rows: ({ store: { db }, config }) => {
    const tokens = Map.groupBy(listApiTokens(db), ({ operatorName }) => operatorName);
    const proxy = config.trustedAuthHeader === undefined ? [] : ["proxy"];
    return listOperators(db).map(({ name, kind, hasPassword, addedAt }) => ({
      name,
      kind,
      signs_in_with: kind === "service" ? [] : [...(hasPassword ? ["password"] : []), ...proxy],
      tokens: tokens.get(name)?.length ?? 0,
      added_at: instantOf(addedAt),
    }));
  },
  columns: [
    ["NAME", ({ name }) => name],
    ["KIND", ({ kind }) => kind],
    ["SIGNS IN WITH", ({ signs_in_with }) => signs_in_with.join(", ")],
    ["TOKENS", ({ tokens }) => String(tokens)],
    ["ADDED", ({ added_at }) => minuteOf(added_at)],
  ],
});

const operatorRemove = command({
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

export const OPERATOR_COMMANDS: readonly Command[] = [
  operatorAdd,
  operatorReset,
  operatorList,
  operatorRemove,
];
