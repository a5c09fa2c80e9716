/** `/settings/sessions` and `/settings/password`: one's own sessions and password. */

import { findOperator } from "../../access/operators.ts";
import { endOf, endSession, endSessions, listSessions, sessionId } from "../../access/sessions.ts";
import { changePassword } from "../../access/sign_in.ts";
import { Problem } from "../../base/problem.ts";
import type { PageGround } from "../ground.ts";
import { withNotice } from "../keyboard.tsx";
import { Act, Form, PasswordField, type Refused } from "../kit/field.tsx";
import { Told } from "../kit/links.tsx";
import { Block, List } from "../kit/list.tsx";
import { Age, Moment } from "../kit/proof.tsx";
import { mounted, own } from "../kit/route.ts";
import { paths } from "../paths.ts";
import { asTooMany, type SignedIn, seeOther, waitSentence, withoutSession } from "../session.ts";
import { SettingsPage } from "./settings.tsx";
import { letIn } from "./sign_in.tsx";

export function accountRoutes(deps: PageGround) {
  return mounted(deps, [
    own.get(paths.sessions, {}, (visit) => page(deps, visit)),
    own.post(paths.endSession, {}, async ({ who: { live }, params, by }) => {
      if (live === undefined || !(await endSession(deps, live.operator, params.id, by))) {
        throw new Problem("not-found", "No such session. It may have ended already.");
      }
      return seeOther(withNotice(paths.sessions, "session-ended"));
    }),
    own.post(paths.endSessions, {}, async ({ actor, by, request }) => {
      const operator = findOperator(deps.store.db, actor.name);
      if (operator !== undefined) await endSessions(deps, operator, by);
      return withoutSession(request, seeOther(withNotice(paths.signIn, "sessions-ended")));
    }),
    own.post(paths.password, {}, async (visit) => {
      const { form, request } = visit;
      const result = await changePassword(deps, {
        name: visit.actor.name,
        current: form.get("current") ?? "",
        password: form.get("password") ?? "",
        caller: deps.sessions.caller(request),
        keep: visit.who.live?.session.kept ?? false,
      });
      if (result.ok) return letIn(deps, request, result, withNotice(paths.sessions, "password-changed"));
      return result.field === "wait"
        ? visit.page(page(deps, visit, { current: waitSentence(result.seconds) }), asTooMany(result.seconds))
        : visit.page(page(deps, visit, { [result.field]: result.reason }), { status: 422 });
    }),
  ]);
}

function page(
  { store }: PageGround,
  { who: { actor, live }, now }: { readonly who: SignedIn; readonly now: number },
  errors: Refused = {},
) {
  const sessions = live === undefined ? [] : listSessions(store.db, live.operator.id, now);
  const operator = findOperator(store.db, actor.name);
  return (
    <SettingsPage part={paths.sessions} title="Sessions">
      <Block
        heading="Your sessions"
        note="a session ends after 30 minutes without use or 12 hours, a kept one after 30 days"
      >
        <List
          of="Your sessions"
          items={sessions}
          id={({ digest }) => `session-${sessionId(digest)}`}
          columns={[
            [
              "Browser",
              ({ agent, digest }) => (
                <>
                  <Told class="wrap">{agent === "" ? "not named" : agent}</Told>
                  {digest === live?.session.digest ? <small class="block-sm">this one</small> : null}
                </>
              ),
            ],
            ["Address", ({ address }) => <Told>{address === "" ? "–" : address}</Told>, { class: "mono" }],
            ["Signed in", ({ createdAt }) => <Moment at={createdAt} />],
            ["Last used", ({ lastSeenAt }) => <Age at={lastSeenAt} />],
            [
              "Ends",
              (session) => (
                <>
                  <Moment at={endOf(session)} />
                  <small class="block-sm">{session.kept ? "kept" : "at the latest"}</small>
                </>
              ),
            ],
            [
              "Action",
              ({ digest, address }) => (
                <Act
                  action={paths.endSession(sessionId(digest))}
                  words="Sign out"
                  on={`the session at ${address}`}
                />
              ),
              { class: "act", unseen: true },
            ],
          ]}
          empty={<p>The reverse proxy signs you in, so Tower keeps no session.</p>}
        />
        {sessions.length === 0 ? null : <Act action={paths.endSessions} words="Sign out everywhere" />}
      </Block>
      {operator === undefined || operator.passwordHash === null ? null : (
        <Block heading="Password" note="changing it ends your other sessions">
          <Form action={paths.password} send="Change password" isMinor>
            <input type="text" name="name" value={actor.name} autocomplete="username" hidden readonly />
            <PasswordField name="current" label="Current password" error={errors["current"]} />
            <PasswordField name="password" label="New password" error={errors["password"]} isNew />
          </Form>
        </Block>
      )}
    </SettingsPage>
  );
}
