/** The list of credentials, each with what is known of whether it works. */

import type { Config } from "../../base/config.ts";
import { countWords as countOf } from "../../base/text.ts";
import { failureWords } from "../../health/capability_words.ts";
import { checkScope, dailyScope } from "../../health/scopes.ts";
import { findEvidence } from "../../health/state_store.ts";
import { type AccountProvider, PROVIDER_NAMES as PROVIDER_WORDS } from "../../providers/adapter.ts";
import type { Attachment, Credential, SeenProperty } from "../../providers/credentials.ts";
import type { FailureCategory } from "../../providers/faults.ts";
import type { Credentials } from "../../providers/sealing.ts";
import { pullStanding } from "../../signals/pull_standing.ts";
import type { Db, Store } from "../../store/store.ts";
import { formatCount } from "../format.ts";
import { Block } from "../kit/block.tsx";
import { Empty } from "../kit/empty.tsx";
import { here } from "../kit/here.ts";
import { Go, Told } from "../kit/links.tsx";
import { List } from "../kit/list.tsx";
import { Callout } from "../kit/monitoring_words.tsx";
import { Moment } from "../kit/proof.tsx";
import { paths } from "../paths.ts";
import { SettingsPage } from "./settings.tsx";

/** What the account came to when its provider was last asked. Times are milliseconds since the epoch. */
type AccountStanding =
  | { readonly state: "never" }
  | { readonly state: "usable" | "sees-nothing"; readonly at: number }
  | {
      readonly state: "refused";
      readonly at: number;
      readonly category: FailureCategory | null;
      /** The reviewed code of the reason, where it is known. */
      readonly code: string | null;
      readonly nextRetryAt: number | null;
    };

/** How a credential's account stands with one of its providers, under the connection it has now: nothing earlier speaks for it. */
function accountStanding(
  db: Db,
  { workspace, connectionRevision }: Pick<Credential, "connectionRevision"> & { readonly workspace: string },
  provider: AccountProvider,
): AccountStanding {
  const account = { asset: "", provider, connectionRevision, property: "" };
  const { latest } = pullStanding(db, account);
  if (latest === undefined) return { state: "never" };
  const { startedAt: at, outcome, category, nextRetryAt } = latest;
  if (outcome !== "failed" && outcome !== "incomplete") {
    return { state: outcome === "empty" ? "sees-nothing" : "usable", at };
  }
  // An attempt has its category; why it was is told by the health of what was asked, where that is of the same attempt.
  const scopes = [
    checkScope({ workspace, job: "connection-test", provider, connectionRevision }),
    checkScope({ workspace, job: "site-discovery", provider, connectionRevision }),
    dailyScope(workspace, account),
  ];
  const told = scopes
    .flatMap((scope) => findEvidence(db, scope)?.latest ?? [])
    .find((known) => known.startedAt === at && known.category === category);
  return { state: "refused", at, category, code: told?.code ?? null, nextRetryAt };
}

export function Evidence(props: {
  readonly standings: readonly { readonly provider: AccountProvider; readonly standing: AccountStanding }[];
}) {
  const { standings } = props;
  return (
    <>
      {standings.map(({ provider, standing }) => (
        <span class="block-sm">
          {standings.length === 1 ? null : <>{PROVIDER_WORDS[provider]}: </>}
          <StandingWords standing={standing} />
        </span>
      ))}
    </>
  );
}

function StandingWords({ standing }: { standing: AccountStanding }) {
  const { now } = here();
  if (standing.state === "never") return <span class="nm">Never tested</span>;
  const at = <Moment at={standing.at} />;
  if (standing.state === "usable") return <>asked {at}: usable</>;
  if (standing.state !== "refused") {
    return <span class="bad">asked {at}: signed in, and may see no property</span>;
  }
  const { category, code, nextRetryAt } = standing;
  return (
    <span class="bad">
      asked {at}: refused. {category === null ? "No reason is known." : failureWords({ category, code }).why}
      {nextRetryAt === null || nextRetryAt <= now
        ? null
        : [" Tower asks by itself again from ", <Moment at={nextRetryAt} />, " on."]}
    </span>
  );
}

export interface CredentialRow {
  readonly credential: Credential;
  readonly standings: readonly { readonly provider: AccountProvider; readonly standing: AccountStanding }[];
  /** Properties that its last discovery listed, and those of them that can be used. */
  readonly properties: { readonly listed: number; readonly usable: number };
  /** Sites with a property attached over it. */
  readonly sites: number;
  /** Whether its secret can be read with the key that is here. */
  readonly isReadable: boolean;
}

export const KIND_WORDS: Readonly<Record<Credential["kind"], string>> = {
  "google-service-account": "Google service account",
  "webmaster-tools-key": "Webmaster tools key",
  "serp-login": "DataForSEO account",
};

/** The stored credentials, each with how it stands; and what is left to attach. */
export function CredentialsPage(props: {
  readonly rows: readonly CredentialRow[];
  /** Usable properties that no site has. */
  readonly unattached: number;
  /** What was just removed, with how many sites lost a source by it. */
  readonly removed: number | null;
}) {
  const { rows, unattached, removed } = props;
  return (
    <SettingsPage
      part={paths.credentials}
      title="Credentials"
      note="The accounts that Tower asks analytics, search console and webmaster tools with. Secrets are stored encrypted and never shown again. A stored credential is not a working one: only an answer under its present connection says that."
    >
      {removed === null ? null : (
        <Callout tone="working" role="status">
          <p>
            The credential and its secret are removed. {countOf(removed, "attachment")} went with it; what was
            pulled stays.
          </p>
        </Callout>
      )}
      <Block
        heading="Stored credentials"
        tools={
          rows.length === 0 ? undefined : (
            <>
              <a class="btn" href={paths.attachments}>
                Attach properties{unattached === 0 ? "" : ` (${formatCount(unattached)})`}
              </a>
              <Go to={paths.newCredential} words="Add a credential" primary />
            </>
          )
        }
      >
        <List
          of="Stored credentials"
          items={rows}
          id={({ credential }) => `credential-${credential.id}`}
          columns={[
            [
              "Credential",
              ({ credential }) => (
                <>
                  <a href={paths.credential(credential.id)} data-row>
                    <Told class="wrap">{credential.label}</Told>
                  </a>
                  <small class="block-sm">{KIND_WORDS[credential.kind]}</small>
                </>
              ),
            ],
            [
              "Used for",
              ({ credential }) => credential.providers.map((provider) => PROVIDER_WORDS[provider]).join(", "),
            ],
            [
              "Properties",
              ({ properties: { listed, usable } }) =>
                listed === 0 ? (
                  <span class="dim">none known</span>
                ) : usable === listed ? (
                  formatCount(listed)
                ) : (
                  `${formatCount(usable)} of ${formatCount(listed)} usable`
                ),
            ],
            ["Sites", ({ sites }) => formatCount(sites), { numeric: true }],
            ["Secret put in", ({ credential }) => <Moment at={credential.connectedAt} />],
            [
              "Evidence",
              ({ isReadable, standings }) =>
                isReadable ? (
                  <Evidence standings={standings} />
                ) : (
                  <span class="bad">
                    cannot be read with this installation's key: put the key back, or replace it
                  </span>
                ),
              { class: "all" },
            ],
          ]}
          empty={
            <Empty heading="No credential yet">
              <p>
                Without one Tower knows what sites send. With a Google service account it also pulls visitors
                and search clicks, with a webmaster tools key the clicks of the other engine. Read access is
                enough for all of it.
              </p>
              <Go to={paths.newCredential} words="Add a credential" primary />
            </Empty>
          }
        />
      </Block>
    </SettingsPage>
  );
}

interface RowDeps {
  readonly store: Store;
  readonly credentials: Credentials;
  readonly config: Pick<Config, "workspace">;
}

/** Every stored credential with what is known of it. */
export function credentialRows(
  deps: RowDeps,
  of: { readonly attachments: readonly Attachment[]; readonly properties: readonly SeenProperty[] },
): CredentialRow[] {
  const attachments = Map.groupBy(of.attachments, ({ credential }) => credential);
  const properties = Map.groupBy(of.properties, ({ credential }) => credential);
  return deps.credentials.list().map((credential) =>
    credentialRow(deps, credential, {
      attachments: attachments.get(credential.id) ?? [],
      properties: properties.get(credential.id) ?? [],
    }),
  );
}

/** One of them, with what is attached over it and what it listed. */
export function credentialRow(
  { store, credentials, config }: RowDeps,
  credential: Credential,
  of: { readonly attachments: readonly Attachment[]; readonly properties: readonly SeenProperty[] },
): CredentialRow {
  return {
    credential,
    standings: credential.providers.map((provider) => ({
      provider,
      standing: accountStanding(store.db, { ...credential, workspace: config.workspace }, provider),
    })),
    properties: { listed: of.properties.length, usable: of.properties.filter(({ usable }) => usable).length },
    sites: new Set(of.attachments.map(({ asset }) => asset)).size,
    isReadable: credentials.canOpen(credential.id),
  };
}
