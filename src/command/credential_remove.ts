import { removeAccount } from "../connections/mod.ts";
import { type Command, command, done, refused } from "./contract.ts";
import { noCredential } from "./credential_words.ts";

/** `credential remove`. */
export const credentialRemove: Command = command({
  name: "credential remove",
  summary: "remove a stored account with its secret",
  takes: ["<id>"],
  about: [
    "Removes a stored account: its secret, and with it the attachments that were made with it, each of which is said. What was pulled with it stays. At the provider the account goes on; it is taken back there.",
  ],
  options: {},
  run: async (deps, { args: [id = ""] }) => {
    const removed = await removeAccount(deps, id, { actor: "command-line", now: deps.clock.now() });
    if (removed === undefined) return refused(noCredential(deps, id));
    const { credential, detached } = removed;
    return done(
      "",
      [
        `${credential.label} is removed with its secret. What was pulled with it stays.`,
        ...detached.map(
          ({ asset, provider, property }) =>
            `${asset} has no ${provider} property any more (it was ${property})`,
        ),
      ].join("\n"),
    );
  },
});
