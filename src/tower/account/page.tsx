import { Block } from "../component/block.tsx";
import type { Refused } from "../component/field.tsx";
import { Act, Form } from "../component/form.tsx";
import { PasswordField } from "../component/password_field.tsx";
import { DataTable } from "../component/table.tsx";
import { Told } from "../component/text.tsx";
import { Age, Moment } from "../component/time.tsx";
import { paths } from "../paths.ts";
import { SettingsPage } from "../settings/settings_page.tsx";
import type { Shell } from "../shell.ts";

/** A signed-in browser of one's own. */
export interface SessionRow {
  readonly id: string;
  readonly agent: string;
  readonly address: string;
  readonly createdAt: number;
  readonly lastSeenAt: number;
  /** When it ends at the latest. */
  readonly endsAt: number;
  /** Whether it lasts that long without use. */
  readonly kept: boolean;
  /** The one that asks. */
  readonly current: boolean;
}

export interface SessionsPageProps {
  readonly shell: Shell;
  readonly sessions: readonly SessionRow[];
  /** Whether the operator has a password here; through a reverse proxy there is none to change. */
  readonly hasPassword: boolean;
  readonly errors: Refused;
}

/** One's own sessions and password. */
export function SessionsPage({ shell, sessions, hasPassword, errors }: SessionsPageProps) {
  return (
    <SettingsPage shell={shell} part={paths.sessions} title="Sessions">
      <Sessions sessions={sessions} now={shell.now} />
      {hasPassword ? <PasswordForm name={shell.operator ?? ""} errors={errors} /> : null}
    </SettingsPage>
  );
}

function Sessions({ sessions, now }: { readonly sessions: readonly SessionRow[]; readonly now: number }) {
  return (
    <Block
      heading="Where you are signed in"
      note="a session ends 30 minutes after its last page was used, closed or hidden, and 12 hours after signing in; a kept one 30 days after"
    >
      <DataTable
        fold
        caption="Your sessions"
        items={sessions}
        id={({ id }) => `session-${id}`}
        columns={[
          {
            words: "Browser",
            names: true,
            cell: ({ agent, current }) => (
              <>
                <Told class="wrap">{agent === "" ? "not named" : agent}</Told>
                {current ? <small class="block-sm">this one</small> : null}
              </>
            ),
          },
          {
            words: "Address",
            label: true,
            class: "mono",
            cell: ({ address }) => <Told>{address === "" ? "–" : address}</Told>,
          },
          { words: "Signed in", label: true, cell: ({ createdAt }) => <Moment at={createdAt} now={now} /> },
          { words: "Last used", label: true, cell: ({ lastSeenAt }) => <Age at={lastSeenAt} now={now} /> },
          { words: "Ends", label: true, cell: (session) => <End session={session} now={now} /> },
          {
            words: "Action",
            unseen: true,
            class: "act",
            cell: ({ id, address }) => (
              <Act action={paths.endSession(id)} words="End" on={`the session last used from ${address}`} />
            ),
          },
        ]}
        empty={<p>You are signed in through the reverse proxy, which keeps no session here.</p>}
      />
      {sessions.length === 0 ? null : <Act action={paths.endSessions} words="Sign out everywhere" />}
    </Block>
  );
}

function End({ session: { endsAt, kept }, now }: { readonly session: SessionRow; readonly now: number }) {
  return (
    <>
      <Moment at={endsAt} now={now} />
      <small class="block-sm">{kept ? "kept" : "at the latest"}</small>
    </>
  );
}

function PasswordForm({ name, errors }: { readonly name: string; readonly errors: Refused }) {
  return (
    <Block heading="Password" note="changing it ends your other sessions">
      <Form action={paths.password}>
        <input type="text" name="name" value={name} autocomplete="username" hidden readonly />
        <PasswordField name="current" label="Current password" error={errors["current"]} />
        <PasswordField name="password" label="New password" error={errors["password"]} isNew />
        <div>
          <button class="btn">Change password</button>
        </div>
      </Form>
    </Block>
  );
}
