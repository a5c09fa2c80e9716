/** Where the one-time link is found, for whoever came without a valid one; `refusal` says what is wrong with theirs. */

import { hasPerson as hasOperator } from "../../access/operators.ts";
import { setUp, setupLinkFault } from "../../access/setup_link.ts";
import { TOWER_COMMAND } from "../../base/command_line.ts";
import type { PageGround } from "../ground.ts";
import { type Filled, Form, KEEP_FIELD, KeepField, NameField, PasswordField } from "../kit/field.tsx";
import { door, mounted } from "../kit/route.ts";
import { Callout } from "../kit/words.tsx";
import { Door } from "../layout.tsx";
import { paths } from "../paths.ts";
import { seeOther } from "../session.ts";
import { letIn } from "../settings/sign_in.tsx";

export function SetupPage({ refusal }: { readonly refusal: string | null }) {
  return (
    <Door title="Set up">
      <h1>Set up</h1>
      {refusal === null ? null : (
        <Callout tone="failing" role="alert">
          <p>{refusal}</p>
        </Callout>
      )}
      <p>
        This installation has no operator yet. Open the newest set-up link: Tower prints it when it starts, in
        its terminal or its log, and keeps it in <code>setup-link.txt</code> in its data folder. It works
        once, for 30 minutes; after that, and at each start, a new one is made.
      </p>
      <p class="note">
        Or create the operator on the computer Tower runs on, in its own folder:{" "}
        <code>{TOWER_COMMAND} operator add</code> with a name.
      </p>
    </Door>
  );
}

/** Creates the first operator; `code` is the secret of the one-time link. */
function SetupForm(props: { readonly code: string; readonly keep: boolean; readonly filled: Filled }) {
  const { filled } = props;
  return (
    <Door title="Set up">
      <div>
        <h1>Create the operator</h1>
        <p class="note">This installation has no operator yet. The link that brought you here works once.</p>
      </div>
      <Form action={paths.setup} hidden={{ code: props.code }}>
        <NameField filled={filled} autofocus />
        <PasswordField name="password" label="Password" error={filled.errors["password"]} isNew />
        <KeepField checked={props.keep} />
        <button class="btn primary">Create and sign in</button>
      </Form>
      <p class="note">Nothing is sent anywhere. Everything stays on the computer Tower runs on.</p>
    </Door>
  );
}

/** `/setup`: there only while nobody can sign in. */

export function setupRoutes(deps: PageGround) {
  const { sessions, store } = deps;
  return mounted(deps, [
    door.get(paths.setup, {}, (visit) => {
      if (hasOperator(store.db)) return seeOther(paths.signIn);
      const code = visit.search.get("code");
      if (code === null) return <SetupPage refusal={null} />;
      const fault = setupLinkFault(deps, code);
      if (fault !== undefined) {
        return visit.page(<SetupPage refusal={fault} />, { status: 403 });
      }
      // The form holds the link's secret, so no browser may keep the page.
      const filled = { values: { name: "" }, errors: {} };
      return visit.page(<SetupForm code={code} keep={false} filled={filled} />, {
        noStore: true,
      });
    }),
    door.post(paths.setup, {}, async (visit) => {
      if (hasOperator(store.db)) return seeOther(paths.signIn);
      const { request, form } = visit;
      const [code, name, password] = [
        form.get("code") ?? "",
        form.get("name") ?? "",
        form.get("password") ?? "",
      ];
      const keep = form.has(KEEP_FIELD);
      const caller = sessions.caller(request);
      const result = await setUp(deps, { token: code, name, password, caller, keep });
      if (result.ok) return letIn(deps, request, result, paths.portfolio);
      if (result.field === "link") {
        return visit.page(<SetupPage refusal={result.reason} />, { status: 403 });
      }
      const filled = { values: { name }, errors: { [result.field]: result.reason } };
      return visit.page(<SetupForm code={code} keep={keep} filled={filled} />, {
        status: 422,
      });
    }),
  ]);
}
