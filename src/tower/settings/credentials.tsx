/** `/settings/credentials`: the stored credentials, each with its last test or sync, and adding one. */

import { keyPath } from "../../base/keys.ts";
import { failureWords } from "../../health/capability_words.ts";
import { checkScope, dailyScope } from "../../health/health.ts";
import { findEvidence } from "../../health/state_store.ts";
import { ACCOUNT_PROVIDERS, type AccountProvider, PROVIDER_NAMES } from "../../providers/adapter.ts";
import {
  CREDENTIAL_KINDS,
  CREDENTIAL_NAMES,
  type Credential,
  type CredentialKind,
  KIND_OF,
  listCredentials,
  type SeenProperty,
} from "../../providers/credentials.ts";
import { readCredentialFile, trapsOf } from "../../providers/given_file.ts";
import { listAttachments, listProperties } from "../../providers/properties.ts";
import { pullStanding } from "../../signals/attempts.ts";
import { addCredential } from "../../signals/credential_changes.ts";
import { sitesReadWith } from "../../signals/matched_site.ts";
import { formatCount } from "../format.ts";
import type { PageGround } from "../ground.ts";
import { withNotice } from "../keyboard.tsx";
import { confirmed, PasswordAgain } from "../kit/confirmed_form.tsx";
import {
  type Filled,
  Form,
  LongTextField,
  type Refused,
  RefusedNote,
  TextField,
  TickFields,
} from "../kit/field.tsx";
import { here } from "../kit/here.ts";
import { Go, Told } from "../kit/links.tsx";
import { Block, Empty, List } from "../kit/list.tsx";
import { Moment } from "../kit/proof.tsx";
import { mounted, own, type Visit } from "../kit/route.ts";
import { PROVIDER_GIVES } from "../kit/words.tsx";
import { paths } from "../paths.ts";
import { type SignedIn, seeOther } from "../session.ts";
import { openProperties } from "./attach_rows.ts";
import { SettingsPage } from "./settings.tsx";

/** Why an account was not stored a second time. */
const STORED = {
  other_key: "This account is stored with another key. Replace the secret of that credential.",
  unreadable:
    "This account is stored, but this installation's key cannot read it. Replace the secret of that credential.",
} as const;

export function credentialsRoutes(deps: PageGround) {
  return mounted(deps, [
    own.get(paths.credentials, {}, () => listPage(deps)),
    own.get(paths.newCredential, {}, (visit) => newPage(visit, null)),
    confirmed({ secrets: SECRET_FIELDS, takesFiles: true }).post(paths.newCredential, {}, async (visit) => {
      const { form, by } = visit;
      const kind = CREDENTIAL_KINDS.find((known) => known === form.get("kind")) ?? CREDENTIAL_KINDS[0];
      const possible = providersOf(kind);
      const chosen = possible.filter((provider) => form.getAll("providers").includes(provider));
      const providers = possible.length === 1 ? possible : chosen;
      const label = (form.get("label") ?? "").trim();
      const read = await readSecret(deps, form, providers[0] ?? possible[0]);
      const values = { label, providers: providers.join(" ") };
      const refused = (errors: Refused) => newPage(visit, { kind, values, errors });
      const errors: Refused = {
        providers: providers.length === 0 ? "Choose at least one." : undefined,
        ...(read.ok ? {} : read.errors),
        label: label === "" ? undefined : labelFault(label),
      };
      if (!read.ok || Object.values(errors).some((error) => error !== undefined)) return refused(errors);
      let did: "added" | "changed" | "same" = "same";
      let id = "";
      for (const provider of providers) {
        const given = { provider, secret: read.secret, label: label === "" ? undefined : label };
        const added = await addCredential(deps, given, by);
        if (!added.ok) return refused({ [read.field]: STORED[added.why] });
        id = added.credential.id;
        did = did === "added" || added.did === "same" ? did : added.did;
      }
      return seeOther(withNotice(paths.credential(id), `credential-${did}`));
    }),
  ]);
}

const providersOf = (kind: CredentialKind) =>
  ACCOUNT_PROVIDERS.filter((provider) => KIND_OF[provider] === kind);

function listPage(deps: PageGround) {
  const { db } = deps.store;
  const [attachments, properties] = [listAttachments(db), listProperties(db)];
  const open = openProperties({ attachments, properties });
  const credentials = listCredentials(db);
  return (
    <SettingsPage
      part={paths.credentials}
      title="Credentials"
      note="Secrets are stored encrypted and never shown again. Saving doesn't check a credential. Use Test."
    >
      <Block
        heading="Stored credentials"
        tools={
          credentials.length === 0 ? undefined : (
            <>
              <Go
                to={paths.attachments}
                words={`Attach properties${open === 0 ? "" : ` (${formatCount(open)})`}`}
              />
              <Go to={paths.newCredential} words="Add credential" primary />
            </>
          )
        }
      >
        <List
          of="Stored credentials"
          items={credentials}
          id={({ id }) => `credential-${id}`}
          columns={[
            [
              "Credential",
              ({ id, label, kind }) => (
                <>
                  <a href={paths.credential(id)} data-row>
                    <Told class="wrap">{label}</Told>
                  </a>
                  <small class="block-sm">{CREDENTIAL_NAMES[kind]}</small>
                </>
              ),
            ],
            ["Used for", usesOf],
            ["Properties", (credential) => propertiesOf(credential, properties)],
            [
              "Sites",
              (credential) => formatCount(sitesReadWith(db, credential, attachments).size),
              { numeric: true },
            ],
            ["Key added", ({ connectedAt }) => <Moment at={connectedAt} />, { class: "nowrap" }],
            [
              "Last test or sync",
              (credential) =>
                deps.credentials.canOpen(credential.id) ? (
                  <Standings deps={deps} credential={credential} />
                ) : (
                  <span class="bad">
                    This installation's key cannot read it. Put the key back, or replace the secret.
                  </span>
                ),
              { class: "all" },
            ],
          ]}
          empty={
            <Empty heading="No credential yet">
              <p>Tower shows only what sites send. Connect Google or Bing for visitors and search clicks.</p>
              <Go to={paths.newCredential} words="Add credential" primary />
            </Empty>
          }
        />
      </Block>
    </SettingsPage>
  );
}

/** How many properties a credential lists, and can use. */
export function propertiesOf({ id, kind }: Credential, properties: readonly SeenProperty[]) {
  const listed = properties.filter(({ credential }) => credential === id);
  const usable = listed.filter((one) => one.usable).length;
  if (listed.length === 0)
    return <span class="dim">{kind === "webmaster-tools-key" ? "by address" : "none known"}</span>;
  if (usable === listed.length) return formatCount(usable);
  return `${formatCount(usable)} of ${formatCount(listed.length)} usable`;
}

export const usesOf = ({ providers }: Credential): string =>
  providers.map((provider) => PROVIDER_NAMES[provider]).join(", ");

/** The newest attempt with each of a credential's providers, under its present connection alone. */
export function Standings({ deps, credential }: { deps: PageGround; credential: Credential }) {
  const { db } = deps.store;
  const { workspace } = deps.config;
  const { providers, connectionRevision } = credential;
  const standing = (provider: AccountProvider) => {
    const account = { asset: "", provider, connectionRevision, property: "" };
    const { latest } = pullStanding(db, account);
    if (latest === undefined) return <span class="nm">Never tested</span>;
    const { startedAt, outcome, category, nextRetryAt } = latest;
    const at = <Moment at={startedAt} />;
    if (outcome === "empty") return <span class="bad">signed in, sees no property ({at})</span>;
    if (outcome !== "failed" && outcome !== "incomplete") return <>usable ({at})</>;
    // An attempt has its category; the code of its reason is in the health of its scope.
    const code = [
      checkScope({ workspace, job: "connection-test", provider, connectionRevision }),
      checkScope({ workspace, job: "site-discovery", provider, connectionRevision }),
      dailyScope(workspace, account),
    ]
      .flatMap((scope) => findEvidence(db, scope)?.latest ?? [])
      .find((known) => known.startedAt === startedAt && known.category === category)?.code;
    const words = category === null ? undefined : failureWords({ category, code: code ?? null });
    return (
      <span class="bad">
        failed ({at}). {words === undefined ? "Reason unknown." : `${words.why} ${words.action.text}`}
        <NextRetry at={nextRetryAt} />
      </span>
    );
  };
  return (
    <>
      {providers.map((provider) => (
        <span class="block-sm">
          {providers.length === 1 ? null : `${PROVIDER_NAMES[provider]}: `}
          {standing(provider)}
        </span>
      ))}
    </>
  );
}

/** When it is tried again, while that is still to come. */
export function NextRetry({ at }: { readonly at: number | null }) {
  if (at === null || at <= here().now) return null;
  return (
    <>
      {" "}
      Next retry <Moment at={at} /> UTC.
    </>
  );
}

const ADD_HEADS: Readonly<Record<CredentialKind, { readonly heading: string; readonly note: string }>> = {
  "google-service-account": { heading: "Google service account", note: "analytics and search console" },
  "webmaster-tools-key": { heading: "Webmaster tools", note: "Bing" },
  "serp-login": { heading: "DataForSEO", note: "search panels" },
};

/** The kinds side by side, each with its common problems. */
function newPage(
  { who, page }: Pick<Visit<SignedIn, 0, 0, 0, 0>, "who" | "page">,
  refused: ({ readonly kind: CredentialKind } & Filled) | null,
): Response {
  return page(
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
        {CREDENTIAL_KINDS.map((kind) => (
          <Block {...ADD_HEADS[kind]}>
            <AddForm kind={kind} who={who} filled={refused?.kind === kind ? refused : NOTHING} />
          </Block>
        ))}
      </div>
    </SettingsPage>,
    { status: refused === null ? 200 : 422 },
  );
}

const NOTHING: Filled = { values: {}, errors: {} };

function AddForm(props: { readonly kind: CredentialKind; readonly who: SignedIn; readonly filled: Filled }) {
  const { kind, who, filled } = props;
  const providers = providersOf(kind);
  const [only = "analytics"] = providers;
  return (
    <Form action={paths.newCredential} files hidden={{ kind }}>
      {providers.length === 1 ? (
        <p class="note">Gives each attached site {PROVIDER_GIVES[only]}.</p>
      ) : (
        <TickFields
          name="providers"
          legend="Used for"
          error={filled.errors["providers"]}
          chosen={filled.values["providers"]?.split(" ") ?? providers}
          choices={providers.map((provider) => [
            provider,
            <>
              {PROVIDER_NAMES[provider]}
              <small class="block-sm">{PROVIDER_GIVES[provider]}</small>
            </>,
          ])}
        />
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
      <PasswordAgain id={kind} who={who} />
      <div>
        <button class="btn primary">Save credential</button>
      </div>
      <section class="stack tight">
        <h3>Common problems</h3>
        <Traps providers={providers} />
      </section>
    </Form>
  );
}

function Traps({ providers }: { readonly providers: readonly AccountProvider[] }) {
  const traps = new Set(providers.flatMap((provider) => trapsOf(provider)));
  return (
    <ol class="steps">
      {[...Map.groupBy(traps, ({ says }) => says)].map(([says, same]) => (
        <li>
          <h3>{says}</h3>
          {same.map(({ providers: all, action }) => {
            const of = all.filter((provider) => providers.includes(provider));
            const whose =
              of.length === providers.length ? [] : of.map((provider) => PROVIDER_NAMES[provider]);
            return <p class="note">{`${whose.length === 0 ? "" : `${whose.join(", ")}: `}${action}`}</p>;
          })}
        </li>
      ))}
    </ol>
  );
}

/** Longest label, in characters. */
export const LONGEST_LABEL = 100;

/** Why a label is refused, as a sentence; undefined for one that is not. Pages show it, so it must not name an account. */
export function labelFault(label: string): string | undefined {
  if (label === "" || [...label].length > LONGEST_LABEL || /\p{Cc}/u.test(label)) {
    return `It must be 1 to ${LONGEST_LABEL} characters on one line.`;
  }
  return label.includes("@") ? "It must not hold a mail address: pages show it." : undefined;
}

export const SECRET_FIELDS = ["file", "secret"] as const;

/** The secret that a form gives, as a file or as text. Nothing of it is repeated. */
export async function readSecret(
  deps: PageGround,
  form: URLSearchParams,
  provider: AccountProvider = "analytics",
) {
  const [file, text] = [form.get("file") ?? "", form.get("secret") ?? ""];
  const field = file.trim() === "" ? "secret" : "file";
  const refused = (error: string) => ({ ok: false, errors: { [field]: error } as Refused }) as const;
  if (deps.keys.isStandIn) {
    return refused(
      `The encryption key is lost. Put ${keyPath(deps.config.dataDir)} back or set CREDENTIALS_KEY, and restart.`,
    );
  }
  if (file.trim() !== "" && text.trim() !== "") return refused("Give the file or its text, not both.");
  if (file.trim() + text.trim() === "")
    return refused(provider === "webmaster-tools" ? "Give the key." : "Choose the file, or paste its text.");
  const read = await readCredentialFile(provider, field === "file" ? file : text, deps.config.providers);
  return read.ok ? ({ ok: true, secret: read.secret, field } as const) : refused(read.faults.join(" "));
}

/** The secret, as a file or as text. It is never kept: after a refusal it has to be given again. */
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
