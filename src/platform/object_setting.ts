/** Where the archive lies, as the settings say it: a directory, or a bucket with what it takes to be let in. */
import { join, resolve } from "node:path";
import { address, bad, ConfigError, type Environment, type Secret, secret, setting } from "./setting.ts";

/** What it takes to ask an S3-compatible store. */
export interface S3Settings {
  /** Without the slash at its end. */
  readonly endpoint: string;
  readonly region: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

/** The settings of a bucket, each of which may stand in a file. */
export const S3_KINDS = {
  S3_ACCESS_KEY_ID: secret,
  S3_ENDPOINT: secret,
  S3_REGION: secret,
  S3_SECRET_ACCESS_KEY: secret,
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
  throw bad("RAW_SIGNALS", value, "a directory or an s3 address", "s3://bucket/prefix");
}

/** What it takes to ask the store that `RAW_SIGNALS` names; undefined where that is a directory. Throws `ConfigError`. */
export function s3Settings(env: Environment, where: string): S3Settings | undefined {
  const given = {
    endpoint: secret.read(env, "S3_ENDPOINT"),
    region: secret.read(env, "S3_REGION"),
    accessKeyId: secret.read(env, "S3_ACCESS_KEY_ID"),
    secretAccessKey: secret.read(env, "S3_SECRET_ACCESS_KEY"),
  };
  if (bucketOf(where) === undefined) return undefined;
  const { name, value } = needed(given.endpoint, "https://s3.eu-central-1.amazonaws.com");
  const endpoint = address.read({ [name]: value }, name) ?? value;
  return {
    endpoint,
    region: region(given.region, endpoint),
    accessKeyId: key(needed(given.accessKeyId, "AKIAIOSFODNN7EXAMPLE")),
    secretAccessKey: key(needed(given.secretAccessKey, "a-secret-of-40-characters")),
  };
}

/** The settings of a bucket that are set while the archive lies in a directory: whoever set them means another place. */
export function idleS3Settings(env: Environment, { s3 }: { readonly s3: S3Settings | undefined }): string[] {
  if (s3 !== undefined) return [];
  const names = Object.keys(S3_KINDS).flatMap((name) => [name, `${name}_FILE`]);
  return names.filter((name) => setting(env, name) !== undefined);
}

function needed({ name, value }: Secret, example: string): { readonly name: string; readonly value: string } {
  if (value !== undefined && value !== "") return { name, value };
  const what = value === undefined ? "is not set" : "names an empty file";
  throw new ConfigError(
    `${name} ${what}, and RAW_SIGNALS names a bucket, which needs it, for example ${name.replace(/_FILE$/, "")}=${example}`,
  );
}

/** Neither half is shown: whoever mistakes one for the other would find the secret in a log. */
function key({ name, value }: { readonly name: string; readonly value: string }): string {
  if (/^[\x21-\x7e]{1,1024}$/.test(value)) return value;
  throw new ConfigError(
    `${name} must be of visible ASCII characters, at most 1024, without white space, for example ${name.replace(/_FILE$/, "")}=AKIAIOSFODNN7EXAMPLE`,
  );
}

/** Amazon's own addresses name it; elsewhere it is a word that both sides have to use, and this one is understood where none is set. */
function region({ name, value }: Secret, endpoint: string): string {
  if (value === undefined || value === "") {
    return /\bs3[.-]([a-z]{2}(?:-[a-z]+)+-\d)\.amazonaws\.com/.exec(endpoint)?.[1] ?? "us-east-1";
  }
  if (/^[A-Za-z0-9-]{1,64}$/.test(value)) return value;
  throw bad(name, value, "at most 64 letters, digits and hyphens", "eu-central-1");
}
