/** What credentials gave access to when they were last asked, and which provider the id of a property is of. */

import { and, eq } from "drizzle-orm";
import { type Db, statement, type Tx } from "../store/store.ts";
import { type DiscoveredProperty, PROVIDERS, type Provider } from "./adapter.ts";
import { type CredentialKind, property, type SeenProperty } from "./credentials.ts";

/** By provider, then by name. Of one credential where it is named. */
export function listProperties(db: Db, credential?: string): SeenProperty[] {
  return db
    .select()
    .from(property)
    .where(credential === undefined ? undefined : eq(property.credential, credential))
    .orderBy(property.name, property.property, property.credential)
    .all()
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
      .values({ ...of, property: id, name, timeZone: timeZone ?? null, usable, seenAt })
      .onConflictDoNothing()
      .run();
  }
}

/** Forgets what a credential gave access to, with one provider or with all. */
export function deleteProperties(
  tx: Tx,
  of: { readonly credential: string; readonly provider?: Provider },
): void {
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
  return db
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
