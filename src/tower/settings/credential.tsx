/** The page of one credential: its facts, checks, properties and changes. */

import { countWords as countOf } from "../../base/text.ts";
import { failureWords, MONITORING_UNAVAILABLE } from "../../health/capability_words.ts";
import { capabilityOf } from "../../health/catalogue.ts";
import { PROVIDER_NAMES as PROVIDER_WORDS } from "../../providers/adapter.ts";
import type { SeenProperty } from "../../providers/credentials.ts";
import { FAULT_CODES, isFaultCode } from "../../providers/faults.ts";
import { trapsBehind } from "../../providers/traps.ts";
import type { ConnectionJob, LastCheck } from "../../signals/account_check.ts";
import { formatCount } from "../format.ts";
import { Block } from "../kit/block.tsx";
import { Empty } from "../kit/empty.tsx";
import { type Filled, TextField } from "../kit/field.tsx";
import { here } from "../kit/here.ts";
import { Told } from "../kit/links.tsx";
import { List } from "../kit/list.tsx";
import { Callout } from "../kit/monitoring_words.tsx";
import { Pager, type Paging } from "../kit/pager.tsx";
import { Moment } from "../kit/proof.tsx";
import { SearchForm } from "../kit/search_form.tsx";
import { Act, Form, RefusedNote, SureAct } from "../kit/shown_once.tsx";
import { Facts } from "../kit/term.tsx";
import { paths } from "../paths.ts";
import { attachHref, credentialAddress, type DONE, type PropertyRow } from "./attach_rows.ts";
import { PropertyName } from "./attachments.tsx";
import { type CredentialRow, Evidence, KIND_WORDS } from "./credentials.tsx";
import { LONGEST_LABEL, PasswordAgain, SecretFields, Traps } from "./new_credential.tsx";
import { SettingsPage } from "./settings.tsx";

/** The last check of a provider, with what it listed last. */
interface ShownCheck extends LastCheck {
  readonly listed: readonly SeenProperty[];
}

const JOB_WORDS: Readonly<Record<ConnectionJob, string>> = {
  "connection-test": "Connection test",
  "site-discovery": "Find properties",
};

/** The last answer of each of its providers, with what to do. */
function Checked({ checks }: { checks: readonly ShownCheck[] }) {
  const isWell = checks.every((check) => reasonOf(check) === undefined);
  return (
    <Callout tone={isWell ? "working" : "failing"}>
      {[...Map.groupBy(checks, ({ job }) => job)].map(([job, ofJob]) => (
        <>
          <p>
            <b>{JOB_WORDS[job]}</b>, <Moment at={Math.max(...ofJob.map(({ at }) => at))} />
          </p>
          <ul>
            {ofJob.map((check) => (
              <li>
                <CheckWords check={check} />
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

function CheckWords({ check }: { check: ShownCheck }) {
  const { now } = here();
  const { job, provider, nextRetryAt, listed } = check;
  const reason = reasonOf(check);
  if (reason === undefined) {
    const usable = listed.filter((property) => property.usable).length;
    return (
      <>
        {PROVIDER_WORDS[provider]}: usable, {formatCount(usable)} of{" "}
        {countOf(listed.length, "property", "properties")} can be attached.
      </>
    );
  }
  const code = reason.code !== null && isFaultCode(reason.code) ? reason.code : undefined;
  const { why, action } = failureWords(reason, capabilityOf(`${provider}.${job}`)?.copy);
  return (
    <>
      {PROVIDER_WORDS[provider]}: {why} {action.text}
      {nextRetryAt === null || nextRetryAt <= now
        ? null
        : [" Next retry ", <Moment at={nextRetryAt} />, " UTC."]}
      {code === undefined
        ? null
        : trapsBehind(code, provider).map((trap) => (
            <small class="block-sm">
              {trap.says} {trap.action}
            </small>
          ))}
    </>
  );
}

export interface CredentialPageProps {
  readonly row: CredentialRow;
  readonly query: typeof credentialAddress.usual;
  /** The properties of its last discovery. */
  readonly properties: { readonly items: readonly PropertyRow[]; readonly paging: Paging };
  /** Attachments that would go with it. */
  readonly attachments: number;
  /** The last answer of each provider, with its last list. */
  readonly checks: readonly ShownCheck[];
  /** The refused values of the form named; nothing of a secret. */
  readonly refused: ({ readonly form: "name" | "replacement" } & Filled) | null;
  readonly asksPassword: boolean;
}

export function CredentialPage(props: CredentialPageProps) {
  const { row, refused } = props;
  const { credential } = row;
  return (
    <SettingsPage
      part={paths.credentials}
      title={credential.label}
      heading={<Told class="wrap">{credential.label}</Told>}
      crumb={<a href={paths.credentials}>Credentials</a>}
      still
    >
      <RefusedNote errors={refused?.errors ?? {}} words="Couldn't save. Check the highlighted field." />
      {props.query.did === null ? null : (
        <Callout role="status" tone={NOT_PLAIN.has(props.query.did) ? "stale" : undefined}>
          <p>{DONE_WORDS[props.query.did]}</p>
        </Callout>
      )}
      {props.checks.length === 0 ? null : <Checked checks={props.checks} />}
      <div class="halves">
        <div class="stack">
          <State {...props} />
          <Changes {...props} />
        </div>
        <Properties {...props} />
      </div>
    </SettingsPage>
  );
}

const TEST_IT = "Saving doesn't check a credential. Use Test.";

const DONE_WORDS: Readonly<Record<(typeof DONE)[number], string>> = {
  added: `Credential saved. ${TEST_IT}`,
  changed: `This account was stored already; its uses are updated. ${TEST_IT}`,
  same: "This account was stored already. Nothing was changed.",
  "same-account": `Secret replaced: same account, attachments kept. ${TEST_IT}`,
  "other-account": `Secret replaced: another account, attachments kept. Add that account to each property. ${TEST_IT}`,
  "unknown-account": `Secret replaced, attachments kept. A key doesn't show whether it is of the same user. ${TEST_IT}`,
  renamed: "Credential renamed.",
  busy: "Not tested: another account is being tested. Try again in a minute.",
  stopped: "Stopped before every provider answered. Answers so far are kept.",
  held: "Not tested: the provider limits requests for now.",
  "other-connection": "The secret was replaced during the test. Test again.",
  unmonitored: MONITORING_UNAVAILABLE,
};

/** Outcomes that need a second look. */
const NOT_PLAIN: ReadonlySet<(typeof DONE)[number]> = new Set([
  "other-account",
  "busy",
  "stopped",
  "held",
  "other-connection",
  "unmonitored",
]);

function State({ row, attachments }: CredentialPageProps) {
  const { credential, standings, isReadable } = row;
  const { id, kind, providers, addedAt, connectedAt } = credential;
  return (
    <Block
      heading="State"
      tools={
        <>
          <Act action={paths.testCredential(id)} words="Test" />
          <Act action={paths.findProperties(id)} words="Find properties" />
        </>
      }
    >
      {isReadable ? null : (
        <Callout tone="failing">
          <p>This installation's key cannot read its secret. Put the key back, or replace the secret.</p>
        </Callout>
      )}
      <Facts
        facts={[
          ["Kind", KIND_WORDS[kind]],
          ["Used for", providers.map((provider) => PROVIDER_WORDS[provider]).join(", ")],
          ["Last test or sync", <Evidence standings={standings} />],
          ["Attached", attachments === 0 ? "to no site" : countOf(attachments, "property", "properties")],
          ["Added", <Moment at={addedAt} />],
          ["Key added", <Moment at={connectedAt} />],
        ]}
      />
    </Block>
  );
}

function Changes(props: CredentialPageProps) {
  const { shell } = here();
  const { row, refused, attachments, asksPassword } = props;
  const { credential } = row;
  const { id, kind, label } = credential;
  const filledOf = (form: "name" | "replacement"): Filled =>
    refused?.form === form ? refused : { values: form === "name" ? { label } : {}, errors: {} };
  return (
    <Block heading="Change">
      <Form action={paths.renameCredential(id)} class="inline">
        <TextField
          name="label"
          label="Name"
          filled={filledOf("name")}
          maxlength={LONGEST_LABEL * 2}
          autocomplete="off"
          required
        />
        <button class="btn">Rename</button>
      </Form>
      <details class="items" open={refused?.form === "replacement"}>
        <summary>Replace secret</summary>
        <Form action={paths.replaceCredential(id)} files>
          <p class="note">Earlier tests and syncs don't count for the new secret. Attachments stay.</p>
          <SecretFields kind={kind} id="replacement" errors={filledOf("replacement").errors} />
          {asksPassword ? <PasswordAgain id="replacement" operator={shell.operator ?? null} /> : null}
          <div>
            <button class="btn">Replace secret</button>
          </div>
        </Form>
      </details>
      <SureAct
        action={paths.removeCredential(id)}
        words="Remove"
        on="this credential"
        consequence={
          attachments === 0
            ? "Its secret is deleted."
            : `Its secret is deleted and ${countOf(attachments, "property is", "properties are")} detached. Stored data stays.`
        }
        sure="Remove credential"
      />
      <details class="items">
        <summary>Common problems</summary>
        <Traps providers={credential.providers} />
      </details>
    </Block>
  );
}

function Properties({ row, query, properties }: CredentialPageProps) {
  const { credential } = row;
  const { items, paging } = properties;
  const isEmpty = paging.total === 0 && query.q === "";
  return (
    <Block
      heading="Properties it sees"
      note={isEmpty ? undefined : "from the last search"}
      tools={isEmpty ? undefined : <a href={attachHref({})}>Attach properties</a>}
    >
      {isEmpty ? (
        <Empty heading="No properties yet">
          <p>Use Find properties to list what this account sees.</p>
        </Empty>
      ) : (
        <>
          <SearchForm action={paths.credential(credential.id)} words="Property or site" value={query.q} />
          <List
            of="Properties"
            items={items}
            empty={<p>No property or site matches.</p>}
            columns={[
              ["Property", ({ seen }) => <PropertyName seen={seen} />],
              ["Provider", ({ seen }) => PROVIDER_WORDS[seen.provider], { class: "nowrap" }],
              [
                "Site",
                ({ seen, sites }) =>
                  sites.length > 0 ? (
                    sites.map((site, place) => (
                      <>
                        {place === 0 ? null : ", "}
                        <a href={paths.site(site)}>{site}</a>
                      </>
                    ))
                  ) : seen.usable ? (
                    <span class="dim">none</span>
                  ) : (
                    <span class="nm">Not usable</span>
                  ),
              ],
            ]}
          />
          <Pager
            paging={paging}
            what="properties"
            href={(page) =>
              `${paths.credential(credential.id)}${credentialAddress.search({ q: query.q, page })}`
            }
          />
        </>
      )}
    </Block>
  );
}
