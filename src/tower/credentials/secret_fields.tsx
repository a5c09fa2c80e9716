import type { CredentialKind } from "../../credentials/contract.ts";
import { LongTextField, type Refused, TextField } from "../component/field.tsx";
import { PasswordField } from "../component/password_field.tsx";
import { CONFIRM_FIELD } from "../confirm/page.tsx";

/** Fields whose content is a secret: none of it is ever written into a page, not after a refusal either. */
export const SECRET_FIELDS = ["file", "secret"] as const;

/** The secret, as a file or as text. What was given is never kept: it is given anew after a refusal. */
export function SecretFields(props: {
  readonly kind: CredentialKind;
  readonly id: string;
  readonly errors: Refused;
}) {
  const { kind, id, errors } = props;
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
            : "The JSON file that Google gave when the key was made"
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

/** The password, where this act would ask for it: asked for here, the secret has to be given only once. */
export function PasswordAgain(props: { readonly id: string; readonly operator: string | null }) {
  return (
    <>
      <input type="text" value={props.operator ?? ""} autocomplete="username" hidden readonly />
      <PasswordField id={`${props.id}-password`} name={CONFIRM_FIELD} label="Your password" />
    </>
  );
}
