/** What a credential holds, opened: in memory only, and said by no log line, error or answer that it gets into. */
import { inspect } from "node:util";

/** Keeps a secret off whatever prints or writes down the value that holds it. */
abstract class Unprintable {
  toString(): string {
    return "[secret]";
  }

  toJSON(): string {
    return "[secret]";
  }

  [inspect.custom](): string {
    return "[secret]";
  }
}

/** A Google service account as its key file describes it. */
export class GoogleServiceAccount extends Unprintable {
  readonly kind = "google-service-account";
  readonly #account: GoogleAccountParts;

  constructor(parts: GoogleAccountParts) {
    super();
    this.#account = parts;
  }

  /** The account's address: who has to be added to a property. Not shown where it need not be. */
  get clientEmail(): string {
    return this.#account.clientEmail;
  }

  /** The name of the key within the account; undefined where the file does not say. */
  get keyId(): string | undefined {
    return this.#account.keyId;
  }

  /** Where the signed assertion is exchanged for a token. */
  get tokenUri(): string {
    return this.#account.tokenUri;
  }

  /** Signs; cannot be read out again. */
  get signingKey(): CryptoKey {
    return this.#account.signingKey;
  }
}

export interface GoogleAccountParts {
  readonly clientEmail: string;
  readonly keyId: string | undefined;
  readonly tokenUri: string;
  readonly signingKey: CryptoKey;
}

/** The key of a webmaster-tools user, which covers every site of theirs. */
export class WebmasterToolsKey extends Unprintable {
  readonly kind = "webmaster-tools-key";
  readonly #key: string;

  constructor(key: string) {
    super();
    this.#key = key;
  }

  get key(): string {
    return this.#key;
  }
}

export type Secret = GoogleServiceAccount | WebmasterToolsKey;

/** What is wrong with a file that should hold a credential. No message holds anything of the file. */
export interface SecretFault {
  /** The field's name in the file; '' where it is the file as a whole. */
  readonly field: string;
  /** A name of the rule that it breaks. */
  readonly rule: string;
  /** One sentence. */
  readonly message: string;
}

export type SecretRead<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly errors: readonly SecretFault[] };
