/** Commands on the tokens of sites and of operators. */

import type { Scope } from "../access/access.ts";
import { issueServiceToken, listApiTokens, removeOperator, revokeApiToken } from "../access/api_tokens.ts";
import {
  addOperator,
  findOperator,
  listOperators,
  NAME_FAULT as OPERATOR_NAME_FAULT,
  operatorNameOf,
  SCOPES,
} from "../access/operators.ts";
import { resetPassword } from "../access/sign_in.ts";
import { parseTokenText } from "../access/tokens.ts";
import { shown } from "../base/command_line.ts";
import { readContract } from "../base/contract.ts";
import { didYouMean, nearest } from "../base/nearest.ts";
import { nounFor } from "../base/text.ts";
import {
  issueSiteToken,
  listTokens,
  namedTokenId,
  revokeSiteToken,
  settingTokenUses,
} from "../sites/site_tokens.ts";
import { hasAsset, NewAssetSchema } from "../sites/sites.ts";
import type { Db } from "../store/store.ts";
import type { Deps } from "./app.ts";
import {
  byCommandLine,
  type Command,
  command,
  done,
  instantOf,
  listCommand,
  minuteOf,
  notice,
  type Outcome,
  refused,
  unknownName,
} from "./command.ts";
import { likeKnownSites, noSite } from "./sites.ts";

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
  forms: ["--asset <id>", "--operator <name> --scopes <scope,…>"],
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
      return read.ok ? undefined : `--asset ${read.errors[0]?.message}`;
    }
    if (operator === undefined) return "either --asset or --operator is needed";
    if (operatorNameOf(operator) === undefined) {
      return "--operator must start with a letter or digit and hold at most 64 plain characters";
    }
    return scopeFault(scopes);
  },
  run: (deps, { options: { asset, operator = "", scopes } }) =>
    asset === undefined ? ofOperator(deps, operator, scopes ?? "") : ofSite(deps, asset),
});

async function ofSite(deps: Deps, asset: string): Promise<Outcome> {
  const near = hasAsset(deps.store.db, asset) ? [] : likeKnownSites(deps.store.db, asset);
  const issued = await issueSiteToken(deps, asset, byCommandLine(deps));
  const added = issued.assetAdded ? [`${asset} was added to the portfolio.`, ...near] : [];
  return done(issued.token, [...added, shownOnce(issued.id, asset)].join("\n"));
}

async function ofOperator(deps: Deps, name: string, words: string): Promise<Outcome> {
  const near = nearest(
    name,
    listOperators(deps.store.db).map((known) => known.name),
  );
  const scopes = scopesIn(words);
  const by = byCommandLine(deps);
  const { id, token, operator, operatorAdded } = await issueServiceToken(deps, name, scopes, by);
  const added = operatorAdded
    ? [
        `There was no operator ${operator}: a service operator was made, who holds tokens and cannot sign in.`,
        ...(near.length === 0
          ? []
          : [`It is like ${near.join(", ")}: was another meant, tower operator remove takes it back.`]),
      ]
    : [];
  return done(token, [...added, shownOnce(id, `${operator} (${scopes.join(", ")})`)].join("\n"));
}

function shownOnce(id: string, whose: string): string {
  return `Token ${id} of ${whose}: shown once, keep it now.`;
}

function wordsIn(text: string): string[] {
  return text.split(/[\s,]+/).filter((word) => word !== "");
}

function scopesIn(text: string): Scope[] {
  const words = wordsIn(text);
  return SCOPES.filter((scope) => words.includes(scope));
}

function scopeFault(text: string | undefined): string | undefined {
  if (text === undefined) return `--operator needs --scopes: some of ${SCOPES.join(", ")}`;
  const words = wordsIn(text);
  const unknown = words.find((word) => !SCOPES.some((scope) => scope === word));
  if (unknown === undefined && words.length > 0) return undefined;
  const said =
    unknown === undefined ? "" : `; ${shown(unknown)} is none${didYouMean(nearest(unknown, SCOPES))}`;
  return `--scopes must name some of ${SCOPES.join(", ")}${said}`;
}

/** A token as it is listed: never the token itself. One that the setting names can be taken back only there. */
interface ListedToken {
  readonly id: string;
  readonly asset: string | null;
  readonly operator: string | null;
  readonly scopes: readonly string[];
  readonly origin: "issued" | "ASSET_TOKENS";
  readonly made_at: string | null;
  readonly made_by: string | null;
  readonly last_used_at: string | null;
  readonly revoked_at: string | null;
}

type IssuedToken = ReturnType<typeof listTokens>[number];

/** What issued tokens of sites and of operators have alike. */
const issued = (
  { createdAt, createdBy, revokedAt }: Pick<IssuedToken, "createdAt" | "createdBy" | "revokedAt">,
  lastUsedAt: number | null,
) => ({
  origin: "issued" as const,
  made_at: instantOf(createdAt),
  made_by: createdBy,
  last_used_at: instantOf(lastUsedAt),
  revoked_at: instantOf(revokedAt),
});

const tokenList = listCommand({
  name: "token list",
  summary: "list the tokens, by id",
  about: [
    "Lists the valid tokens, those of sites first, by the ids that the audit uses. Tokens from ASSET_TOKENS are included; remove those there.",
  ],
  options: {
    asset: { value: "<id>", says: "only the tokens of this site" },
    operator: { value: "<name>", says: "only the tokens of this operator" },
    revoked: { says: "also revoked ones" },
  },
  judge: ({ options: { asset, operator } }) =>
    asset !== undefined && operator !== undefined ? "--asset and --operator exclude each other" : undefined,
  none: "no token in force",
  rows: (deps, { options: { asset, operator, revoked = false } }) => {
    const { db } = deps.store;
    if (asset !== undefined && !hasAsset(db, asset)) return refused(noSite(db, asset));
    const unknown = operator === undefined ? undefined : noOperator(db, operator);
    if (unknown !== undefined) return refused(unknown);
    return [
      ...(operator === undefined ? ofSites(deps, asset, revoked) : []),
      ...(asset === undefined ? ofOperators(deps, operator, revoked) : []),
    ];
  },
  columns: ({ options: { revoked } }) => [
    ["ID", ({ id }) => id],
    ["OF", (token) => token.asset ?? `operator ${token.operator}`],
    ["MAY", ({ scopes }) => scopes.join(",")],
    ["MADE", ({ made_at, origin }) => (origin === "issued" ? minuteOf(made_at) : origin)],
    ["BY", ({ made_by }) => made_by ?? ""],
    ["LAST USED", ({ last_used_at }) => minuteOf(last_used_at) || "never"],
    ...(revoked === true
      ? ([["REVOKED", ({ revoked_at }: ListedToken) => minuteOf(revoked_at)]] as const)
      : []),
  ],
});

function ofSites(
  { store: { db }, siteTokens }: Deps,
  asset: string | undefined,
  revoked: boolean,
): ListedToken[] {
  const uses = settingTokenUses(db);
  const of = { operator: null, scopes: ["reports"] };
  const named = siteTokens.named().filter((token) => asset === undefined || token.asset === asset);
  return [
    ...listTokens(db, { asset, revoked }).map((token): ListedToken => {
      const { id, asset: own } = token;
      return { id, asset: own, ...of, ...issued(token, siteTokens.lastUse(token, token.lastUsedAt)) };
    }),
    ...named.map(
      (token): ListedToken => ({
        id: namedTokenId(token),
        asset: token.asset,
        ...of,
        origin: "ASSET_TOKENS",
        made_at: null,
        made_by: null,
        last_used_at: instantOf(siteTokens.lastUse(token, uses.get(token.digest) ?? null)),
        revoked_at: null,
      }),
    ),
  ].sort(byOwner);
}

const ofOperators = (
  { store: { db }, apiTokens }: Deps,
  operator: string | undefined,
  revoked: boolean,
): ListedToken[] =>
  listApiTokens(db, { revoked })
    .filter(({ operatorName }) => operator === undefined || operatorName === operator)
    .map((token): ListedToken => {
      const { id, operatorName, scopes } = token;
      const of = { id, asset: null, operator: operatorName, scopes };
      return { ...of, ...issued(token, apiTokens.lastUse(token, token.lastUsedAt)) };
    })
    .sort(byOwner);

/** By whose they are, then the newest first, so that a list is the same each time. */
function byOwner(one: ListedToken, other: ListedToken): number {
  const [a, b] = [one.asset ?? one.operator ?? "", other.asset ?? other.operator ?? ""];
  if (a !== b) return a < b ? -1 : 1;
  const [made, before] = [one.made_at ?? "", other.made_at ?? ""];
  if (made !== before) return made > before ? -1 : 1;
  return one.id < other.id ? -1 : 1;
}

const tokenRemove = command({
  name: "token remove",
  summary: "revoke a token, by its id",
  takes: ["<id>"],
  about: [
    "Revokes a token, so that it is refused from now on. It stays in tower token list --revoked. The id is in tower token list, and in the token after the first underscore. A token from ASSET_TOKENS is removed there.",
  ],
  judge: ({ args: [id = ""] }) => {
    const { keyId } = parseTokenText(id) ?? {};
    return keyId === undefined
      ? undefined
      : `that is a token itself, which belongs into no command: its id is ${keyId}`;
  },
  run: async (deps, { args: [id = ""] }) => {
    const { db } = deps.store;
    const by = byCommandLine(deps);
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
    ? notice(`Token ${id} of ${owner} is revoked: what is sent with it is refused.`)
    : refused(`token ${id} of ${owner} was revoked before, ${minuteOf(instantOf(before))}`);
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

export const TOKEN_COMMANDS: readonly Command[] = [tokenIssue, tokenList, tokenRemove];
