import { addOperator, resetPassword } from "../operators/mod.ts";
import { type Command, done, refused, usage } from "./contract.ts";

const PASSWORD_HELP = `The password (12 to 256 characters) is asked for on the terminal without showing it. When standard input is not a
terminal, its first line is the password; a second line, if there, must be the same.`;

const BY = "command-line";

/** `operator add`. */
export const operatorAdd: Command = {
  name: "operator add",
  summary: "add an operator who signs in with a password",
  help: `Usage: tower operator add <name>\n\nAdds an operator.\n\n${PASSWORD_HELP}`,
  wantsPassword: true,
  run: async (deps, { args, password = "" }) => {
    const [name, ...rest] = args;
    if (name === undefined || rest.length > 0) return usage(operatorAdd, "exactly one name is needed");
    const result = await addOperator(deps, { name, password }, { actor: BY, now: deps.clock.now() });
    return result.ok ? done("", `${result.operator.name} can sign in now`) : refused(result.reason);
  },
};

/** `operator reset`. */
export const operatorReset: Command = {
  name: "operator reset",
  summary: "set a new password for an operator",
  help: `Usage: tower operator reset <name>\n\nSets a new password and ends the operator's sessions.\n\n${PASSWORD_HELP}`,
  wantsPassword: true,
  run: async (deps, { args, password = "" }) => {
    const [name, ...rest] = args;
    if (name === undefined || rest.length > 0) return usage(operatorReset, "exactly one name is needed");
    const result = await resetPassword(deps, { name, password }, { actor: BY, now: deps.clock.now() });
    return result.ok
      ? done("", `${name} has a new password; the sessions before are ended`)
      : refused(result.reason);
  },
};
