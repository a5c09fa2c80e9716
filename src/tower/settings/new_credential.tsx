/** The form of a new credential, and the fields of a secret. */

import {
  ACCOUNT_PROVIDERS,
  type AccountProvider,
  PROVIDER_NAMES as PROVIDER_WORDS,
} from "../../providers/adapter.ts";
import { type CredentialKind, KIND_OF } from "../../providers/credentials.ts";
import { trapsOf } from "../../providers/traps.ts";
import { Block } from "../kit/block.tsx";
import { CONFIRM_FIELD } from "../kit/confirmed_form.tsx";
import { type Filled, LongTextField, PasswordField, type Refused, TextField } from "../kit/field.tsx";
import { here } from "../kit/here.ts";
import { PROVIDER_GIVES } from "../kit/provider_words.ts";
import { Form, RefusedNote } from "../kit/shown_once.tsx";
import { paths } from "../paths.ts";
import { SettingsPage } from "./settings.tsx";

/** Longest label, in characters. */
export const LONGEST_LABEL = 100;

/** Why a label is refused, as a sentence; undefined for one that is not. Pages show it, so it must not name an account. */
export function labelFault(label: string): string | undefined {
  if (label.trim() === "" || [...label].length > LONGEST_LABEL || /\p{Cc}/u.test(label)) {
    return `It must be 1 to ${LONGEST_LABEL} characters on one line.`;
  }
  return label.includes("@") ? "It must not hold a mail address: pages show it." : undefined;
}

export const SECRET_FIELDS = ["file", "secret"] as const;

/** The secret, as a file or as text. It is never kept: after a refusal it has to be given again. */
export function SecretFields({ kind, id, errors }: { kind: CredentialKind; id: string; errors: Refused }) {
  if (kind === "webmaster-tools-key") {
    return (
      <TextField
        id={`${id}-secret`}
        name="secret"
        label="API key"
        type="password"
        autocomplete="off"
        maxlength={256}
        help="In Webmaster Tools: Settings, API access, API key. It covers every site of its user."
        error={errors["secret"]}
      />
    );
  }
  const isSerp = kind === "serp-login";
  return (
    <>
      <TextField
        id={`${id}-file`}
        name="file"
        label={isSerp ? "Login file" : "Key file"}
        type="file"
        accept="application/json,.json"
        help={
          isSerp
            ? "JSON with the login and the API password"
            : "The JSON file that Google gave you for the key"
        }
        error={errors["file"]}
      />
      <LongTextField
        id={`${id}-secret`}
        name="secret"
        label="Or its text"
        rows={3}
        class="mono"
        spellcheck="false"
        placeholder={isSerp ? '{"login": "…", "password": "…"}' : '{"type": "service_account", …}'}
        error={errors["secret"]}
      />
    </>
  );
}

/** The password in the form of an act that needs it again, so that the secret has to be given only once. */
export function PasswordAgain({ operator, id }: { id: string; operator: string | null }) {
  return (
    <>
      <input type="text" value={operator ?? ""} autocomplete="username" hidden readonly />
      <PasswordField id={`${id}-password`} name={CONFIRM_FIELD} label="Your password" />
    </>
  );
}

export function Traps({ providers }: { providers: readonly AccountProvider[] }) {
  const traps = [...new Set(providers.flatMap((provider) => trapsOf(provider)))];
  return (
    <ol class="steps">
      {traps.map((trap) => {
        const of = trap.providers.filter((provider) => providers.includes(provider));
        return (
          <li>
            <h3>{trap.says}</h3>
            <p class="note">
              {of.length === providers.length || providers.length === 1
                ? null
                : `${of.map((provider) => PROVIDER_WORDS[provider]).join(", ")}: `}
              {trap.action}
            </p>
          </li>
        );
      })}
    </ol>
  );
}

interface NewCredentialProps {
  /** The refused form, with its values; nothing of a secret. */
  readonly refused: ({ readonly kind: CredentialKind } & Filled) | null;
  /** Whether the act asks for the password again. */
  readonly asksPassword: boolean;
}

const NOTHING: Filled = { values: {}, errors: {} };

/** Adds a credential: the kinds side by side, each with its common problems. */
export function NewCredentialPage(props: NewCredentialProps) {
  const { refused } = props;
  return (
    <SettingsPage
      part={paths.credentials}
      title="Add credential"
      crumb={<a href={paths.credentials}>Credentials</a>}
      note="Read access is enough. Secrets are stored encrypted and never shown again."
      still
    >
      <RefusedNote
        errors={refused?.errors ?? {}}
        words="Couldn't save the credential. Check the highlighted field, and give the secret again."
      />
      <div class="halves">
        <Block heading="Google service account" note="analytics and search console">
          <AddForm {...props} kind="google-service-account" />
        </Block>
        <Block heading="Webmaster tools" note="Bing">
          <AddForm {...props} kind="webmaster-tools-key" />
        </Block>
        <Block heading="DataForSEO" note="search panels">
          <AddForm {...props} kind="serp-login" />
        </Block>
      </div>
    </SettingsPage>
  );
}

function AddForm({ refused, asksPassword, kind }: NewCredentialProps & { readonly kind: CredentialKind }) {
  const { shell } = here();
  const filled = refused?.kind === kind ? refused : NOTHING;
  const providers = ACCOUNT_PROVIDERS.filter((provider) => KIND_OF[provider] === kind);
  const chosen = filled.values["providers"]?.split(" ") ?? providers;
  return (
    <div class="stack">
      <Form action={paths.newCredential} files hidden={[["kind", kind]]}>
        {providers.length === 1 ? (
          <p class="note">Gives each attached site {PROVIDER_GIVES[providers[0] ?? "webmaster-tools"]}.</p>
        ) : (
          <fieldset>
            <legend>Used for</legend>
            <div class="pick lines">
              {providers.map((provider) => (
                <label>
                  <input
                    type="checkbox"
                    name="providers"
                    value={provider}
                    checked={chosen.includes(provider)}
                  />
                  <span>
                    {PROVIDER_WORDS[provider]}
                    <small class="block-sm">{PROVIDER_GIVES[provider]}</small>
                  </span>
                </label>
              ))}
            </div>
            {filled.errors["providers"] === undefined ? null : (
              <small class="bad">{filled.errors["providers"]}</small>
            )}
          </fieldset>
        )}
        <SecretFields kind={kind} id={kind} errors={filled.errors} />
        <TextField
          id={`${kind}-label`}
          name="label"
          label="Name (optional)"
          help="Shown on pages; no mail address"
          filled={filled}
          maxlength={LONGEST_LABEL * 2}
          autocomplete="off"
        />
        {asksPassword ? <PasswordAgain id={kind} operator={shell.operator ?? null} /> : null}
        <div>
          <button class="btn primary">Save credential</button>
        </div>
        <section class="stack tight">
          <h3>Common problems</h3>
          <Traps providers={providers} />
        </section>
      </Form>
    </div>
  );
}
