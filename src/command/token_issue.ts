import { parseArgs } from "node:util";
import { issueSiteToken } from "../assets/mod.ts";
import { isAssetId } from "../lib/asset_id.ts";
import { issueServiceToken, operatorNameOf, SCOPES } from "../operators/mod.ts";
import { type Command, done, usage } from "./contract.ts";

const help = `Usage: tower token issue --asset <id>
       tower token issue --operator <name> --scopes annotations,ledger,health:read,read

Issues a token and prints it, alone, on standard output. It is shown once and kept only as a digest.

  --asset      the site that sends reports with it; added to the portfolio when it is not there
  --operator   the operator it speaks for; a service operator, who cannot sign in, is made when there is none
  --scopes     what an operator token may do, split by commas: ${SCOPES.join(", ")}`;

/** `token issue`. */
export const tokenIssue: Command = {
  name: "token issue",
  summary: "issue a site token or an operator API token",
  help,
  wantsPassword: false,
  run: async (deps, { args }) => {
    let values: ReturnType<typeof parse>;
    try {
      values = parse(args);
    } catch (error) {
      return usage(tokenIssue, error instanceof Error ? error.message : "the arguments are not understood");
    }
    const by = { actor: "command-line", now: deps.clock.now() };
    if (values.asset !== undefined && values.operator === undefined) {
      if (!isAssetId(values.asset)) {
        return usage(
          tokenIssue,
          "--asset must be letters, digits, dots, underscores and hyphens, at most 128",
        );
      }
      const issued = await issueSiteToken(deps, values.asset, by);
      const notice = `Token ${issued.id} of ${values.asset}: shown once, keep it now.`;
      return done(
        issued.token,
        issued.assetAdded ? `${values.asset} was added to the portfolio.\n${notice}` : notice,
      );
    }
    if (values.operator === undefined || values.asset !== undefined) {
      return usage(tokenIssue, "either --asset or --operator is needed");
    }
    if (operatorNameOf(values.operator) === undefined) {
      return usage(
        tokenIssue,
        "--operator must start with a letter or digit and hold at most 64 plain characters",
      );
    }
    const asked = (values.scopes ?? "").split(/[\s,]+/).filter((scope) => scope !== "");
    const scopes = SCOPES.filter((scope) => asked.includes(scope));
    const unknown = asked.filter((scope) => !SCOPES.some((known) => known === scope));
    if (scopes.length === 0 || unknown.length > 0) {
      return usage(tokenIssue, `--scopes must name some of ${SCOPES.join(", ")}`);
    }
    const issued = await issueServiceToken(deps, values.operator, scopes, by);
    return done(
      issued.token,
      `Token ${issued.id} of ${values.operator} (${scopes.join(", ")}): shown once, keep it now.`,
    );
  },
};

function parse(args: readonly string[]) {
  return parseArgs({
    args: [...args],
    options: { asset: { type: "string" }, operator: { type: "string" }, scopes: { type: "string" } },
  }).values;
}
