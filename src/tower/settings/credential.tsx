/** The page of one credential: what is known of it, its checks, what it gives access to, and its changes. */

import { countWords as countOf } from "../../base/text.ts";
import { failureWords } from "../../health/capability_words.ts";
import { capabilityOf } from "../../health/catalogue.ts";
import { MONITORING_UNAVAILABLE } from "../../health/words.ts";
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
import { Code, Told } from "../kit/links.tsx";
import { List } from "../kit/list.tsx";
import { Callout } from "../kit/monitoring_words.tsx";
import { Pager, type Paging } from "../kit/pager.tsx";
import { Moment } from "../kit/proof.tsx";
import { SearchForm } from "../kit/search_form.tsx";
import { Act, Form, RefusedNote, SureAct } from "../kit/shown_once.tsx";
import { Facts } from "../kit/term.tsx";
import { paths } from "../paths.ts";
import { attachHref, credentialAddress, type DONE, type PropertyRow } from "./attach_rows.ts";
import { type CredentialRow, Evidence, KIND_WORDS } from "./credentials.tsx";
import { LONGEST_LABEL, PasswordAgain, SecretFields, Traps } from "./new_credential.tsx";
import { PropertyName } from "./open_rows.tsx";
import { SettingsPage } from "./settings.tsx";

/** The last check of a provider, with what it listed last. */
interface ShownCheck extends LastCheck {
  readonly listed: readonly SeenProperty[];
}

const JOB_WORDS: Readonly<Record<ConnectionJob, string>> = {
  "connection-test": "Connection test",
  "site-discovery": "Search for properties",
};

/** What came of asking its providers, each in a sentence with what to do. */
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
          It says that the account is let in. Whether a site's figures come is said by the site.
        </p>
      ) : null}
    </Callout>
  );
}

/** What is wrong with an answer. A list without anything that can be used is one, too: nothing comes of such an account. */
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
        : [" Tower asks by itself again from ", <Moment at={nextRetryAt} />, " UTC on."]}
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
  /** What it gives access to, as its last discovery saw it. */
  readonly properties: { readonly items: readonly PropertyRow[]; readonly paging: Paging };
  /** Attachments that would go with it. */
  readonly attachments: number;
  /** What each provider answered when it was last asked, with what it listed last. */
  readonly checks: readonly ShownCheck[];
  /** What was refused of the form named; nothing of a secret. */
  readonly refused: ({ readonly form: "name" | "replacement" } & Filled) | null;
  readonly asksPassword: boolean;
}

/** One credential: what is known of it, asking whether it works, what it may see, and its changes. */
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
      <RefusedNote
        errors={refused?.errors ?? {}}
        words="Nothing was changed. What to change stands at the field."
      />
      {props.query.did === null ? null : (
        <Callout role="status" tone={NOT_PLAIN.has(props.query.did) ? "stale" : undefined}>
          <p>{DONE_WORDS[props.query.did]}</p>
        </Callout>
      )}
      {props.checks.length === 0 ? null : <Checked checks={props.checks} />}
      <div class="halves">
        <div class="stack">
          <Standing {...props} />
          <Changes {...props} />
        </div>
        <Properties {...props} />
      </div>
    </SettingsPage>
  );
}

const TEST_IT = "That it is stored does not say that it works: test it.";

const DONE_WORDS: Readonly<Record<(typeof DONE)[number], string>> = {
  added: `The credential is stored. ${TEST_IT}`,
  changed: `The account was stored already, and is used as you said now. ${TEST_IT}`,
  same: "The account was stored already, as it is here: nothing is changed.",
  "same-account": `The secret is replaced by another of the same account. A new connection begins, and its attachments stay. ${TEST_IT}`,
  "other-account": `The secret is replaced by one of another account. A new connection begins; the attachments stay, and only work where that account was added to their properties. ${TEST_IT}`,
  "unknown-account": `The secret is replaced. A new connection begins, and its attachments stay; nothing in a key tells whether it is of the same user. ${TEST_IT}`,
  renamed: "It is called something else now. Its connection is the same.",
  busy: "Nothing was asked: another account is asked just now. Try again when that is done.",
  stopped: "It was given up before every provider had answered. What they had answered is kept.",
  held: "The provider asked to be left alone for a while, so it was not asked now.",
  "other-connection":
    "The secret was replaced before the answer came. The answer says nothing of the connection there is now: test it.",
  unmonitored: MONITORING_UNAVAILABLE,
};

/** Acts that did not come to what they were for, or that want a second look. */
const NOT_PLAIN: ReadonlySet<(typeof DONE)[number]> = new Set([
  "other-account",
  "busy",
  "stopped",
  "held",
  "other-connection",
  "unmonitored",
]);

function Standing({ row, attachments }: CredentialPageProps) {
  const { credential, standings, isReadable } = row;
  const { id, kind, providers, addedAt, connectedAt, editRevision, connectionRevision } = credential;
  return (
    <Block
      heading="How it stands"
      tools={
        <>
          <Act action={paths.testCredential(id)} words="Test the connection" />
          <Act action={paths.findProperties(id)} words="Find properties" />
        </>
      }
    >
      {isReadable ? null : (
        <Callout tone="failing">
          <p>
            Its secret cannot be read with this installation's key. Put the key back, or replace the secret.
          </p>
        </Callout>
      )}
      <Facts
        facts={[
          ["Kind", KIND_WORDS[kind]],
          ["Used for", providers.map((provider) => PROVIDER_WORDS[provider]).join(", ")],
          ["Evidence", <Evidence standings={standings} />],
          ["Attached", attachments === 0 ? "to no site" : countOf(attachments, "property", "properties")],
          ["Stored", <Moment at={addedAt} />],
          ["Secret put in", <Moment at={connectedAt} />],
          ["Edit revision", formatCount(editRevision)],
          ["Connection", <Code>{connectionRevision}</Code>],
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
    <Block heading="Change it">
      <Form action={paths.renameCredential(id)} class="inline">
        <TextField
          name="label"
          label="What it is called"
          filled={filledOf("name")}
          maxlength={LONGEST_LABEL * 2}
          autocomplete="off"
          required
        />
        <button class="btn">Rename</button>
      </Form>
      <details class="items" open={refused?.form === "replacement"}>
        <summary>Replace its secret</summary>
        <Form action={paths.replaceCredential(id)} files>
          <p class="note">
            A new connection begins: nothing that was seen under the old one counts for it. Attachments stay.
          </p>
          <SecretFields kind={kind} id="replacement" errors={filledOf("replacement").errors} />
          {asksPassword ? <PasswordAgain id="replacement" operator={shell.operator ?? null} /> : null}
          <div>
            <button class="btn">Replace it</button>
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
            : `Its secret is deleted and ${countOf(attachments, "property is", "properties are")} detached; what was pulled stays.`
        }
        sure="Remove it"
      />
      <details class="items">
        <summary>What goes wrong most often</summary>
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
      heading="What it gives access to"
      note={isEmpty ? undefined : "as it was last listed"}
      tools={isEmpty ? undefined : <a href={attachHref({})}>Attach properties</a>}
    >
      {isEmpty ? (
        <Empty heading="Nothing is known yet">
          <p>"Find properties" asks the provider which properties this account may see.</p>
        </Empty>
      ) : (
        <>
          <SearchForm action={paths.credential(credential.id)} words="Property or site" value={query.q} />
          <List
            of="Properties"
            items={items}
            empty={<p>No property or site holds what is sought.</p>}
            columns={[
              ["Property", ({ seen }) => <PropertyName seen={seen} />],
              ["Provider", ({ seen }) => PROVIDER_WORDS[seen.provider]],
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
                    <span class="nm">Cannot be used</span>
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
