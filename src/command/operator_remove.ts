import { findOperator, removeOperator } from "../operators/mod.ts";
import { type Command, command, done, refused } from "./contract.ts";
import { noOperator } from "./near_operators.ts";

/** `operator remove`. */
export const operatorRemove: Command = command({
  name: "operator remove",
  summary: "remove an operator, with sessions and tokens",
  takes: ["<name>"],
  about: [
    "Removes an operator: their sessions end, and what is sent with their tokens is refused. What they did stays under their name. The last operator who can sign in is never removed: add another first.",
  ],
  options: {},
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
    return done(
      "",
      [
        `${name} is removed: ${counted(endedSessions, "session")} ended, ${counted(revokedTokens.length, "token")} revoked`,
        ...(byProxy && isPerson
          ? [
              "TRUSTED_AUTH_HEADER is set: whom the proxy names signs in and is added anew; take them out there, too.",
            ]
          : []),
      ].join("\n"),
    );
  },
});

function counted(count: number, one: string): string {
  return `${count} ${count === 1 ? one : `${one}s`}`;
}
