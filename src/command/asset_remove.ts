import { hasAsset } from "../assets/mod.ts";
import { barWords, removeSite } from "../removal/mod.ts";
import { type Command, command, done, refused } from "./contract.ts";
import { noSite } from "./near_sites.ts";

/** `asset remove`. */
export const assetRemove: Command = command({
  name: "asset remove",
  summary: "take out a site that was a mistake",
  takes: ["<id>"],
  about: [
    "Takes a site out of the portfolio and revokes its tokens. Only one that never reported: what was reported is never erased. A site that is no longer monitored is retired: tower asset add <id> --lifecycle retired. What stands on the timeline for it stays, marked as of no site.",
  ],
  options: {},
  run: async (deps, { args: [id = ""] }) => {
    const { db } = deps.store;
    if (!hasAsset(db, id)) return refused(noSite(db, id));
    const removed = await removeSite(deps, id, { actor: "command-line", now: deps.clock.now() });
    if (removed.ok) {
      const { length } = removed.revokedTokens;
      const tokens =
        length === 0 ? "" : `, and ${length === 1 ? "its token is" : `its ${length} tokens are`} revoked`;
      return done("", `${id} is taken out of the portfolio${tokens}`);
    }
    const instead = removed.bar === "stored" ? ` Retire it: tower asset add ${id} --lifecycle retired` : "";
    return refused(`${barWords(removed.bar, id)}${instead}`);
  },
});
