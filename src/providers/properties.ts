/** What credentials gave access to when they were last asked: by provider, then by name. Of one credential where it is named. */

import { and, eq } from "drizzle-orm";
import { appendAudit } from "../access/audit.ts";
import { type Db, statement, type Tx } from "../store/store.ts";
import type { Writer } from "../store/writer.ts";
import { type DiscoveredProperty, PROVIDERS, type Provider } from "./adapter.ts";
import {
  deleteAttachment,
  deleteDetachment,
  findDetachment,
  listAttachmentsWith,
  moveDetachments,
  putDetachment,
} from "./attachments.ts";
import {
  type Attachment,
  type Credential,
  type CredentialKind,
  credentialOf,
  type Detachment,
  deleteRow,
  findCredential,
  findOfAccount,
  findRow,
  property,
  type SeenProperty,
  updateRow,
} from "./credentials.ts";
import { noteMended } from "./key_rotation.ts";
import {
  type Asked,
  accountCode,
  accountOf,
  type By,
  readRow,
  type SealDeps,
  type StoreDeps,
  sealed,
  withProvider,
} from "./sealing.ts";

export function listProperties(db: Db, credential?: string): SeenProperty[] {
  return db
    .select()
    .from(property)
    .where(credential === undefined ? undefined : eq(property.credential, credential))
    .orderBy(property.name, property.property, property.credential)
    .all()
    .map(seenOf)
    .sort((a, b) => PROVIDERS.indexOf(a.provider) - PROVIDERS.indexOf(b.provider));
}

/** An address that a credential could be asked about when its list was last read. */
export type UsableProperty = Pick<SeenProperty, "credential" | "property" | "seenAt">;

const usable = statement<UsableProperty, [Provider]>(
  "SELECT credential, property, seen_at AS seenAt FROM property WHERE provider = ? AND usable = 1 ORDER BY credential, property",
);

/** What can be asked about with the credentials of a provider, by credential. */
export function listUsable(db: Db, provider: Provider): UsableProperty[] {
  return usable(db).all(provider);
}

/** Puts what a provider told in the place of what it told before. */
export function replaceProperties(
  tx: Tx,
  of: { readonly credential: string; readonly provider: Provider },
  seen: readonly DiscoveredProperty[],
  seenAt: number,
): void {
  deleteProperties(tx, of);
  for (const { property: id, name, timeZone, usable } of seen) {
    tx.insert(property)
      .values({
        ...of,
        property: id,
        name,
        time_zone: timeZone ?? null,
        usable: usable ? 1 : 0,
        seen_at: seenAt,
      })
      .onConflictDoNothing()
      .run();
  }
}

/** Forgets what a credential gave access to, with one provider or with all. */
function deleteProperties(tx: Tx, of: { readonly credential: string; readonly provider?: Provider }): void {
  const { credential, provider } = of;
  tx.delete(property)
    .where(
      and(
        eq(property.credential, credential),
        provider === undefined ? undefined : eq(property.provider, provider),
      ),
    )
    .run();
}

/** A property as its credential's last discovery saw it; undefined where it was not listed. */
export function findProperty(
  db: Db,
  of: Pick<SeenProperty, "credential" | "provider" | "property">,
): SeenProperty | undefined {
  const row = db
    .select()
    .from(property)
    .where(
      and(
        eq(property.credential, of.credential),
        eq(property.provider, of.provider),
        eq(property.property, of.property),
      ),
    )
    .get();
  return row && seenOf(row);
}

function seenOf({ time_zone, usable, seen_at, ...rest }: typeof property.$inferSelect): SeenProperty {
  return { ...rest, timeZone: time_zone ?? undefined, usable: usable === 1, seenAt: seen_at };
}

/** Which property of which provider an id names, or what is wrong with it. */
type NamedProperty =
  | { readonly ok: true; readonly provider: Provider; readonly property: string }
  | { readonly ok: false; readonly fault: string };

/** Longest id, in characters: as long as an address may be. */
const LONGEST = 2_048;

/** Tells the provider by the form of a property's id: digits are of analytics, an address of search console or webmaster tools. */
export function readPropertyId(kind: CredentialKind, text: string): NamedProperty {
  const no = (fault: string) => ({ ok: false, fault }) as const;
  if (text.length > LONGEST || /[\s\p{Cc}]/u.test(text)) {
    return no(`a property's id has no white space and at most ${LONGEST} characters`);
  }
  const isAddress = /^https?:\/\//i.test(text) && URL.canParse(text);
  if (kind === "webmaster-tools-key") {
    return isAddress
      ? { ok: true, provider: "webmaster-tools", property: text }
      : no("a site of webmaster tools is named by its address, for example https://shop.example/");
  }
  const [, digits] = /^(?:properties\/)?(\d{1,20})$/.exec(text) ?? [];
  if (digits !== undefined) return { ok: true, provider: "analytics", property: digits };
  if (isAddress || /^sc-domain:[^/:]+$/i.test(text)) {
    return { ok: true, provider: "search-console", property: text };
  }
  if (/^(?:G|UA|GT|AW)-/i.test(text)) {
    return no(
      "that is a tag's id: the id of an analytics property is its number, under Admin, Property details",
    );
  }
  return no(
    "analytics properties are named by their number, search-console properties by sc-domain:shop.example or https://shop.example/",
  );
}

/** What was removed: the credential, and what was attached with it. */

export interface Removed {
  readonly credential: Credential;
  readonly detached: readonly Attachment[];
}

/** Sites that have figures over a credential without an attachment, each with the property that they come from. */
type FedWithout = (
  tx: Tx,
  credential: Credential,
) => readonly Pick<Attachment, "asset" | "provider" | "property">[];

/**
 * Removes a credential with its secret and its attachments; undefined where there is none. What was pulled with it stays, and so does
 * that its sites were connected, attached or not.
 */
export function removeCredential(
  { writer }: { readonly writer: Writer },
  id: string,
  { actor, now }: By,
  fedWithout: FedWithout = () => [],
): Promise<Removed | undefined> {
  return writer.write((tx) => {
    const credential = findCredential(tx, id);
    if (credential === undefined) return undefined;
    const detached = listAttachmentsWith(tx, id);
    for (const fed of fedWithout(tx, credential)) {
      putDetachment(tx, { ...fed, connectionRevision: credential.connectionRevision }, { actor, now });
    }
    for (const attached of detached) {
      deleteAttachment(tx, attached.asset, attached.provider);
      putDetachment(tx, attached, { actor, now });
    }
    deleteProperties(tx, { credential: id });
    deleteRow(tx, id);
    noteMended(tx, id, now);
    appendAudit(tx, {
      at: now,
      actor,
      act: "credential.remove",
      target: `credential:${id}`,
      detail: {
        kind: credential.kind,
        label: credential.label,
        detached: detached.map(({ asset, provider, property }) => `${asset} ${provider} ${property}`),
      },
    });
    return { credential, detached };
  });
}

/** Forgets that a site had a connection of a provider; undefined where none was taken away. What was pulled over it stays. */
export function forgetDetachment(
  { writer }: { readonly writer: Writer },
  of: { readonly asset: string; readonly provider: Provider },
  { actor, now }: By,
): Promise<Detachment | undefined> {
  return writer.write((tx) => {
    const known = findDetachment(tx, of);
    if (known === undefined) return undefined;
    deleteDetachment(tx, of.asset, of.provider);
    const { asset: target, provider, property } = known;
    appendAudit(tx, { at: now, actor, act: "property.forget", target, detail: { provider, property } });
    return known;
  });
}

/** What became of a replacement. */

type Replaced =
  | {
      readonly ok: true;
      readonly credential: Credential;
      /** Whether the new secret is of the account it was; undefined where nothing can tell. */
      readonly isSameAccount: boolean | undefined;
    }
  | { readonly ok: false; readonly why: "missing" }
  | { readonly ok: false; readonly why: "other_kind"; readonly kind: CredentialKind }
  /** The account of the new secret is stored as another credential. */
  | { readonly ok: false; readonly why: "taken"; readonly id: string };

/** Puts another secret in a credential's place: a new connection, which nothing that began under the one before speaks for. */
export function replaceCredential(deps: StoreDeps, id: string, asked: Asked, by: By): Promise<Replaced> {
  return deps.writer.write((tx) => replaceNow(tx, deps, id, asked, by));
}

function replaceNow(
  tx: Tx,
  deps: SealDeps,
  id: string,
  { provider, secret, label }: Asked,
  { actor, now }: By,
): Replaced {
  const known = findRow(tx, id);
  if (known === undefined) return { ok: false, why: "missing" };
  if (known.kind !== secret.kind) return { ok: false, why: "other_kind", kind: known.kind };
  const account = accountCode(deps.keys, secret);
  const owner = findOfAccount(tx, secret.kind, account);
  if (owner !== undefined && owner.id !== id) return { ok: false, why: "taken", id: owner.id };
  const before = readRow(deps.keys, known);
  const row = sealed(
    deps,
    {
      ...known,
      providers: withProvider(credentialOf(known).providers, provider),
      label: label ?? known.label,
      account,
      edit_revision: known.edit_revision + 1,
      connection_revision: deps.ids.uuid(),
      connected_at: now,
    },
    secret,
  );
  updateRow(tx, row);
  moveDetachments(tx, known.connection_revision, row.connection_revision);
  noteMended(tx, id, now);
  const isSameAccount = sameAccount(before && accountOf(before), secret);
  // What another account gave access to says nothing of this one.
  if (isSameAccount !== true) deleteProperties(tx, { credential: id });
  const credential = credentialOf(row);
  appendAudit(tx, {
    at: now,
    actor,
    act: "credential.replace",
    target: `credential:${id}`,
    detail: {
      providers: credential.providers,
      label: row.label,
      edit_revision: row.edit_revision,
      connection_revision: row.connection_revision,
      connection_before: known.connection_revision,
      same_account: isSameAccount ?? null,
    },
  });
  return { ok: true, credential, isSameAccount };
}

/** Two keys of webmaster tools may be of one user: nothing in them tells. */
function sameAccount(before: string | undefined, secret: Asked["secret"]): boolean | undefined {
  if (before === undefined) return undefined;
  if (before === accountOf(secret)) return true;
  return secret.kind === "webmaster-tools-key" ? undefined : false;
}
