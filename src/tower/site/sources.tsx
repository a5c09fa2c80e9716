/** A provider that a site can have figures of. */

import { PROVIDER_NAMES as PROVIDER_WORDS, PROVIDERS, type Provider } from "../../providers/adapter.ts";
import { listAttachmentsOf, listDetachments } from "../../providers/attachments.ts";
import {
  type Attachment,
  type Detachment,
  findCredential,
  listCredentials,
} from "../../providers/credentials.ts";
import { findProperty } from "../../providers/properties.ts";
import { findLatest } from "../../reports/codebase.ts";
import { findLatestPulse } from "../../reports/pulse.ts";
import type { Db } from "../../store/store.ts";
import { ForgetForm } from "../integrations/acts.tsx";
import type { Child } from "../jsx/child.ts";
import { actorWords } from "../kit/actor_words.ts";
import { Block } from "../kit/block.tsx";
import { StateMark } from "../kit/glyph.tsx";
import { Code, DataTable, Told } from "../kit/links.tsx";
import { Day, Moment } from "../kit/proof.tsx";
import { PROVIDER_GIVES } from "../kit/provider_words.ts";
import { paths } from "../paths.ts";
import { attachHref } from "../settings/attach_rows.ts";
import { DetachForm } from "../settings/attachments.tsx";
import { Failing, readStandings, type SourceStanding } from "./site_days.tsx";

export interface ProviderSource {
  readonly provider: Provider;
  readonly attached: Attachment | undefined;
  /** What the property is called where its credential listed it. */
  readonly name: string | undefined;
  /** What the credential is called. */
  readonly label: string | undefined;
  readonly standing: SourceStanding | undefined;
  /** The connection that was taken away; undefined where none was, or where there is one again. */
  readonly detached: Detachment | undefined;
}

/** Where everything that is known of a site comes from. Times are milliseconds since the epoch. */
export interface SiteSources {
  readonly nightlyAt: number | undefined;
  readonly codebaseDate: NonNullable<ReturnType<typeof findLatest>>["date"] | undefined;
  readonly providers: readonly ProviderSource[];
  readonly hasCredential: boolean;
}

export function readSources(db: Db, asset: string, now: number): SiteSources {
  const attachments = listAttachmentsOf(db, asset);
  const standings = readStandings(db, attachments);
  const detachments = listDetachments(db).filter((one) => one.asset === asset);
  return {
    nightlyAt: findLatestPulse(db, asset, now)?.receivedAt,
    codebaseDate: findLatest(db, asset, now)?.date,
    hasCredential: listCredentials(db).length > 0,
    providers: PROVIDERS.map((provider) => {
      const attached = attachments.find((one) => one.provider === provider);
      return {
        provider,
        attached,
        name: attached && findProperty(db, attached)?.name,
        label: attached && findCredential(db, attached.credential)?.label,
        standing: standings.get(provider),
        detached: detachments.find((one) => one.provider === provider),
      };
    }),
  };
}

/** Every source of the site in one place: what it sends, and what is pulled for it. */
export function Sources(props: { readonly asset: string; readonly sources: SiteSources }) {
  const { asset, sources } = props;
  const rows = [
    {
      words: "Nightly report",
      what:
        sources.nightlyAt === undefined ? (
          <span class="nm">No report</span>
        ) : (
          <>
            sent by the site, last <Moment at={sources.nightlyAt} />
          </>
        ),
      act: null,
    },
    {
      words: "Codebase report",
      what:
        sources.codebaseDate === undefined ? (
          <span class="nm">No report</span>
        ) : (
          <>
            sent from the repository, last <Day day={sources.codebaseDate} />
          </>
        ),
      act: null,
    },
    ...sources.providers.map((source) => ({
      words: PROVIDER_WORDS[source.provider],
      what: source.attached === undefined ? <NotAttached source={source} /> : <Attached source={source} />,
      act: actOf(asset, source, sources.hasCredential),
    })),
  ];
  return (
    <Block
      heading="Sources"
      id="sources"
      note="where its figures come from"
      tools={<a href={paths.credentials}>Credentials</a>}
    >
      <DataTable
        fold
        caption="Sources"
        items={rows}
        columns={[
          { words: "Source", names: true, cell: ({ words }) => words },
          { words: "Where from", class: "all", cell: ({ what }) => what },
          { words: "Action", unseen: true, class: "act", cell: ({ act }) => act },
        ]}
      />
    </Block>
  );
}

function NotAttached({ source: { provider, detached } }: { readonly source: ProviderSource }) {
  if (detached !== undefined) {
    return (
      <>
        <StateMark state="disconnected" />
        <small class="block-sm">
          <Told class="wrap">{detached.property}</Told> was taken away <Moment at={detached.detachedAt} /> by{" "}
          <Told class="wrap">{actorWords(detached.detachedBy)}</Told>
        </small>
      </>
    );
  }
  return (
    <>
      <span class="nm">Not attached</span>
      <small class="block-sm">would give {PROVIDER_GIVES[provider]}</small>
    </>
  );
}

function Attached({ source }: { readonly source: ProviderSource }) {
  const { attached, name, label, standing } = source;
  if (attached === undefined) return null;
  return (
    <>
      <Told class="wrap">{name ?? attached.property}</Told>
      {name === undefined || name === attached.property ? null : (
        <>
          {" "}
          <Code>{attached.property}</Code>
        </>
      )}
      <small class="block-sm">
        over{" "}
        <a href={paths.credential(attached.credential)}>
          <Told class="wrap">{label ?? "a credential"}</Told>
        </a>
        {standing?.latest === undefined ? (
          "; not asked for yet"
        ) : standing.reportedAt === undefined ? null : (
          <>
            ; collected <Moment at={standing.reportedAt} />
          </>
        )}
      </small>
      {standing === undefined ? null : <Failing standing={standing} />}
    </>
  );
}

function actOf(
  asset: string,
  { provider, attached, detached }: ProviderSource,
  hasCredential: boolean,
): Child {
  if (attached !== undefined) {
    return <DetachForm provider={provider} asset={asset} back={paths.siteSettings(asset)} />;
  }
  return (
    <>
      {hasCredential ? (
        <a href={attachHref({ provider, q: asset })}>Attach</a>
      ) : (
        <a href={paths.newCredential}>Add a credential</a>
      )}
      {detached === undefined ? null : (
        <ForgetForm provider={provider} asset={asset} back={paths.siteSettings(asset)} />
      )}
    </>
  );
}
