import type { CredentialKind } from "../../credentials/contract.ts";
import { KIND_OF } from "../../credentials/contract.ts";
import { ACCOUNT_PROVIDERS, type AccountProvider } from "../../provider/contract.ts";
import { Block } from "../component/block.tsx";
import { type Filled, TextField } from "../component/field.tsx";
import { Form, RefusedNote } from "../component/form.tsx";
import { PROVIDER_GIVES, PROVIDER_WORDS } from "../component/provider_words.ts";
import { paths } from "../paths.ts";
import { SettingsPage } from "../settings/settings_page.tsx";
import type { Shell } from "../shell.ts";
import { LONGEST_LABEL } from "./label.ts";
import { PasswordAgain, SecretFields } from "./secret_fields.tsx";
import { Traps } from "./traps.tsx";

export interface NewCredentialProps {
  readonly shell: Shell;
  /** Which of the two forms was refused, and with what; nothing of a secret. */
  readonly refused: ({ readonly kind: CredentialKind } & Filled) | null;
  /** Whether the act asks for the password again. */
  readonly asksPassword: boolean;
}

const NOTHING: Filled = { values: {}, errors: {} };

/** Adds a credential: the kinds side by side, each over what goes wrong with it most often. */
export function NewCredentialPage(props: NewCredentialProps) {
  const { shell, refused } = props;
  return (
    <SettingsPage
      shell={shell}
      part={paths.credentials}
      title="Add a credential"
      crumb={<a href={paths.credentials}>Credentials</a>}
      note="Read access is all that Tower uses. What you give is encrypted at once, and no page shows it again."
      still
    >
      <RefusedNote
        errors={refused?.errors ?? {}}
        words="Nothing was stored. What to change stands at the field; the secret is not kept and has to be given again."
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

function AddForm({
  shell,
  refused,
  asksPassword,
  kind,
}: NewCredentialProps & { readonly kind: CredentialKind }) {
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
                <UsedFor provider={provider} checked={chosen.includes(provider)} />
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
          label="What to call it (optional)"
          help="Shown on pages; no e-mail address"
          filled={filled}
          maxlength={LONGEST_LABEL * 2}
          autocomplete="off"
        />
        {asksPassword ? <PasswordAgain id={kind} operator={shell.operator ?? null} /> : null}
        <section class="stack tight">
          <h3>Before you store it</h3>
          <Traps providers={providers} />
        </section>
        <div>
          <button class="btn primary">Store it</button>
        </div>
      </Form>
    </div>
  );
}

function UsedFor({ provider, checked }: { readonly provider: AccountProvider; readonly checked: boolean }) {
  return (
    <label>
      <input type="checkbox" name="providers" value={provider} checked={checked} />
      <span>
        {PROVIDER_WORDS[provider]}
        <small class="block-sm">{PROVIDER_GIVES[provider]}</small>
      </span>
    </label>
  );
}
