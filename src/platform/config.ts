/**
 * Settings: environment variables, read and validated in one place at start. A bad value ends the start with one line that
 * names the variable, what was wrong and an example. No setting at all works.
 */
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { isAssetId } from "../lib/asset_id.ts";
import { keyOfText } from "../lib/key_text.ts";
import { addressRange } from "./addresses.ts";

/** A bad setting; `message` is the one line to print. */
export class ConfigError extends Error {
  override readonly name = "ConfigError";
}

/** One site token named in `ASSET_TOKENS`. */
export interface AssetTokenPair {
  readonly asset: string;
  readonly token: string;
}

export interface ListenerConfig {
  readonly host: string;
  readonly port: number;
  readonly publicUrl: string | undefined;
}

export interface Config {
  readonly dataDir: string;
  readonly rawSignals: string;
  /** Pairs of `ASSET_TOKENS`. */
  readonly assetTokens: readonly AssetTokenPair[];
  readonly assetTokensFile: string | undefined;
  /** Pairs of `ASSET_TOKENS_FILE` as read at start; it is read again on SIGHUP. */
  readonly assetTokensOfFile: readonly AssetTokenPair[];
  readonly credentialsKey: string | undefined;
  readonly serviceAsset: string;
  readonly workspace: string;
  readonly allowedHosts: readonly string[];
  readonly ingest: ListenerConfig;
  readonly tower: ListenerConfig;
  /** The name of the container that this process runs in; set by the image. */
  readonly container: string | undefined;
  /** How much a site's token may send: requests at once, and a second after that. */
  readonly sendRate: { readonly burst: number; readonly perSecond: number };
  readonly trustedAuthHeader: string | undefined;
  readonly trustedProxies: readonly string[];
  readonly providers: {
    readonly analyticsData: string;
    readonly analyticsAdmin: string;
    readonly searchConsole: string;
    readonly webmasterTools: string;
    readonly serp: string;
  };
  readonly logLevel: "debug" | "info" | "warning" | "error";
}

export type Environment = Readonly<Record<string, string | undefined>>;

/** The process's environment: the one place that reads it. */
export function processEnvironment(): Environment {
  return process.env;
}

/** Reads the settings. Throws `ConfigError`. */
export function readConfig(env: Environment): Config {
  const dataDir = resolve(setting(env, "DATA_DIR") ?? "./data");
  const assetTokensFile = setting(env, "ASSET_TOKENS_FILE");
  const { ingest, tower } = listeners(env);
  const assetTokens = parseAssetTokens("ASSET_TOKENS", setting(env, "ASSET_TOKENS") ?? "");
  return {
    dataDir,
    rawSignals: archive(env, dataDir),
    assetTokens,
    assetTokensFile,
    assetTokensOfFile: assetTokensFile === undefined ? [] : readAssetTokensFile(assetTokensFile, assetTokens),
    credentialsKey: credentialsKey(env),
    serviceAsset: assetId(env, "SERVICE_ASSET", "tower"),
    workspace: assetId(env, "WORKSPACE", "default"),
    allowedHosts: list(env, "ALLOWED_HOSTS", isHostName, "tower.internal,10.0.0.5"),
    ingest,
    tower,
    container: containerName(env),
    sendRate: {
      burst: wholeNumber(env, "INGEST_BURST", 2_000),
      perSecond: wholeNumber(env, "INGEST_PER_SECOND", 10),
    },
    trustedAuthHeader: headerName(env, "TRUSTED_AUTH_HEADER"),
    trustedProxies: list(
      env,
      "TRUSTED_PROXIES",
      (text) => addressRange(text) !== undefined,
      "10.0.0.2,10.1.0.0/16",
      "addresses or CIDR ranges split by commas",
    ),
    providers: {
      analyticsData: address(env, "ANALYTICS_DATA_URL") ?? "https://analyticsdata.googleapis.com",
      analyticsAdmin: address(env, "ANALYTICS_ADMIN_URL") ?? "https://analyticsadmin.googleapis.com",
      searchConsole: address(env, "SEARCH_CONSOLE_URL") ?? "https://searchconsole.googleapis.com",
      webmasterTools: address(env, "WEBMASTER_TOOLS_URL") ?? "https://ssl.bing.com",
      serp: address(env, "SERP_URL") ?? "https://api.dataforseo.com",
    },
    logLevel: oneOf(env, "LOG_LEVEL", ["debug", "info", "warning", "error"], "info"),
  };
}

/** Both listeners: they need a port each, and passwords need https or a reader who knows better. */
function listeners(env: Environment): { readonly ingest: ListenerConfig; readonly tower: ListenerConfig } {
  const ingest = listener(env, "INGEST", 4610);
  const tower = listener(env, "TOWER", 4611);
  if (ingest.port === tower.port && ingest.port !== 0 && ingest.host === tower.host) {
    throw new ConfigError(bothPorts(ingest.port));
  }
  const plainHttp = flag(env, "TOWER_PLAIN_HTTP");
  if (!isLoopback(tower.host) && !plainHttp && !/^https:/i.test(tower.publicUrl ?? "")) {
    throw new ConfigError(
      `TOWER_HOST is ${tower.host}, beyond loopback, where passwords would travel in the clear: set an https TOWER_PUBLIC_URL (a proxy in front), for example TOWER_PUBLIC_URL=https://tower.example, or TOWER_PLAIN_HTTP=1`,
    );
  }
  return { ingest, tower };
}

/** What is wrong where both listeners are given one port. */
export function bothPorts(port: number): string {
  return `INGEST_PORT and TOWER_PORT are both ${port}: each listener needs its own, for example INGEST_PORT=4610 TOWER_PORT=4611`;
}

/** Whether an address is loopback. */
export function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || host === "[::1]" || /^127(?:\.\d{1,3}){3}$/.test(host);
}

/**
 * Reads `asset:token` pairs, split by commas or white space. A token belongs to one site, also across `others`. Messages never
 * hold a token.
 */
export function parseAssetTokens(
  variable: string,
  text: string,
  others: readonly AssetTokenPair[] = [],
): AssetTokenPair[] {
  const owners = new Map(others.map(({ asset, token }) => [token, asset]));
  return text
    .split(/[\s,]+/)
    .filter((part) => part !== "")
    .map((part, index) => {
      const cut = part.indexOf(":");
      const asset = cut < 0 ? part : part.slice(0, cut);
      const token = cut < 0 ? "" : part.slice(cut + 1);
      const refused = (why: string) =>
        new ConfigError(
          `${variable}, pair ${index + 1}: ${why}, for example ${variable}=shop.example:a-token-of-16-or-more-characters`,
        );
      if (asset === "" || token === "") throw refused("it must be asset:token");
      if (!isAssetId(asset)) throw refused("the part before the colon is not a site id");
      // What no Authorization header can carry would be refused at every report, and nobody would know why.
      if (!/^[\x21-\x7e]+$/.test(token)) throw refused("the token must be of visible ASCII characters");
      const owner = owners.get(token);
      if (owner !== undefined && owner !== asset) throw refused(`${asset} and ${owner} have the same token`);
      owners.set(token, asset);
      return { asset, token };
    });
}

/** Reads the pairs of `ASSET_TOKENS_FILE`, which go with those of `ASSET_TOKENS`. */
export function readAssetTokensFile(path: string, named: readonly AssetTokenPair[] = []): AssetTokenPair[] {
  return parseAssetTokens("ASSET_TOKENS_FILE", readSecretFile("ASSET_TOKENS_FILE", path), named);
}

function readSecretFile(variable: string, path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    throw new ConfigError(
      `${variable} is ${path}, which cannot be read, for example ${variable}=/run/secrets/tower`,
    );
  }
}

function setting(env: Environment, name: string): string | undefined {
  const value = env[name]?.trim();
  return value === undefined || value === "" ? undefined : value;
}

function bad(name: string, value: string, must: string, example: string): ConfigError {
  return new ConfigError(
    `${name} is ${JSON.stringify(value.slice(0, 200))}: it must be ${must}, for example ${name}=${example}`,
  );
}

function listener(env: Environment, prefix: "INGEST" | "TOWER", defaultPort: number): ListenerConfig {
  const host = setting(env, `${prefix}_HOST`) ?? "127.0.0.1";
  if (!isHostName(host) || hasPort(host)) {
    throw bad(`${prefix}_HOST`, host, "an address or host name without a port", "127.0.0.1");
  }
  const portText = setting(env, `${prefix}_PORT`) ?? String(defaultPort);
  const port = Number(portText);
  if (!/^\d{1,5}$/.test(portText) || port > 65_535) {
    throw bad(`${prefix}_PORT`, portText, "a whole number from 0 to 65535", String(defaultPort));
  }
  return { host, port, publicUrl: address(env, `${prefix}_PUBLIC_URL`) };
}

const MOST_REQUESTS = 1_000_000;

function wholeNumber(env: Environment, name: string, otherwise: number): number {
  const text = setting(env, name) ?? String(otherwise);
  const value = Number(text);
  if (/^\d{1,7}$/.test(text) && value >= 1 && value <= MOST_REQUESTS) return value;
  throw bad(name, text, `a whole number from 1 to ${MOST_REQUESTS}`, String(otherwise));
}

function isHostName(text: string): boolean {
  return /^(?:\[[0-9A-Fa-f:.]+\]|[0-9A-Fa-f:]*:[0-9A-Fa-f:.]*|[A-Za-z0-9._-]+)(?::\d{1,5})?$/.test(text);
}

function hasPort(host: string): boolean {
  return /^(?:\[[^\]]*\]|[^:]*):\d+$/.test(host);
}

function address(env: Environment, name: string): string | undefined {
  const value = setting(env, name);
  if (value === undefined) return undefined;
  const url = URL.canParse(value) ? new URL(value) : undefined;
  const fits =
    url !== undefined &&
    /^https?:$/.test(url.protocol) &&
    url.username + url.password + url.search + url.hash === "";
  if (!fits) throw bad(name, value, "an http or https address without a query", "https://tower.example");
  return value.replace(/\/+$/, "");
}

function archive(env: Environment, dataDir: string): string {
  const value = setting(env, "RAW_SIGNALS");
  if (value === undefined) return join(dataDir, "raw-signals");
  if (!value.includes("://")) return resolve(value);
  if (/^s3:\/\/[a-z0-9][a-z0-9.-]{1,61}[a-z0-9](?:\/.*)?$/.test(value)) return value;
  throw bad("RAW_SIGNALS", value, "a directory or an s3 address", "s3://bucket/prefix");
}

function assetId(env: Environment, name: string, otherwise: string): string {
  const value = setting(env, name) ?? otherwise;
  if (!isAssetId(value)) {
    throw bad(name, value, "at most 128 letters, digits, dots, underscores and hyphens", otherwise);
  }
  return value;
}

/** Stands in commands that people copy, so it is a name as Docker gives them, and nothing else. */
function containerName(env: Environment): string | undefined {
  const value = setting(env, "TOWER_CONTAINER");
  if (value !== undefined && !/^[A-Za-z0-9][A-Za-z0-9_.-]{0,127}$/.test(value))
    throw bad("TOWER_CONTAINER", value, "the name of a container", "tower");
  return value;
}

function headerName(env: Environment, name: string): string | undefined {
  const value = setting(env, name);
  if (value !== undefined && !/^[A-Za-z0-9-]+$/.test(value))
    throw bad(name, value, "a header name", "X-Remote-User");
  return value?.toLowerCase();
}

function flag(env: Environment, name: string): boolean {
  const value = setting(env, name)?.toLowerCase();
  if (value === undefined || ["0", "off", "false", "no"].includes(value)) return false;
  if (["1", "on", "true", "yes"].includes(value)) return true;
  throw bad(name, value, "1 or 0", "1");
}

function list(
  env: Environment,
  name: string,
  fits: (item: string) => boolean,
  example: string,
  must = "names split by commas",
): string[] {
  const items = (setting(env, name) ?? "").split(/[\s,]+/).filter((item) => item !== "");
  for (const item of items) if (!fits(item)) throw bad(name, item, must, example);
  return items;
}

function oneOf<T extends string>(env: Environment, name: string, values: readonly T[], otherwise: T): T {
  const value = setting(env, name) ?? otherwise;
  const known = values.find((item) => item === value);
  if (known === undefined) throw bad(name, value, `one of ${values.join(", ")}`, otherwise);
  return known;
}

function credentialsKey(env: Environment): string | undefined {
  const file = setting(env, "CREDENTIALS_KEY_FILE");
  const name = file === undefined ? "CREDENTIALS_KEY" : "CREDENTIALS_KEY_FILE";
  const value = file === undefined ? setting(env, "CREDENTIALS_KEY") : readSecretFile(name, file).trim();
  if (value === undefined) return undefined;
  if (keyOfText(value) === undefined) {
    throw new ConfigError(
      `${name} does not hold 32 bytes in base64, for example made by: openssl rand -base64 32`,
    );
  }
  return value;
}
