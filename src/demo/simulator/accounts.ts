/** Who may ask: service accounts with keys that are really theirs, access tokens while they last, and keys of webmaster tools. */

import { createPublicKey, generateKeyPairSync, type KeyObject } from "node:crypto";
import { seedOf, uniform } from "./figures.ts";
import type { SimulatedAccount, World } from "./world.ts";

export const PROJECT = "tower-simulated";
/** How long an access token holds, in seconds. */
export const TOKEN_SECONDS = 3_599;

interface KeyPair {
  readonly id: string;
  readonly privatePem: string;
  readonly publicKey: KeyObject;
}

interface Token {
  readonly account: string;
  readonly scopes: readonly string[];
  readonly until: number;
}

/** How a key file is made, where not as the one that works. */
export interface KeyFileOptions {
  /** An account of the world; its first where none is named. */
  readonly account?: string;
  /** With a private key that is not the account's: every signature is wrong. */
  readonly wrongKey?: boolean;
}

/** What every provider tells of, and whom it lets ask. */
export interface Ground {
  readonly seed: number;
  readonly world: World;
  readonly accounts: Accounts;
}

/** Pairs of keys, slow to make: the first, the second of every simulator of this process are the same. */
const pairs: { readonly privateKey: string; readonly publicKey: KeyObject }[] = [];

function pairNumbered(number: number) {
  while (pairs.length <= number) {
    const { privateKey, publicKey } = generateKeyPairSync("rsa", {
      modulusLength: 2048,
      publicKeyEncoding: { type: "spki", format: "pem" },
      privateKeyEncoding: { type: "pkcs8", format: "pem" },
    });
    pairs.push({ privateKey, publicKey: createPublicKey(publicKey) });
  }
  return pairs[number] as (typeof pairs)[number];
}

export class Accounts {
  readonly #seed: number;
  readonly #world: World;
  readonly #tokenUrl: () => string;
  readonly #keys = new Map<string, KeyPair>();
  readonly #tokens = new Map<string, Token>();
  readonly #deleted = new Set<string>();
  #issued = 0;
  #keysMade = 0;

  constructor(seed: number, world: World, tokenUrl: () => string) {
    this.#seed = seed;
    this.#world = world;
    this.#tokenUrl = tokenUrl;
  }

  get all(): readonly SimulatedAccount[] {
    return this.#world.accounts ?? [{ name: "tower" }];
  }

  /** Whether an account was added to the properties of a site. */
  sees(account: string, site: string): boolean {
    const sites = this.all.find(({ name }) => name === account)?.sites;
    return sites?.includes(site) ?? true;
  }

  emailOf(account: string): string {
    return `${account}@${PROJECT}.iam.gserviceaccount.com`;
  }

  accountOf(email: string): string | undefined {
    return this.all.find(({ name }) => this.emailOf(name) === email && !this.#deleted.has(name))?.name;
  }

  publicKeyOf(account: string): KeyObject {
    return this.#keyOf(account).publicKey;
  }

  /** Gives the account that a key file names the key in it: that of an earlier run, say. */
  takeKeyFile(text: string): void {
    const file = JSON.parse(text) as { client_email: string; private_key: string; private_key_id: string };
    const account = this.accountOf(file.client_email);
    if (account === undefined) throw new RangeError("the key file names no account of the world");
    this.#keys.set(account, {
      id: file.private_key_id,
      privatePem: file.private_key,
      publicKey: createPublicKey(file.private_key),
    });
  }

  /** A service-account key file, as Google's console gives it out. */
  keyFile({ account = this.#first(), wrongKey = false }: KeyFileOptions): string {
    const key = wrongKey ? this.#makeKey() : this.#keyOf(account);
    const file = {
      type: "service_account",
      project_id: PROJECT,
      private_key_id: key.id,
      private_key: key.privatePem,
      client_email: this.emailOf(account),
      client_id: String(100_000_000_000 + (seedOf(this.#seed, "client", account) % 899_999_999)),
      auth_uri: "https://accounts.google.com/o/oauth2/auth",
      token_uri: this.#tokenUrl(),
      universe_domain: "googleapis.com",
    };
    return `${JSON.stringify(file, null, 2)}\n`;
  }

  /** Gives an account another key: what is signed with the one before is refused from now on. */
  rotateKey(account: string = this.#first()): void {
    this.#keys.set(account, this.#makeKey());
  }

  deleteAccount(account: string = this.#first()): void {
    this.#deleted.add(account);
    this.revokeTokens();
  }

  /** Ends every access token, long before its time. */
  revokeTokens(): void {
    this.#tokens.clear();
  }

  /** A new access token. */
  issue(account: string, scopes: readonly string[], now: number): string {
    const token = `ya29.c.${this.#word(`token ${this.#issued++}`, 96)}`;
    this.#tokens.set(token, { account, scopes, until: now + TOKEN_SECONDS * 1_000 });
    return token;
  }

  /** Who asks with an access token; undefined for one that holds no more, or never did. */
  tokenOf(text: string, now: number): Token | undefined {
    const token = this.#tokens.get(text);
    return token !== undefined && token.until > now ? token : undefined;
  }

  /** The key of a user of webmaster tools: 32 hexadecimal characters. */
  webmasterKey(account: string = this.#first()): string {
    return [0, 1, 2, 3]
      .map((place) => seedOf(this.#seed, "webmaster", account, place).toString(16).padStart(8, "0"))
      .join("");
  }

  webmasterOf(key: string): string | undefined {
    return this.all.find(({ name }) => this.webmasterKey(name) === key)?.name;
  }

  #first(): string {
    return this.all[0]?.name ?? "tower";
  }

  #keyOf(account: string): KeyPair {
    return this.#keys.getOrInsertComputed(account, () => this.#makeKey());
  }

  #makeKey(): KeyPair {
    const number = this.#keysMade++;
    const { privateKey, publicKey } = pairNumbered(number);
    return { id: this.#word(`key ${number}`, 40), privatePem: privateKey, publicKey };
  }

  #word(of: string, length: number): string {
    const seed = seedOf(this.#seed, of);
    return Array.from({ length }, (_, place) => Math.floor(uniform(seed, place) * 16).toString(16)).join("");
  }
}
