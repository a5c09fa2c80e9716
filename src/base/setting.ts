/** The kinds of settings: what each may be, and the one line that says what is wrong with it. `config.ts` has the table of them. */

import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";

/** A bad setting; `message` is the one line to print. */
export class ConfigError extends Error {
  override readonly name = "ConfigError";
}

export type Environment = Readonly<Record<string, string | undefined>>;

/** A setting without the white space around it; an empty one is none. */
export function setting(env: Environment, name: string): string | undefined {
  const value = env[name]?.trim();
  return value === undefined || value === "" ? undefined : value;
}

/** The line that ends the start: the variable, what was wrong, an example. */
function bad(name: string, value: string, must: string, example: string): ConfigError {
  return new ConfigError(
    `${name} is ${JSON.stringify(value.slice(0, 200))}: it must be ${must}, for example ${name}=${example}`,
  );
}

/** A setting as the table of `config.ts` describes it. */
export interface Kind<T> {
  /** Reads it; throws `ConfigError`. */
  readonly read: (env: Environment, name: string) => T;
  /** Its value where it is not set, as the manual writes it. */
  readonly otherwise?: string;
  /** Whether it may be given in a file, under its name with `_FILE`. */
  readonly inFile?: true;
}

/** Any text. */
export const text: Kind<string | undefined> = { read: setting };

/** Text that has to fit, which `otherwise` does. */
export function fitting(fits: (value: string) => boolean, must: string, otherwise: string): Kind<string> {
  return {
    otherwise,
    read: (env, name) => {
      const value = setting(env, name) ?? otherwise;
      if (!fits(value)) throw bad(name, value, must, otherwise);
      return value;
    },
  };
}

/** Text that has to fit where it is set. */
export function fittingIfSet(pattern: RegExp, must: string, example: string): Kind<string | undefined> {
  return {
    read: (env, name) => {
      const value = setting(env, name);
      if (value !== undefined && !pattern.test(value)) throw bad(name, value, must, example);
      return value;
    },
  };
}

/** A whole number, of requests where it is not said how many there may be. */
export function wholeNumber(otherwise: number, { least = 1, most = 1_000_000 } = {}): Kind<number> {
  const must = `a whole number from ${least} to ${most}`;
  const fits = (value: string) => /^\d{1,13}$/.test(value) && Number(value) >= least && Number(value) <= most;
  const { read } = fitting(fits, must, String(otherwise));
  return { otherwise: String(otherwise), read: (env, name) => Number(read(env, name)) };
}

/** An address on the web, without the slashes at its end. */
function addressLike(example: string): Kind<string | undefined> {
  return {
    read: (env, name) => {
      const value = setting(env, name);
      if (value === undefined) return undefined;
      const url = webAddress(value);
      if (url === undefined) {
        // A mistyped address may hold a password.
        const shown = value.replace(/\/\/.*@/, "//…@");
        const must = "an http or https address without a user, a query or a fragment";
        throw bad(name, shown, must, example);
      }
      return url.href.replace(/\/+$/, "");
    },
  };
}

export const address = addressLike("https://tower.example");

/** Where a service is asked, which is written without the path that all of its methods have in common, or with it. */
export function baseAddress(otherwise: string, path = "/"): Kind<string> {
  return {
    read: (env, name) => {
      const value = addressLike(otherwise).read(env, name) ?? otherwise;
      return value.endsWith(path) ? value.slice(0, -path.length) : value;
    },
  };
}

/** An address on the web whose paths are our own: nothing may stand behind its host. */
export const rootAddress: Kind<string | undefined> = {
  read: (env, name) => {
    const value = address.read(env, name);
    if (value === undefined) return undefined;
    const { origin, pathname } = new URL(value);
    if (pathname === "/") return origin;
    throw bad(
      name,
      value,
      "an address without a path, since the pages stand at the root of their host",
      origin,
    );
  },
};

function webAddress(text: string): URL | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const fits =
    url !== undefined &&
    /^https?:$/.test(url.protocol) &&
    url.username + url.password + url.search + url.hash === "";
  return fits ? url : undefined;
}

/** The name of a header, in lower case. */
export const headerName: Kind<string | undefined> = {
  read: (env, name) => {
    const value = setting(env, name);
    if (value !== undefined && !/^[A-Za-z0-9-]+$/.test(value))
      throw bad(name, value, "a header name", "X-Remote-User");
    if (value !== undefined && OF_CALLERS.test(value))
      throw bad(name, value, "a header that the proxy alone writes and no caller sends", "X-Remote-User");
    return value?.toLowerCase();
  },
};

/** What stands in requests anyhow: a password or a token in it would become a name, and let in whoever sends it. */
const OF_CALLERS =
  /^(?:authorization|proxy-authorization|cookie|host|origin|referer|user-agent|connection|upgrade|date|via|te|dnt|from|range|expect|forwarded|x-forwarded-(?:for|proto|host|port)|x-real-ip|(?:accept|content|sec|if|hx|cache|transfer)(?:-.*)?)$/i;

/** On or off. */
export const flag: Kind<boolean> = {
  read: (env, name) => {
    const value = setting(env, name)?.toLowerCase();
    if (value === undefined || ["0", "off", "false", "no"].includes(value)) return false;
    if (["1", "on", "true", "yes"].includes(value)) return true;
    throw bad(name, value, "1 or 0", "1");
  },
};

/** What a list's items must be; `example` may be made from the item that is none. */
interface Items {
  readonly fits: (item: string) => boolean;
  readonly must: string;
  readonly example: (item: string) => string;
}

/** Several of a kind, split by commas or white space. */
export function list({ fits, must, example }: Items): Kind<string[]> {
  return {
    read: (env, name) => {
      const items = (setting(env, name) ?? "").split(/[\s,]+/).filter((item) => item !== "");
      for (const item of items)
        if (!fits(item)) throw bad(name, item, `${must}, split by commas`, example(item));
      return items;
    },
  };
}

/** One of some words. */
export function oneOf<const T extends string>(values: readonly T[], otherwise: T): Kind<T> {
  const isOne = (value: string): value is T => values.some((known) => known === value);
  const { read } = fitting(isOne, `one of ${values.join(", ")}`, otherwise);
  return { otherwise, read: (env, name) => read(env, name) as T };
}

/** A secret with the name it came under. */
interface Secret {
  readonly name: string;
  readonly value: string | undefined;
}

/** A secret, given by itself or, under the name with `_FILE`, in a file. A bad one is not shown. */
const secret: Kind<Secret> = {
  inFile: true,
  read: (env, name) => {
    const inFile = `${name}_FILE`;
    const file = setting(env, inFile);
    return file === undefined
      ? { name, value: setting(env, name) }
      : { name: inFile, value: readSecretFile(inFile, file).trim() };
  },
};

/** A secret that has to fit where it is set; `fault` follows the name in the line that says it does not. */
export function fittingSecret(fits: (value: string) => boolean, fault: string): Kind<Secret> {
  return {
    inFile: true,
    read: (env, name) => {
      const found = secret.read(env, name);
      if (found.value !== undefined && !fits(found.value)) throw new ConfigError(`${found.name} ${fault}`);
      return found;
    },
  };
}

/** What stands in a file that a setting names. */
export function readSecretFile(variable: string, path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    throw new ConfigError(
      `${variable} is ${path}, which cannot be read, for example ${variable}=/run/secrets/tower`,
    );
  }
}

// Where the archive lies: a directory, or a bucket with what it takes to be let in.

/** What it takes to ask an S3-compatible store. */
export type S3Settings = NonNullable<ReturnType<typeof s3Settings>>;

/** Neither half of a key is shown: whoever mistakes one for the other would find the secret in a log. */
const visible = fittingSecret(
  (value) => /^[\x21-\x7e]{1,1024}$/.test(value),
  "must be of visible ASCII characters, at most 1024, without white space, for example AKIAIOSFODNN7EXAMPLE",
);

/** The settings of a bucket, each of which may stand in a file. */
export const S3_KINDS = {
  S3_ACCESS_KEY_ID: visible,
  S3_ENDPOINT: secret,
  S3_REGION: secret,
  S3_SECRET_ACCESS_KEY: visible,
} as const;

const S3_ADDRESS = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])((?:\/[A-Za-z0-9!_.*'()-]+)*)\/?$/;

/** A bucket and what stands before every name in it, without slashes at its ends; undefined where it is no such address. */
export function bucketOf(
  rawSignals: string,
): { readonly bucket: string; readonly prefix: string } | undefined {
  const [, bucket, path = ""] = S3_ADDRESS.exec(rawSignals) ?? [];
  if (bucket === undefined || /\/\.{1,2}(?:\/|$)/.test(path)) return undefined;
  return { bucket, prefix: path.slice(1) };
}

/** `RAW_SIGNALS`: the path of a directory, or an `s3://` address without a slash at its end. Throws `ConfigError`. */
export function rawSignals(value: string | undefined, dataDir: string): string {
  if (value === undefined) return join(dataDir, "raw-signals");
  if (!value.includes("://")) return resolve(value);
  if (bucketOf(value) !== undefined) return value.replace(/\/$/, "");
  throw bad(
    "RAW_SIGNALS",
    value,
    "a directory or an s3 address, its bucket of 3 to 63 letters in lower case, digits, dots and hyphens",
    "s3://bucket/prefix",
  );
}

/**
 * What it takes to ask the store that `RAW_SIGNALS` names; undefined where that is a directory. A bad value is refused there, too.
 * Throws `ConfigError`.
 */
export function s3Settings(env: Environment, where: string) {
  const given = new Map(Object.keys(S3_KINDS).map((name) => [name, secret.read(env, name)]));
  const isBucket = bucketOf(where) !== undefined;
  const needed = (
    variable: keyof typeof S3_KINDS,
    example: string,
    read: (env: Environment, name: string) => string | undefined,
  ) => {
    const { name = variable, value } = given.get(variable) ?? {};
    if (value !== undefined && value !== "") return read({ [name]: value }, name) ?? value;
    if (!isBucket) return "";
    throw new ConfigError(
      `${name} ${value === undefined ? "is not set" : "names an empty file"}, and RAW_SIGNALS names a bucket, which needs it, for example ${variable}=${example}`,
    );
  };
  const half = (variable: keyof typeof S3_KINDS, example: string) =>
    needed(variable, example, (of, name) => visible.read(of, name).value);
  const example = "https://s3.eu-central-1.amazonaws.com";
  const endpoint = needed("S3_ENDPOINT", example, addressLike(example).read);
  const settings = {
    /** Without the slash at its end. */
    endpoint,
    region: region(given.get("S3_REGION") ?? { name: "S3_REGION", value: undefined }, endpoint),
    accessKeyId: half("S3_ACCESS_KEY_ID", "AKIAIOSFODNN7EXAMPLE"),
    secretAccessKey: half("S3_SECRET_ACCESS_KEY", "a-secret-of-40-characters"),
  };
  return isBucket ? settings : undefined;
}

/** Amazon's own addresses name it; elsewhere it is a word that both sides have to use, and this one is understood where none is set. */
function region({ name, value }: Secret, endpoint: string): string {
  if (value === undefined || value === "") {
    return /\bs3[.-]([a-z]{2}(?:-[a-z]+)+-\d)\.amazonaws\.com/.exec(endpoint)?.[1] ?? "us-east-1";
  }
  if (/^[A-Za-z0-9-]{1,64}$/.test(value)) return value;
  throw bad(name, value, "at most 64 letters, digits and hyphens", "eu-central-1");
}

/** Bytes of an installation's key. */
export const KEY_BYTES = 32;

/** The key that a text holds, 32 bytes in base64; undefined for any other text. */
export function keyOfText(text: string): Uint8Array | undefined {
  const trimmed = text.trim();
  const key = /^[A-Za-z0-9+/]+={0,2}$/.test(trimmed) ? Buffer.from(trimmed, "base64") : undefined;
  return key?.byteLength === KEY_BYTES ? key : undefined;
}

/** The text that holds a key. */
export function textOfKey(key: Uint8Array): string {
  return Buffer.from(key).toString("base64");
}
