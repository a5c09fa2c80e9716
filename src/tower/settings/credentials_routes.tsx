/** `/settings/credentials` and below, but for attaching: adding, testing, replacing, removing. */

import type { Ids } from "../../base/base.ts";
import { type InstallationKeys, keyPath } from "../../base/keys.ts";
import { Problem } from "../../base/problem.ts";
import { ACCOUNT_PROVIDERS, type AccountProvider } from "../../providers/adapter.ts";
import { listAttachments } from "../../providers/attachments.ts";
import {
  CREDENTIAL_KINDS,
  type Credential,
  type CredentialKind,
  KIND_OF,
} from "../../providers/credentials.ts";
import { readCredentialFile } from "../../providers/given_file.ts";
import { listProperties } from "../../providers/properties.ts";
import type { Secret } from "../../providers/secret.ts";
import {
  type AccountAnswer,
  askAccount,
  type ConnectionDeps,
  type ConnectionJob,
  lastChecks,
} from "../../signals/account_check.ts";
import { removeAccount } from "../../signals/connections.ts";
import { addCredential, renameCredential, replaceCredential } from "../../signals/credential_changes.ts";
import type { PageDeps } from "../keyboard.tsx";
import { type ConfirmDeps, confirmed, isAskedAgain } from "../kit/confirmed_form.tsx";
import type { Filled } from "../kit/field.tsx";
import { pageOf } from "../kit/pager.tsx";
import { mounted, own, type Visit } from "../kit/route.ts";
import { paths } from "../paths.ts";
import { type SignedIn, seeOther } from "../session.ts";
import {
  credentialAddress,
  credentialsAddress,
  openProperties,
  PAGE_SIZE,
  propertyRows,
} from "./attach_rows.ts";
import { CredentialPage, type CredentialPageProps } from "./credential.tsx";
import { CredentialsPage, credentialRow, credentialRows } from "./credentials.tsx";
import { labelFault, NewCredentialPage, SECRET_FIELDS } from "./new_credential.tsx";

/** What the pages of credentials need. */
export interface CredentialDeps extends PageDeps, ConfirmDeps, ConnectionDeps {
  readonly ids: Ids;
  readonly keys: InstallationKeys;
  readonly clock: ConfirmDeps["clock"];
  readonly config: ConnectionDeps["config"] & { readonly dataDir: string };
}

/** Longest wait of an act for the providers, in milliseconds; a browser waits with it. */
const PATIENCE_MS = 45_000;

/** `/settings/credentials` and below, but for attaching. */
export function credentialRoutes(deps: CredentialDeps) {
  const { db } = deps.store;
  const secret = confirmed({ secrets: SECRET_FIELDS, takesFiles: true });
  const sure = confirmed();
  const found = { find: ({ id }: { readonly id: string }) => known(deps, id) };
  const show = (visit: OneVisit, refused: CredentialPageProps["refused"] = null) =>
    onePage(deps, visit, refused);
  return mounted(deps, [
    own.get(paths.credentials, { query: credentialsAddress }, ({ query }) => {
      const read = { attachments: listAttachments(db), properties: listProperties(db) };
      const unattached = openProperties(read);
      return (
        <CredentialsPage rows={credentialRows(deps, read)} unattached={unattached} removed={query.removed} />
      );
    }),
    own.get(paths.newCredential, {}, (visit) => newPage(visit, null)),
    secret.post(paths.newCredential, {}, async (visit) => {
      const judged = await judgeNew(deps, visit.form);
      if (!judged.ok) return newPage(visit, judged);
      let did: "added" | "changed" | "same" = "same";
      let credential: Credential | undefined;
      for (const provider of judged.providers) {
        const added = await addCredential(deps, { ...judged, provider }, visit.by);
        if (!added.ok) return newPage(visit, { ...judged, errors: { [judged.field]: STORED[added.why] } });
        credential = added.credential;
        did = did === "added" || added.did === "same" ? did : added.did;
      }
      return seeOther(onePath(credential?.id ?? "", did));
    }),
    own.get(paths.credential, { query: credentialAddress, ...found }, (visit) => show(visit)),
    own.post(paths.renameCredential, { query: credentialAddress, ...found }, async (visit) => {
      const label = (visit.form.get("label") ?? "").trim();
      const fault = labelFault(label);
      const refused = (error: string) =>
        show(visit, { form: "name", values: { label }, errors: { label: error } });
      if (fault !== undefined) return refused(fault);
      const renamed = await renameCredential(deps, visit.found.id, label, visit.by);
      if (renamed === "missing") throw gone();
      if (renamed === "unreadable") {
        return refused(
          "Its secret cannot be read with this installation's key, and its name is encrypted with it.",
        );
      }
      return seeOther(
        renamed === "same" ? paths.credential(visit.found.id) : onePath(visit.found.id, "renamed"),
      );
    }),
    secret.post(paths.replaceCredential, { query: credentialAddress }, async (asked) => {
      const visit = { ...asked, found: known(deps, asked.params.id) };
      const { id, kind, providers } = visit.found;
      const provider =
        providers[0] ?? ACCOUNT_PROVIDERS.find((named) => KIND_OF[named] === kind) ?? "analytics";
      const read = await judgeSecret(deps, visit.form, provider);
      const refused = (errors: Filled["errors"]) => show(visit, { form: "replacement", values: {}, errors });
      if (!read.ok) return refused(read.errors);
      const replaced = await replaceCredential(
        deps,
        id,
        { provider, secret: read.secret, label: undefined },
        visit.by,
      );
      if (replaced.ok) return seeOther(onePath(id, DID_REPLACE[`${replaced.isSameAccount}`]));
      if (replaced.why === "missing") throw gone();
      return refused({
        [read.field]:
          replaced.why === "taken"
            ? "Another credential has this account. Attach with that one, or remove it first."
            : "It is of another kind. Add it as a credential of its own.",
      });
    }),
    sure.post(paths.removeCredential, {}, async ({ params: { id }, by }) => {
      const removed = await removeAccount(deps, id, by);
      if (removed === undefined) throw gone();
      return seeOther(
        `${paths.credentials}${credentialsAddress.search({ removed: removed.detached.length })}`,
      );
    }),
    own.post(paths.testCredential, found, (visit) => ask(deps, visit, "connection-test")),
    own.post(paths.findProperties, found, (visit) => ask(deps, visit, "site-discovery")),
  ]);

  function newPage(visit: NewVisit, refused: ({ readonly kind: CredentialKind } & Filled) | null): Response {
    const asksPassword = isAskedAgain(visit.who, visit.now);
    return visit.page(<NewCredentialPage refused={refused} asksPassword={asksPassword} />, {
      status: refused === null ? 200 : 422,
    });
  }

  function known({ credentials }: CredentialDeps, id: string): Credential {
    const credential = credentials.list().find((stored) => stored.id === id);
    if (credential === undefined) throw gone();
    return credential;
  }
}

type NewVisit = Pick<Visit<SignedIn, unknown, unknown, unknown, unknown>, "who" | "now" | "page">;
type OneVisit = Pick<
  Visit<SignedIn, unknown, typeof credentialAddress.usual, unknown, Credential>,
  "who" | "now" | "page" | "query" | "found"
>;

const gone = () => new Problem("not-found", "There is no such credential.");

const onePath = (id: string, did: (typeof credentialAddress.usual)["did"]): string =>
  `${paths.credential(id)}${credentialAddress.search({ did })}`;

const DID_REPLACE = { true: "same-account", false: "other-account", undefined: "unknown-account" } as const;

/** Why an account was not stored a second time. */
const STORED = {
  other_key: "This account is stored with another key. Replace the secret of that credential.",
  unreadable:
    "This account is stored, but this installation's key cannot read it. Replace the secret of that credential.",
} as const;

/** Asks the providers of a credential, and leads to its page, which shows their stored answers. */
async function ask(
  deps: CredentialDeps,
  visit: Pick<Visit<SignedIn, unknown, unknown, unknown, Credential>, "found" | "actor">,
  job: ConnectionJob,
): Promise<Response> {
  const { id } = visit.found;
  const signal = AbortSignal.timeout(PATIENCE_MS);
  const answer = await askAccount(deps, { job, credential: id, by: `operator:${visit.actor.name}`, signal });
  return seeOther(onePath(id, notStored(answer)));
}

/** The part of an answer that is stored nowhere: the page names it once. */
function notStored(answer: AccountAnswer): (typeof credentialAddress.usual)["did"] {
  if (!answer.ok) return answer.why === "missing" ? null : answer.why;
  const { answers } = answer;
  if (answers.some(({ isMonitored }) => !isMonitored)) return "unmonitored";
  if (answers.some(({ fault }) => fault?.code === "connection_changed")) return "other-connection";
  return answers.some(({ wasAsked }) => !wasAsked) ? "held" : null;
}

function onePage(deps: CredentialDeps, visit: OneVisit, refused: CredentialPageProps["refused"]): Response {
  const { db } = deps.store;
  const { found: credential, query } = visit;
  const attachments = listAttachments(db).filter((attached) => attached.credential === credential.id);
  const wanted = query.q.toLowerCase();
  const listed = listProperties(db, credential.id);
  const properties = propertyRows({
    properties: listed,
    attachments,
    sites: [],
  }).filter(({ seen, sites }) =>
    [seen.name, seen.property, ...sites].some((text) => text.toLowerCase().includes(wanted)),
  );
  return visit.page(
    <CredentialPage
      row={credentialRow(deps, credential, { attachments, properties: listed })}
      query={query}
      properties={pageOf(properties, query.page, PAGE_SIZE)}
      attachments={attachments.length}
      checks={lastChecks(db, { ...credential, workspace: deps.config.workspace }).map((check) => ({
        ...check,
        listed: listed.filter(({ provider }) => provider === check.provider),
      }))}
      refused={refused}
      asksPassword={isAskedAgain(visit.who, visit.now)}
    />,
    { status: refused === null ? 200 : 422 },
  );
}

type JudgedSecret =
  | { readonly ok: true; readonly secret: Secret; readonly field: string }
  | { readonly ok: false; readonly errors: Filled["errors"] };

/** The secret that a form gives, as a file or as text. Nothing of it is repeated. */
async function judgeSecret(
  deps: CredentialDeps,
  form: URLSearchParams,
  provider: AccountProvider,
): Promise<JudgedSecret> {
  const [file, text] = [form.get("file") ?? "", form.get("secret") ?? ""];
  const field = file.trim() === "" ? "secret" : "file";
  const refused = (error: string) => ({ ok: false, errors: { [field]: error } }) as const;
  if (deps.keys.isStandIn) {
    return refused(
      `The encryption key is lost. Put ${keyPath(deps.config.dataDir)} back or set CREDENTIALS_KEY, and restart.`,
    );
  }
  if (file.trim() !== "" && text.trim() !== "") return refused("Give the file or its text, not both.");
  if (file.trim() === "" && text.trim() === "") {
    return refused(provider === "webmaster-tools" ? "Give the key." : "Choose the file, or paste its text.");
  }
  const read = await readCredentialFile(provider, field === "file" ? file : text, deps.config.providers);
  if (read.ok) return { ok: true, secret: read.secret, field };
  return refused(read.faults.join(" "));
}

interface JudgedNew {
  readonly ok: true;
  readonly kind: CredentialKind;
  readonly providers: readonly AccountProvider[];
  readonly secret: Secret;
  readonly label: string | undefined;
  /** The field of the secret. */
  readonly field: string;
  readonly values: Filled["values"];
}

/** Judges the whole form, every field of it. */
async function judgeNew(
  deps: CredentialDeps,
  form: URLSearchParams,
): Promise<JudgedNew | ({ readonly ok: false; readonly kind: CredentialKind } & Filled)> {
  const kind = CREDENTIAL_KINDS.find((known) => known === form.get("kind")) ?? CREDENTIAL_KINDS[0];
  const possible = ACCOUNT_PROVIDERS.filter((provider) => KIND_OF[provider] === kind);
  const providers =
    possible.length === 1
      ? possible
      : possible.filter((provider) => form.getAll("providers").includes(provider));
  const label = (form.get("label") ?? "").trim();
  const read = await judgeSecret(deps, form, providers[0] ?? possible[0] ?? "analytics");
  const errors = {
    providers: providers.length === 0 ? "Choose at least one." : undefined,
    ...(read.ok ? {} : read.errors),
    label: label === "" ? undefined : labelFault(label),
  };
  const values = { label, providers: providers.join(" ") };
  if (!read.ok || Object.values(errors).some((error) => error !== undefined))
    return { ok: false, kind, values, errors };
  return {
    ok: true,
    kind,
    providers,
    secret: read.secret,
    label: label === "" ? undefined : label,
    field: read.field,
    values,
  };
}
