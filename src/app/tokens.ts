/** Commands on the tokens of sites and of operators. */

import type { Scope } from "../access/access.ts";
import { issueServiceToken, listApiTokens, removeOperator } from "../access/api_tokens.ts";
import {
  addOperator,
  findOperator,
  listOperators,
  NAME_FAULT as OPERATOR_NAME_FAULT,
  operatorNameOf,
  SCOPES,
} from "../access/operators.ts";
import { resetPassword } from "../access/sign_in.ts";
import { parseTokenText, revokeToken } from "../access/tokens.ts";
import { shown } from "../base/command_line.ts";
import { readContract } from "../base/contract.ts";
import { didYouMean, nearest, nounFor } from "../base/text.ts";
import {
  issueSiteToken,
  listTokens,
  namedTokenId,
  revokeSiteToken,
  settingTokenUses,
} from "../sites/site_tokens.ts";
import { NewAssetSchema } from "../sites/sites.ts";
import type { Db } from "../store/store.ts";
import type { Deps } from "./app.ts";
import {
  byCommandLine,
  type Command,
  command,
  done,
  instantOf,
  listCommand,
  notice,
  type Outcome,
  refused,
  unknownName,
} from "./command.ts";

// Commands on operators.

/** The refusal of a name that no operator has; undefined where one has it. */
function noOperator(db: Db, name: string): string | undefined {
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
  columns: ["name", "kind", "signs_in_with", "tokens", "added_at"],
});

const operatorRemove = command({
  name: "operator remove",
  summary: "remove an operator, with sessions and tokens",
  takes: ["<name>"],
  about: [
    "Removes an operator with their sessions and tokens. Their acts keep their name. The last operator who can sign in cannot be removed: add another first.",
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
              "TRUSTED_AUTH_HEADER is set: whoever the proxy names signs in and is added again. Remove them there, too.",
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

const tokenIssue = command({
  name: "token issue",
  summary: "issue a token for a site or an operator",
  setsUp: true,
  about: [
    "Issues a token and prints it alone on standard output. It is shown once; only its hash is stored. Its id, as in tower token list and the audit, is the part after the first underscore.",
  ],
  options: {
    asset: { value: "<id>", says: "the site that sends reports with it; added if it does not exist" },
    operator: {
      value: "<name>",
      says: "the operator it belongs to; if none has that name, a service operator is added, who cannot sign in",
    },
    scopes: {
      value: "<scope,…>",
      says: `the scopes of an operator's token, separated by commas: ${SCOPES.join(", ")}`,
    },
  },
  judge: ({ options: { asset, operator, scopes } }) => {
    if (asset !== undefined && operator !== undefined)
      return "--asset and --operator exclude each other: a token is of one";
    if (asset !== undefined) {
      if (scopes !== undefined)
        return "--scopes goes with --operator: a site's token sends reports and nothing else";
      const read = readContract(NewAssetSchema.entries.id, asset);
      return read.ok ? { asset } : `--asset ${read.errors[0]?.message}`;
    }
    if (operator === undefined) return "either --asset or --operator is needed";
    if (operatorNameOf(operator) === undefined) {
      return "--operator must start with a letter or digit and hold at most 64 plain characters";
    }
    if (scopes === undefined) return `--operator needs --scopes: some of ${SCOPES.join(", ")}`;
    const words = scopes.split(/[\s,]+/).filter((word) => word !== "");
    const unknown = words.find((word) => !SCOPES.some((scope) => scope === word));
    if (unknown === undefined && words.length > 0) {
      return { operator, scopes: SCOPES.filter((scope) => words.includes(scope)) };
    }
    const said =
      unknown === undefined ? "" : `; ${shown(unknown)} is none${didYouMean(nearest(unknown, SCOPES))}`;
    return `--scopes must name some of ${SCOPES.join(", ")}${said}`;
  },
  run: (deps, { read }) =>
    "asset" in read ? ofSite(deps, read.asset) : ofOperator(deps, read.operator, read.scopes),
});

async function ofSite(deps: Deps, asset: string): Promise<Outcome> {
  const { token, id, assetAdded } = await issueSiteToken(deps, asset, byCommandLine(deps));
  const added = assetAdded ? [`${asset} was added to the portfolio.`] : [];
  return done(token, [...added, shownOnce(id, asset)].join("\n"));
}

async function ofOperator(deps: Deps, name: string, scopes: readonly Scope[]): Promise<Outcome> {
  const by = byCommandLine(deps);
  const { id, token, operator, operatorAdded } = await issueServiceToken(deps, name, scopes, by);
  const added = operatorAdded
    ? [`There was no operator ${operator}: a service operator was made, who holds tokens and cannot sign in.`]
    : [];
  return done(token, [...added, shownOnce(id, `${operator} (${scopes.join(", ")})`)].join("\n"));
}

function shownOnce(id: string, whose: string): string {
  return `Token ${id} of ${whose}: shown once, keep it now.`;
}

/** What issued tokens of sites and of operators have alike in a list: never the token itself. */
const issued = (
  token: Pick<ReturnType<typeof listTokens>[number], "createdAt" | "createdBy">,
  lastUsedAt: number | null,
) => ({
  origin: "issued",
  made_at: instantOf(token.createdAt),
  made_by: token.createdBy,
  last_used_at: instantOf(lastUsedAt),
});

const tokenList = listCommand({
  name: "token list",
  summary: "list the tokens, by id",
  about: [
    "Lists the valid tokens, those of sites first, by the ids that the audit uses. Tokens from ASSET_TOKENS are included; remove those there.",
  ],
  none: "no token in force",
  rows: ({ store: { db }, siteTokens, apiTokens }) => {
    const uses = settingTokenUses(db);
    const ofSite = { operator: null, scopes: ["reports"] };
    return [
      ...listTokens(db).map((token) => ({
        ...{ id: token.id, asset: token.asset, ...ofSite },
        ...issued(token, siteTokens.lastUse(token, token.lastUsedAt)),
      })),
      // One that the setting names can be taken back only there.
      ...siteTokens.named().map((token) => ({
        ...{ id: namedTokenId(token), asset: token.asset, ...ofSite },
        ...{ origin: "ASSET_TOKENS", made_at: null, made_by: null },
        last_used_at: instantOf(siteTokens.lastUse(token, uses.get(token.digest) ?? null)),
      })),
      ...listApiTokens(db).map((token) => ({
        ...{ id: token.id, asset: null, operator: token.operatorName, scopes: token.scopes },
        ...issued(token, apiTokens.lastUse(token, token.lastUsedAt)),
      })),
    ];
  },
  columns: ["id", "asset", "operator", "scopes", "origin", "made_at", "made_by", "last_used_at"],
});

const tokenRemove = command({
  name: "token remove",
  summary: "revoke a token, by its id",
  takes: ["<id>"],
  about: [
    "Revokes a token, so that it is refused from now on. The id is in tower token list, and in the token after the first underscore. A token from ASSET_TOKENS is removed there.",
  ],
  judge: ({ args: [id = ""] }) => {
    const { keyId } = parseTokenText(id) ?? {};
    return keyId === undefined
      ? undefined
      : `that is a token itself, which belongs into no command: its id is ${keyId}`;
  },
  run: async (deps, { args: [id = ""] }) => {
    const by = byCommandLine(deps);
    return (await revokeSiteToken(deps, id, by)) || (await revokeToken(deps.writer, deps.apiTokens, id, by))
      ? notice(`Token ${id} is revoked: what is sent with it is refused.`)
      : (named(deps, id) ?? refused(`there is no valid token ${shown(id)}: tower token list shows the ids`));
  },
});

/** The refusal of a token that the setting gives. */
function named({ siteTokens, config }: Deps, id: string): Outcome | undefined {
  const token = siteTokens.named().find((known) => namedTokenId(known) === id);
  if (token === undefined) return undefined;
  const { assetTokensFile } = config;
  const place =
    assetTokensFile === undefined
      ? "in the ASSET_TOKENS setting: take it out there and restart the service"
      : `in the ASSET_TOKENS setting or in ${assetTokensFile} (ASSET_TOKENS_FILE): take it out there and restart the service; for the file SIGHUP is enough`;
  return refused(`token ${id} of ${token.asset} stands ${place}`);
}

export const TOKEN_COMMANDS: readonly Command[] = [tokenIssue, tokenList, tokenRemove];
