import { listTokens, namedTokenId, revokeSiteToken } from "../assets/mod.ts";
import type { Deps } from "../deps.ts";
import { shown } from "../lib/command_line.ts";
import { parseTokenText } from "../lib/token_text.ts";
import { listApiTokens, revokeApiToken } from "../operators/mod.ts";
import { type Command, command, done, type Outcome, refused } from "./contract.ts";
import { minuteOf } from "./listing.ts";

/** `token remove`. */
export const tokenRemove: Command = command({
  name: "token remove",
  summary: "revoke a token, by its id",
  takes: ["<id>"],
  about: [
    "Revokes a token: what is sent with it is refused from now on. Its record stays (tower token list --revoked). The id is what tower token list and the Tower show; it stands in the token after the first underscore. A token from ASSET_TOKENS can be taken back only there.",
  ],
  options: {},
  judge: ({ args: [id = ""] }) => {
    const { keyId } = parseTokenText(id) ?? {};
    return keyId === undefined
      ? undefined
      : `that is a token itself, which belongs into no command: its id is ${keyId}`;
  },
  run: async (deps, { args: [id = ""] }) => {
    const { db } = deps.store;
    const by = { actor: "command-line", now: deps.clock.now() };
    const ofSite = listTokens(db, { revoked: true }).find((token) => token.id === id);
    if (ofSite !== undefined) {
      return revoked(await revokeSiteToken(deps, id, by), id, ofSite.asset, ofSite.revokedAt);
    }
    const ofOperator = listApiTokens(db, { revoked: true }).find((token) => token.id === id);
    if (ofOperator !== undefined) {
      return revoked(await revokeApiToken(deps, id, by), id, ofOperator.operatorName, ofOperator.revokedAt);
    }
    return named(deps, id) ?? refused(`there is no token ${shown(id)}: tower token list shows the ids`);
  },
});

function revoked(isRevoked: boolean, id: string, owner: string, before: number | null): Outcome {
  return isRevoked
    ? done("", `Token ${id} of ${owner} is revoked: what is sent with it is refused.`)
    : refused(`token ${id} of ${owner} was revoked before, ${minuteOf(before)}`);
}

/** The refusal of a token that the setting gives. */
function named({ siteTokens, config }: Deps, id: string): Outcome | undefined {
  const token = siteTokens.named().find((known) => namedTokenId(known) === id);
  if (token === undefined) return undefined;
  const { assetTokensFile } = config;
  const place =
    assetTokensFile === undefined
      ? "in the ASSET_TOKENS setting: take it out there and start the service anew"
      : `in the ASSET_TOKENS setting or in ${assetTokensFile} (ASSET_TOKENS_FILE): take it out there and start the service anew; for the file SIGHUP is enough`;
  return refused(`token ${id} of ${token.asset} stands ${place}`);
}
