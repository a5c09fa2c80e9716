import type { Credential } from "../../credentials/contract.ts";
import type { AccountProvider } from "../../provider/contract.ts";
import { Block } from "../component/block.tsx";
import { Callout } from "../component/callout.tsx";
import { Empty } from "../component/empty.tsx";
import { PROVIDER_WORDS } from "../component/provider_words.ts";
import { DataTable } from "../component/table.tsx";
import { Told } from "../component/text.tsx";
import { Moment } from "../component/time.tsx";
import { countOf, formatCount } from "../format.ts";
import { paths } from "../paths.ts";
import { SettingsPage } from "../settings/settings_page.tsx";
import type { Shell } from "../shell.ts";
import { Evidence } from "./evidence.tsx";
import type { AccountStanding } from "./standing.ts";

/** A credential with what is known of it. */
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
  readonly shell: Shell;
  readonly rows: readonly CredentialRow[];
  /** Usable properties that no site has. */
  readonly unattached: number;
  /** What was just removed, with how many sites lost a source by it. */
  readonly removed: number | null;
}) {
  const { shell, rows, unattached, removed } = props;
  return (
    <SettingsPage
      shell={shell}
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
              <a class="btn primary" href={paths.newCredential}>
                Add a credential
              </a>
            </>
          )
        }
      >
        <DataTable
          fold
          caption="Stored credentials"
          items={rows}
          id={({ credential }) => `credential-${credential.id}`}
          columns={[
            {
              words: "Credential",
              names: true,
              cell: ({ credential }) => (
                <>
                  <a href={paths.credential(credential.id)} data-row>
                    <Told class="wrap">{credential.label}</Told>
                  </a>
                  <small class="block-sm">{KIND_WORDS[credential.kind]}</small>
                </>
              ),
            },
            {
              words: "Used for",
              label: true,
              cell: ({ credential }) =>
                credential.providers.map((provider) => PROVIDER_WORDS[provider]).join(", "),
            },
            {
              words: "Properties",
              label: true,
              cell: ({ properties: { listed, usable } }) =>
                listed === 0 ? (
                  <span class="dim">none known</span>
                ) : usable === listed ? (
                  formatCount(listed)
                ) : (
                  `${formatCount(usable)} of ${formatCount(listed)} usable`
                ),
            },
            { words: "Sites", label: true, numeric: true, cell: ({ sites }) => formatCount(sites) },
            {
              words: "Secret put in",
              label: true,
              cell: ({ credential }) => <Moment at={credential.connectedAt} now={shell.now} />,
            },
            {
              words: "Evidence",
              class: "all",
              cell: ({ isReadable, standings }) =>
                isReadable ? (
                  <Evidence standings={standings} now={shell.now} />
                ) : (
                  <span class="bad">
                    cannot be read with this installation's key: put the key back, or replace it
                  </span>
                ),
            },
          ]}
          empty={
            <Empty heading="No credential yet">
              <p>
                Without one Tower knows what sites send. With a Google service account it also pulls visitors
                and search clicks, with a webmaster tools key the clicks of the other engine. Read access is
                enough for all of it.
              </p>
              <a class="btn primary" href={paths.newCredential}>
                Add a credential
              </a>
            </Empty>
          }
        />
      </Block>
    </SettingsPage>
  );
}
