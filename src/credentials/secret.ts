/** The secret part of a credential, as the adapters are given it: in memory, just before it is used. */
import { Hidden } from "../platform/hidden.ts";

/** What a service account's file says of it. */
export interface ServiceAccountFacts {
  readonly clientEmail: string;
  /** PKCS#8 in PEM. */
  readonly privateKey: string;
  readonly privateKeyId: string;
  readonly tokenUri: string;
}

/** A Google service account. */
export class ServiceAccount extends Hidden {
  readonly kind = "google-service-account";
  readonly #facts: ServiceAccountFacts;

  constructor({ clientEmail, privateKey, privateKeyId, tokenUri }: ServiceAccountFacts) {
    super();
    this.#facts = { clientEmail, privateKey, privateKeyId, tokenUri };
  }

  get clientEmail(): string {
    return this.#facts.clientEmail;
  }

  get privateKey(): string {
    return this.#facts.privateKey;
  }

  get privateKeyId(): string {
    return this.#facts.privateKeyId;
  }

  get tokenUri(): string {
    return this.#facts.tokenUri;
  }

  /** What it is known again by: the account, whichever of its keys this is. */
  get account(): string {
    return this.#facts.clientEmail.toLowerCase();
  }

  /** What is sealed. */
  get text(): string {
    return JSON.stringify({ kind: this.kind, ...this.#facts });
  }
}

/** The key of a user of webmaster tools. */
export class WebmasterToolsKey extends Hidden {
  readonly kind = "webmaster-tools-key";
  readonly #key: string;

  constructor(key: string) {
    super();
    this.#key = key;
  }

  get key(): string {
    return this.#key;
  }

  /** Nothing in it names its user: a key is known again by itself alone. */
  get account(): string {
    return this.#key.toLowerCase();
  }

  /** What is sealed. */
  get text(): string {
    return JSON.stringify({ kind: this.kind, key: this.#key });
  }
}

export type Secret = ServiceAccount | WebmasterToolsKey;

/** The secret of a text that was sealed. It was checked before it was sealed, and the seal lets nothing of it change. */
export function secretOf(text: string): Secret {
  const facts = JSON.parse(text) as
    | ({ readonly kind: "google-service-account" } & ServiceAccountFacts)
    | { readonly kind: "webmaster-tools-key"; readonly key: string };
  return facts.kind === "webmaster-tools-key" ? new WebmasterToolsKey(facts.key) : new ServiceAccount(facts);
}
