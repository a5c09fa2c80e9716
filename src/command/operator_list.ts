import { listApiTokens, listOperators } from "../operators/mod.ts";
import { type Command, command } from "./contract.ts";
import { instantOf, JSON_OPTION, listing, minuteOf } from "./listing.ts";

/** `operator list`. */
export const operatorList: Command = command({
  name: "operator list",
  summary: "list the operators",
  takes: [],
  about: ["Lists the operators: people, who sign in, and services, who hold tokens."],
  options: { json: JSON_OPTION },
  run: ({ store: { db }, config }, { options: { json = false } }) => {
    const tokens = listApiTokens(db);
    const countOf = (name: string) => tokens.filter(({ operatorName }) => operatorName === name).length;
    const byProxy = config.trustedAuthHeader !== undefined;
    const waysIn = ({
      kind,
      hasPassword,
    }: {
      readonly kind: string;
      readonly hasPassword: boolean;
    }): string[] =>
      kind === "service" ? [] : [...(hasPassword ? ["password"] : []), ...(byProxy ? ["proxy"] : [])];
    return listing(listOperators(db), {
      json,
      none: "no operator yet: tower operator add <name>, or the set-up link of the running service",
      columns: [
        { head: "NAME", cell: ({ name }) => name },
        { head: "KIND", cell: ({ kind }) => kind },
        { head: "SIGNS IN WITH", cell: (operator) => waysIn(operator).join(", ") },
        { head: "TOKENS", cell: ({ name }) => String(countOf(name)) },
        { head: "ADDED", cell: ({ addedAt }) => minuteOf(addedAt) },
      ],
      asJson: (operator) => ({
        name: operator.name,
        kind: operator.kind,
        signs_in_with: waysIn(operator),
        tokens: countOf(operator.name),
        added_at: instantOf(operator.addedAt),
      }),
    });
  },
});
