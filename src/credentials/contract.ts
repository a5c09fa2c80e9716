/** What is stored of the accounts that an operator gives Tower, without their secrets. */
import type { AccountProvider, Provider } from "../provider/contract.ts";

/** Kinds of credentials; the first serves two providers. */
export const CREDENTIAL_KINDS = ["google-service-account", "webmaster-tools-key", "serp-login"] as const;
export type CredentialKind = (typeof CREDENTIAL_KINDS)[number];

/** The kind of credential that a provider is asked with. */
export const KIND_OF = {
  analytics: "google-service-account",
  "search-console": "google-service-account",
  "webmaster-tools": "webmaster-tools-key",
  serp: "serp-login",
} as const satisfies Readonly<Record<AccountProvider, CredentialKind>>;

/** A stored credential. Times are milliseconds since the epoch. */
export interface Credential {
  readonly id: string;
  readonly kind: CredentialKind;
  /** Providers it is used for, in the order of `ACCOUNT_PROVIDERS`. */
  readonly providers: readonly AccountProvider[];
  readonly label: string;
  /** Rises with each edit. */
  readonly editRevision: number;
  /** Another one with each other secret: what began under one never speaks for the next. */
  readonly connectionRevision: string;
  readonly addedAt: number;
  /** When its secret was last put in. */
  readonly connectedAt: number;
}

/** Which property a site's figures of a provider come from. */
export interface Attachment {
  readonly asset: string;
  readonly provider: Provider;
  /** The credential's id. */
  readonly credential: string;
  /** The credential's, as it stands now. */
  readonly connectionRevision: string;
  /** The provider's own id of it. */
  readonly property: string;
}

/** A connection that was taken away from a site, until another one is made or an operator has it forgotten. */
export interface Detachment {
  readonly asset: string;
  readonly provider: Provider;
  /** The credential's, as it stood then. */
  readonly connectionRevision: string;
  readonly property: string;
  /** Milliseconds since the epoch. */
  readonly detachedAt: number;
  /** Who took it away, as the audit names them. */
  readonly detachedBy: string;
}

/** A property as its credential's last discovery saw it. */
export interface SeenProperty {
  readonly credential: string;
  readonly provider: Provider;
  readonly property: string;
  readonly name: string;
  readonly timeZone: string | undefined;
  readonly usable: boolean;
  /** Milliseconds since the epoch. */
  readonly seenAt: number;
}
