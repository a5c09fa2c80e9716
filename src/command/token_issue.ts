import { hasAsset, issueSiteToken } from "../assets/mod.ts";
import type { Deps } from "../deps.ts";
import { isAssetId } from "../lib/asset_id.ts";
import { shown } from "../lib/command_line.ts";
import { didYouMean, nearest } from "../lib/near.ts";
import { issueServiceToken, listOperators, operatorNameOf, SCOPES, type Scope } from "../operators/mod.ts";
import { type Command, command, done, type Outcome } from "./contract.ts";
import { likeKnownSites } from "./near_sites.ts";

/** `token issue`. */
export const tokenIssue: Command = command({
  name: "token issue",
  summary: "issue a token of a site, or of an operator",
  setsUp: true,
  forms: ["--asset <id>", "--operator <name> --scopes <scope,…>"],
  takes: [],
  about: [
    "Issues a token and prints it, alone, on standard output. It is shown once and kept only as a digest; its id, by which tower token list and the audit call it, stands in it after the first underscore.",
  ],
  options: {
    asset: { value: "<id>", says: "the site that sends reports with it; added when it is not there" },
    operator: {
      value: "<name>",
      says: "the operator it speaks for; when there is none of that name, a service operator is made, who cannot sign in",
    },
    scopes: {
      value: "<scope,…>",
      says: `what an operator's token may do, split by commas: ${SCOPES.join(", ")}`,
    },
  },
  judge: ({ options: { asset, operator, scopes } }) => {
    if (asset !== undefined && operator !== undefined)
      return "--asset and --operator exclude each other: a token is of one";
    if (asset !== undefined) {
      if (scopes !== undefined)
        return "--scopes goes with --operator: a site's token sends reports and nothing else";
      return isAssetId(asset)
        ? undefined
        : "--asset must be letters, digits, dots, underscores and hyphens, at most 128";
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
  const issued = await issueSiteToken(deps, asset, { actor: "command-line", now: deps.clock.now() });
  const added = issued.assetAdded ? [`${asset} was added to the portfolio.`, ...near] : [];
  return done(issued.token, [...added, shownOnce(issued.id, asset)].join("\n"));
}

async function ofOperator(deps: Deps, name: string, words: string): Promise<Outcome> {
  const near = nearest(
    name,
    listOperators(deps.store.db).map((known) => known.name),
  );
  const scopes = scopesIn(words);
  const by = { actor: "command-line", now: deps.clock.now() };
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
