/** `/settings/credentials/{id}`: what one credential is, what it sees, its tests, and changing or removing it. */

import { Problem } from "../../base/problem.ts";
import { countWords as countOf } from "../../base/text.ts";
import { failureWords } from "../../health/capability_words.ts";
import { capabilityOf } from "../../health/catalogue.ts";
import { PROVIDER_NAMES } from "../../providers/adapter.ts";
import {
  CREDENTIAL_NAMES,
  type Credential,
  listCredentials,
  type SeenProperty,
} from "../../providers/credentials.ts";
import { FAULT_CODES, isFaultCode } from "../../providers/faults.ts";
import { trapsBehind } from "../../providers/given_file.ts";
import { listAttachmentsWith, listProperties } from "../../providers/properties.ts";
import {
  type AccountAnswer,
  askAccount,
  type ConnectionJob,
  type LastCheck,
  lastChecks,
} from "../../signals/account_check.ts";
import { pullStanding } from "../../signals/attempts.ts";
import { removeAccount, replaceCredential } from "../../signals/credential_changes.ts";
import { sitesReadWith } from "../../signals/matched_site.ts";
import { formatCount } from "../format.ts";
import type { PageGround } from "../ground.ts";
import { type Done, withNotice } from "../keyboard.tsx";
import { address, PAGE } from "../kit/address.tsx";
import { confirmed, PasswordAgain } from "../kit/confirmed_form.tsx";
import { Act, Form, type Refused, RefusedNote, SureAct } from "../kit/field.tsx";
import { Told } from "../kit/links.tsx";
import { Block, List, Pager, pageOf } from "../kit/list.tsx";
import { Facts, Moment } from "../kit/proof.tsx";
import { mounted, own, type Visit } from "../kit/route.ts";
import { Callout } from "../kit/words.tsx";
import { paths } from "../paths.ts";
import { type SignedIn, seeOther } from "../session.ts";
import { attachHref, PAGE_SIZE, propertyRows } from "./attach_rows.ts";
import { PropertyName } from "./attachments.tsx";
import {
  NextRetry,
  propertiesOf,
  readSecret,
  SECRET_FIELDS,
  SecretFields,
  Standings,
  usesOf,
} from "./credentials.tsx";
import { SettingsPage } from "./settings.tsx";

const credentialAddress = address({ page: PAGE });

type OneVisit = Visit<SignedIn, unknown, typeof credentialAddress.usual, unknown, Credential>;

/** Longest wait of an act for the providers, in milliseconds; a browser waits with it. */
const PATIENCE_MS = 45_000;

const DID_REPLACE = { true: "secret-same", false: "secret-other", undefined: "secret-unknown" } as const;

const gone = () => new Problem("not-found", "There is no such credential.");

export function credentialRoutes(deps: PageGround) {
  const find = ({ id }: { readonly id: string }): Credential => {
    const credential = listCredentials(deps.store.db).find((stored) => stored.id === id);
    if (credential === undefined) throw gone();
    return credential;
  };
  const one = { query: credentialAddress, find };
  return mounted(deps, [
    own.get(paths.credential, one, (visit) => onePage(deps, visit)),
    confirmed({ secrets: SECRET_FIELDS, takesFiles: true }).post(
      paths.replaceCredential,
      { query: credentialAddress },
      async (asked) => {
        // Looked for once the password is given: who asks without learns of no credential.
        const visit = { ...asked, found: find(asked.params) };
        const { id, providers } = visit.found;
        const [provider = "analytics"] = providers;
        const refused = (errors: Refused) => onePage(deps, visit, errors);
        const read = await readSecret(deps, visit.form, provider);
        if (!read.ok) return refused(read.errors);
        const given = { provider, secret: read.secret, label: undefined };
        const replaced = await replaceCredential(deps, id, given, visit.by);
        if (replaced.ok)
          return seeOther(withNotice(paths.credential(id), DID_REPLACE[`${replaced.isSameAccount}`]));
        if (replaced.why === "missing") throw gone();
        return refused({
          [read.field]:
            replaced.why === "taken"
              ? "Another credential has this account. Attach with that one, or remove it first."
              : "It is of another kind. Add it as a credential of its own.",
        });
      },
    ),
    confirmed().post(paths.removeCredential, {}, async ({ params: { id }, by }) => {
      if ((await removeAccount(deps, id, by)) === undefined) throw gone();
      return seeOther(withNotice(paths.credentials, "credential-removed"));
    }),
    own.post(paths.testCredential, { find }, (visit) => ask(visit, "connection-test")),
    own.post(paths.findProperties, { find }, (visit) => ask(visit, "site-discovery")),
  ]);

  /** Asks the providers of a credential, and leads to its page, which shows their stored answers. */
  async function ask(
    { found: { id }, actor }: Pick<Visit<SignedIn, 0, 0, 0, Credential>, "found" | "actor">,
    job: ConnectionJob,
  ): Promise<Response> {
    const signal = AbortSignal.timeout(PATIENCE_MS);
    const answer = await askAccount(deps, { job, credential: id, by: `operator:${actor.name}`, signal });
    const unstored = notStored(answer);
    const path = paths.credential(id);
    return seeOther(unstored === undefined ? path : withNotice(path, unstored));
  }
}

/** The part of an answer that is stored nowhere: the page names it once. */
function notStored(answer: AccountAnswer): Done | undefined {
  if (!answer.ok) return answer.why === "missing" ? undefined : `check-${answer.why}`;
  const { answers } = answer;
  if (answers.some(({ isMonitored }) => !isMonitored)) return "test-unrecorded";
  if (answers.some(({ fault }) => fault?.code === "connection_changed")) return "check-other-connection";
  return answers.some(({ wasAsked }) => !wasAsked) ? "check-held" : undefined;
}

function onePage(deps: PageGround, visit: OneVisit, refused: Refused = {}): Response {
  const { db } = deps.store;
  const { found: credential, query } = visit;
  const { id, label, kind } = credential;
  const attachments = listAttachmentsWith(db, id);
  const sites = sitesReadWith(db, credential, attachments).size;
  const listed = listProperties(db, id);
  const rows = propertyRows({ properties: listed, attachments, sites: [] });
  const { items, paging } = pageOf(rows, query.page, PAGE_SIZE);
  const isRefused = Object.keys(refused).length > 0;
  return visit.page(
    <SettingsPage
      part={paths.credentials}
      title={label}
      heading={<Told class="wrap">{label}</Told>}
      crumb={<a href={paths.credentials}>Credentials</a>}
      still
    >
      <RefusedNote errors={refused} words="Couldn't save. Check the highlighted field." />
      <Checked
        checks={lastChecks(db, { ...credential, workspace: deps.config.workspace }).filter(
          (check) => check.failure !== undefined || !isOutdated(deps, credential, check),
        )}
        listed={listed}
      />
      <div class="halves">
        <Block
          heading="State"
          tools={
            <>
              <Act action={paths.testCredential(id)} words="Test" />
              <Act action={paths.findProperties(id)} words="Find properties" />
            </>
          }
        >
          {deps.credentials.canOpen(id) ? null : (
            <Callout tone="failing">
              <p>This installation's key cannot read its secret. Put the key back, or replace the secret.</p>
            </Callout>
          )}
          <Facts
            facts={[
              ["Kind", CREDENTIAL_NAMES[kind]],
              ["Used for", usesOf(credential)],
              ["Last test or sync", <Standings deps={deps} credential={credential} />],
              ["Sites", sites === 0 ? "none" : formatCount(sites)],
              ["Properties", propertiesOf(credential, listed)],
              ["Added", <Moment at={credential.addedAt} />],
              ["Key added", <Moment at={credential.connectedAt} />],
            ]}
          />
        </Block>
        <Block heading="Change">
          <details class="items" open={isRefused}>
            <summary>Replace secret</summary>
            <Form action={paths.replaceCredential(id)} files send="Replace secret" isMinor>
              <p class="note">Earlier tests and syncs don't count for the new secret. Attachments stay.</p>
              <SecretFields kind={kind} id="replacement" errors={refused} />
              <PasswordAgain id="replacement" who={visit.who} />
            </Form>
          </details>
          <SureAct
            action={paths.removeCredential(id)}
            words="Remove"
            on="this credential"
            consequence={
              kind === "serp-login"
                ? "Its secret is deleted and no panel runs. Stored results stay."
                : sites === 0
                  ? "Its secret is deleted."
                  : `Its secret is deleted and ${countOf(sites, "site is", "sites are")} no longer read with it. Stored data stays.`
            }
            sure="Remove credential"
          />
        </Block>
      </div>
      <Block heading="Properties it sees" tools={<a href={attachHref({})}>Attach properties</a>}>
        <List
          of="Properties it sees"
          items={items}
          empty={<p>Use Find properties to list them.</p>}
          columns={[
            ["Property", ({ seen }) => <PropertyName seen={seen} />],
            ["Provider", ({ seen }) => PROVIDER_NAMES[seen.provider]],
            ["Site", ({ seen, sites: owners }) => (seen.usable ? owners.join(", ") : "not usable")],
          ]}
        />
        <Pager
          paging={paging}
          what="properties"
          href={(page) => `${paths.credential(id)}${credentialAddress.search({ page })}`}
        />
      </Block>
    </SettingsPage>,
    { status: isRefused ? 422 : 200 },
  );
}

const JOB_WORDS: Readonly<Record<ConnectionJob, string>> = {
  "connection-test": "Connection test",
  "site-discovery": "Find properties",
};

/** Whether an attempt failed since. */
function isOutdated(deps: PageGround, { connectionRevision }: Credential, check: LastCheck): boolean {
  const account = { asset: "", provider: check.provider, connectionRevision, property: "" };
  const { latest } = pullStanding(deps.store.db, account);
  return latest !== undefined && latest.category !== null && latest.startedAt > check.at;
}

interface ShownCheck extends LastCheck {
  /** What the provider listed last. */
  readonly listed: readonly SeenProperty[];
}

/** The last answer of each of its providers, with what to do. The account can be refused at any time, so it is never green. */
function Checked(props: { readonly checks: readonly LastCheck[]; readonly listed: readonly SeenProperty[] }) {
  if (props.checks.length === 0) return null;
  const checks = props.checks.map(
    (check): ShownCheck => ({
      ...check,
      listed: props.listed.filter(({ provider }) => provider === check.provider),
    }),
  );
  const isWell = checks.every((check) => reasonOf(check) === undefined);
  return (
    <Callout tone={isWell ? undefined : "failing"}>
      {[...Map.groupBy(checks, ({ job }) => job)].map(([job, ofJob]) => (
        <>
          <p>
            <b>{JOB_WORDS[job]}</b>, <Moment at={Math.max(...ofJob.map(({ at }) => at))} />
          </p>
          <ul>
            {ofJob.map((check) => (
              <li>
                {PROVIDER_NAMES[check.provider]}: <CheckWords check={check} />
              </li>
            ))}
          </ul>
        </>
      ))}
      {isWell && checks.some(({ job }) => job === "connection-test") ? (
        <p class="note">
          The account can sign in. Each site's Integrations tab shows whether its figures arrive.
        </p>
      ) : null}
    </Callout>
  );
}

/** The reason that an answer is of no use. A list without a usable property has one, too. */
function reasonOf({ failure, listed }: ShownCheck): LastCheck["failure"] {
  if (failure !== undefined || listed.some(({ usable }) => usable)) return failure;
  return { category: FAULT_CODES.no_property.category, code: "no_property" };
}

function CheckWords({ check }: { readonly check: ShownCheck }) {
  const { job, provider, nextRetryAt, listed } = check;
  const reason = reasonOf(check);
  if (reason === undefined) {
    const usable = listed.filter((property) => property.usable).length;
    return (
      <>{`usable, ${formatCount(usable)} of ${countOf(listed.length, "property", "properties")} can be attached.`}</>
    );
  }
  const { code } = reason;
  const { why, action } = failureWords(reason, capabilityOf(`${provider}.${job}`)?.copy);
  const traps = code !== null && isFaultCode(code) ? trapsBehind(code, provider) : [];
  return (
    <>
      {why} {action.text}
      <NextRetry at={nextRetryAt} />
      {traps.map((trap) => (
        <small class="block-sm">
          {trap.says} {trap.action}
        </small>
      ))}
    </>
  );
}
