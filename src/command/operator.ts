import { addOperator, OPERATOR_NAME_FAULT, operatorNameOf, resetPassword } from "../operators/mod.ts";
import { type Command, command, done, refused } from "./contract.ts";
import { noOperator } from "./near_operators.ts";

const PASSWORD_HELP =
  "The password (12 to 256 characters) is asked for on the terminal without showing it. When standard input is not a terminal, its first line is the password; a second line, if there, must be the same.";

const BY = "command-line";

/** `operator add`. */
export const operatorAdd: Command = command({
  name: "operator add",
  summary: "add an operator who signs in with a password",
  setsUp: true,
  takes: ["<name>"],
  about: ["Adds an operator who signs in to the Tower.", PASSWORD_HELP],
  options: {},
  wantsPassword: true,
  judge: ({ args: [name = ""] }) => (operatorNameOf(name) === undefined ? OPERATOR_NAME_FAULT : undefined),
  run: async (deps, { args: [name = ""], password = "" }) => {
    const result = await addOperator(deps, { name, password }, { actor: BY, now: deps.clock.now() });
    return result.ok ? done("", `${result.operator.name} can sign in now`) : refused(result.reason);
  },
});

/** `operator reset`. */
export const operatorReset: Command = command({
  name: "operator reset",
  summary: "set a new password for an operator",
  takes: ["<name>"],
  about: ["Sets a new password and ends the operator's sessions.", PASSWORD_HELP],
  options: {},
  wantsPassword: true,
  run: async (deps, { args: [name = ""], password = "" }) => {
    const unknown = noOperator(deps.store.db, name);
    if (unknown !== undefined) return refused(unknown);
    const result = await resetPassword(deps, { name, password }, { actor: BY, now: deps.clock.now() });
    return result.ok
      ? done("", `${name} has a new password; the sessions before are ended`)
      : refused(result.reason);
  },
});
