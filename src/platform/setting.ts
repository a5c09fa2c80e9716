/** Reading one setting of the environment: what it may be, and the one line that says what is wrong with it. */
import { readFileSync } from "node:fs";

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
export function bad(name: string, value: string, must: string, example: string): ConfigError {
  return new ConfigError(
    `${name} is ${JSON.stringify(value.slice(0, 200))}: it must be ${must}, for example ${name}=${example}`,
  );
}

const MOST_REQUESTS = 1_000_000;

/** Bytes a day: from one report without a length, which is taken as the longest until it is read, to more than a machine takes in. */
export const DAY_BYTES = { least: 256 * 1024, most: 1e12 };

/** A count, of requests where it is not said how many there may be. */
export function wholeNumber(
  env: Environment,
  name: string,
  otherwise: number,
  { least, most } = { least: 1, most: MOST_REQUESTS },
): number {
  const text = setting(env, name) ?? String(otherwise);
  const value = Number(text);
  if (/^\d{1,13}$/.test(text) && value >= least && value <= most) return value;
  throw bad(name, text, `a whole number from ${least} to ${most}`, String(otherwise));
}

/** An address on the web, without the slashes at its end. */
export function address(env: Environment, name: string): string | undefined {
  const value = setting(env, name);
  if (value === undefined) return undefined;
  const url = webAddress(value);
  if (url === undefined) {
    // A mistyped address may hold a password.
    const shown = value.replace(/\/\/.*@/, "//…@");
    const must = "an http or https address without a user, a query or a fragment";
    throw bad(name, shown, must, "https://tower.example");
  }
  return url.href.replace(/\/+$/, "");
}

/** Where a service is asked, which is written without the path that all of its methods have in common, or with it. */
export function baseAddress(env: Environment, name: string, path: string): string | undefined {
  const value = address(env, name);
  return value?.endsWith(path) === true ? value.slice(0, -path.length) : value;
}

/** An address on the web whose paths are our own: nothing may stand behind its host. */
export function rootAddress(env: Environment, name: string): string | undefined {
  const value = address(env, name);
  if (value === undefined) return undefined;
  const { origin, pathname } = new URL(value);
  if (pathname === "/") return origin;
  const must = "an address without a path, since the pages stand at the root of their host";
  throw bad(name, value, must, origin);
}

function webAddress(text: string): URL | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const fits =
    url !== undefined &&
    /^https?:$/.test(url.protocol) &&
    url.username + url.password + url.search + url.hash === "";
  return fits ? url : undefined;
}

/** The name of a header, in lower case. */
export function headerName(env: Environment, name: string): string | undefined {
  const value = setting(env, name);
  if (value !== undefined && !/^[A-Za-z0-9-]+$/.test(value))
    throw bad(name, value, "a header name", "X-Remote-User");
  if (value !== undefined && OF_CALLERS.test(value))
    throw bad(name, value, "a header that the proxy alone writes and no caller sends", "X-Remote-User");
  return value?.toLowerCase();
}

/** What stands in requests anyhow: a password or a token in it would become a name, and let in whoever sends it. */
const OF_CALLERS =
  /^(?:authorization|proxy-authorization|cookie|host|origin|referer|user-agent|connection|upgrade|date|via|te|dnt|from|range|expect|forwarded|x-forwarded-(?:for|proto|host|port)|x-real-ip|(?:accept|content|sec|if|hx|cache|transfer)(?:-.*)?)$/i;

/** On or off. */
export function flag(env: Environment, name: string): boolean {
  const value = setting(env, name)?.toLowerCase();
  if (value === undefined || ["0", "off", "false", "no"].includes(value)) return false;
  if (["1", "on", "true", "yes"].includes(value)) return true;
  throw bad(name, value, "1 or 0", "1");
}

/** What a list's items must be; `example` may be made from the item that is none. */
interface Items {
  readonly fits: (item: string) => boolean;
  readonly must: string;
  readonly example: (item: string) => string;
}

/** Several of a kind, split by commas or white space. */
export function list(env: Environment, name: string, { fits, must, example }: Items): string[] {
  const items = (setting(env, name) ?? "").split(/[\s,]+/).filter((item) => item !== "");
  for (const item of items) if (!fits(item)) throw bad(name, item, `${must}, split by commas`, example(item));
  return items;
}

/** One of some words. */
export function oneOf<T extends string>(
  env: Environment,
  name: string,
  values: readonly T[],
  otherwise: T,
): T {
  const value = setting(env, name) ?? otherwise;
  const known = values.find((item) => item === value);
  if (known === undefined) throw bad(name, value, `one of ${values.join(", ")}`, otherwise);
  return known;
}

/** A secret, given by itself or, under the name with `_FILE`, in a file; with the name it came under. */
export function secret(
  env: Environment,
  name: string,
): { readonly name: string; readonly value: string | undefined } {
  const inFile = `${name}_FILE`;
  const file = setting(env, inFile);
  return file === undefined
    ? { name, value: setting(env, name) }
    : { name: inFile, value: readSecretFile(inFile, file).trim() };
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
