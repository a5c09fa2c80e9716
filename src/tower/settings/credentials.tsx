/** The list of credentials, each with its last test or sync. */

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

/** The newest attempt with an account. Times are milliseconds since the epoch. */
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

/** The newest attempt of a credential's account with one of its providers, under its present connection alone. */
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
  // An attempt has its category; the code of its reason is in the health of its scope.
  const scopes = [
    checkScope({ workspace, job: "connection-test", provider, connectionRevision }),
    checkScope({ workspace, job: "site-discovery", provider, connectionRevision }),
    dailyScope(workspace, account),
  ];
  const evidence = scopes
    .flatMap((scope) => findEvidence(db, scope)?.latest ?? [])
    .find((known) => known.startedAt === at && known.category === category);
  return { state: "refused", at, category, code: evidence?.code ?? null, nextRetryAt };
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
  if (standing.state === "usable") return <>usable ({at})</>;
  if (standing.state !== "refused") {
    return <span class="bad">signed in, sees no property ({at})</span>;
  }
  const { category, code, nextRetryAt } = standing;
  return (
    <span class="bad">
      refused ({at}). {category === null ? "Reason unknown." : failureWords({ category, code }).why}
      {nextRetryAt === null || nextRetryAt <= now
        ? null
        : [" Next retry ", <Moment at={nextRetryAt} />, " UTC."]}
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

/** The stored credentials, and what is left to attach. */
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
      note="Secrets are stored encrypted and never shown again. Saving doesn't check a credential. Use Test."
    >
      {removed === null ? null : (
        <Callout tone="working" role="status">
          <p>Credential removed, {countOf(removed, "property", "properties")} detached. Stored data stays.</p>
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
              <Go to={paths.newCredential} words="Add credential" primary />
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
            ["Key added", ({ credential }) => <Moment at={credential.connectedAt} />],
            [
              "Last test or sync",
              ({ isReadable, standings }) =>
                isReadable ? (
                  <Evidence standings={standings} />
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

interface RowDeps {
  readonly store: Store;
  readonly credentials: Credentials;
  readonly config: Pick<Config, "workspace">;
}

/** Every stored credential with its state. */
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
