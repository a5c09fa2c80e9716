/** `/settings/operators`: who operates this Tower, and removing one of them. */

import { isLastWhoSignsIn, listApiTokens, removeOperator } from "../../access/api_tokens.ts";
import { type ListedOperator, listOperators } from "../../access/operators.ts";
import { TOWER_COMMAND } from "../../base/command_line.ts";
import { Problem } from "../../base/problem.ts";
import { formatCount } from "../format.ts";
import type { PageGround } from "../ground.ts";
import { withNotice } from "../keyboard.tsx";
import { confirmed } from "../kit/confirmed_form.tsx";
import { SureAct } from "../kit/field.tsx";
import { Told } from "../kit/links.tsx";
import { Block, List } from "../kit/list.tsx";
import { DateOf } from "../kit/proof.tsx";
import { mounted, own } from "../kit/route.ts";
import { paths } from "../paths.ts";
import { seeOther } from "../session.ts";
import { SettingsPage } from "./settings.tsx";

export function operatorRoutes(deps: PageGround) {
  const { db } = deps.store;
  const byProxy = deps.config.trustedAuthHeader !== undefined;
  return mounted(deps, [
    own.get(paths.operators, {}, ({ actor }) => {
      const [operators, tokens] = [listOperators(db), listApiTokens(db)];
      const tokensOf = (name: string) => tokens.filter(({ operatorName }) => operatorName === name).length;
      const removal = ({ name }: ListedOperator) => {
        if (name === actor.name) return <span class="dim">you</span>;
        if (isLastWhoSignsIn(operators, name, { byProxy }))
          return <span class="dim">the last who can sign in</span>;
        return (
          <SureAct
            action={paths.removeOperator(name)}
            words="Remove"
            on={`the operator ${name}`}
            consequence="Their sessions end and their tokens are refused at once. Their history stays."
            sure="Remove operator"
          />
        );
      };
      return (
        <SettingsPage
          part={paths.operators}
          title="Operators"
          note="People sign in. Services use tokens and can do only what their scopes allow."
        >
          <Block heading="People and services">
            <List
              of="Operators"
              items={operators}
              columns={[
                ["Name", ({ name }) => <Told class="wrap">{name}</Told>],
                ["Kind", ({ kind }) => kind],
                ["Signs in", (operator) => waysIn(operator, byProxy)],
                ["Tokens", ({ name }) => formatCount(tokensOf(name)), { numeric: true }],
                ["Added", ({ addedAt }) => <DateOf at={addedAt} />],
                ["Action", removal, { class: "act", unseen: true }],
              ]}
            />
            <p class="note">
              To add a person, run <code>{TOWER_COMMAND} operator add &lt;name&gt;</code> on Tower's computer.
              To add a service, issue a token under <a href={paths.tokens}>Tokens</a>.
            </p>
          </Block>
        </SettingsPage>
      );
    }),
    confirmed().post(paths.removeOperator, {}, async ({ params: { name }, actor, by }) => {
      if (name === actor.name)
        throw new Problem("conflict", "You cannot remove yourself. Another operator can.");
      const removed = await removeOperator(deps, name, { ...by, byProxy });
      if (removed.ok) return seeOther(withNotice(paths.operators, "operator-removed"));
      throw removed.why === "last"
        ? new Problem("conflict", "This is the last operator who can sign in.")
        : new Problem("not-found", "There is no such operator. They may be removed already.");
    }),
  ]);
}

function waysIn({ kind, hasPassword }: ListedOperator, byProxy: boolean): string {
  if (kind === "service") return "no";
  const ways = [...(hasPassword ? ["with a password"] : []), ...(byProxy ? ["through the proxy"] : [])];
  return ways.length === 0 ? "no: there is no password" : ways.join(", ");
}
