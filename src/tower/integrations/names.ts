/** Names that the payload leaves out, as an operator may see them: accounts and properties. Read once for a page. */

import { listCalendars } from "../../calendars/store.ts";
import type { Attachment, Credential } from "../../credentials/contract.ts";
import { findProperty, listAttachmentsOf, listCredentials } from "../../credentials/mod.ts";
import type { Db } from "../../db/mod.ts";
import { senderScope } from "../../health/mod.ts";
import type { HealthView, TargetView } from "../../integrations/mod.ts";
import { listApiTokens } from "../../operators/mod.ts";
import { paths } from "../paths.ts";

/** What a target is asked over: an account, or a calendar. */
export interface NamedConnection extends Pick<Credential, "label"> {
  /** Where it is set up, and what that page is called. */
  readonly href: string;
  readonly words: string;
}

/** The account or calendar that a target is asked over; undefined where it has none, or another by now. */
export type AccountOf = (target: Pick<TargetView, "connectionRevision">) => NamedConnection | undefined;

/** Every account by its connection revision; read when the first is asked for. */
export function accountsOf(db: Db): AccountOf {
  let known: ReadonlyMap<string, NamedConnection> | undefined;
  return ({ connectionRevision }) => {
    known ??= new Map<string, NamedConnection>([
      ...listCredentials(db).map(
        ({ id, label, connectionRevision: revision }) =>
          [revision, { label, href: paths.credential(id), words: "Account" }] as const,
      ),
      ...listCalendars(db).map(
        ({ name, connection_revision }) =>
          [connection_revision, { label: name, href: paths.calendars, words: "Calendars" }] as const,
      ),
    ]);
    return known.get(connectionRevision);
  };
}

/** A property of a site: the provider's own id of it, and what its account calls it where that is known. */
export interface NamedProperty extends Attachment {
  readonly name: string | undefined;
}

/** The properties that are attached to a site, by provider; undefined where they cannot be read, which the coverage of the view says. */
export function propertiesOf(db: Db, asset: string): ReadonlyMap<string, NamedProperty> | undefined {
  try {
    const named = listAttachmentsOf(db, asset).map((one) => ({ ...one, name: findProperty(db, one)?.name }));
    return new Map(named.map((one) => [one.provider, one]));
  } catch {
    return undefined;
  }
}

/** A token that annotations are posted with: whose it is, and since when (milliseconds since the epoch). */
export interface Sender {
  readonly operator: string;
  readonly createdAt: number;
}

export type SenderOf = (target: Pick<TargetView, "target">) => Sender | undefined;

/** Every sender by what its health is told of. */
export function sendersOf(db: Db, { workspace, capabilities }: HealthView): SenderOf {
  if (capabilities.every(({ provider }) => provider !== "annotations")) return () => undefined;
  const known = new Map(
    listApiTokens(db).map(({ id, operatorName, createdAt }) => [
      senderScope(workspace, id).target,
      { operator: operatorName, createdAt },
    ]),
  );
  return ({ target }) => known.get(target);
}
