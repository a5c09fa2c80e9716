/**
 * Settings: environment variables, read and validated in one place at start. A bad value ends the start with one line that
 * names the variable, what was wrong and an example. No setting at all works.
 */
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { isAssetId } from "../lib/asset_id.ts";
import { keyOfText } from "../lib/key_text.ts";
import { addressRange } from "./addresses.ts";
import { hasPort, isHost, isHostAndPort, isLoopback } from "./host_name.ts";
import { type Misspelled, misspelled } from "./misspelled.ts";
import { rawSignals, S3_SETTINGS, type S3Settings, s3Settings } from "./object_setting.ts";
import {
  address,
  bad,
  baseAddress,
  ConfigError,
  DAY_BYTES,
  type Environment,
  flag,
  headerName,
  list,
  oneOf,
  readSecretFile,
  rootAddress,
  secret,
  setting,
  wholeNumber,
} from "./setting.ts";

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
  /** Whether the data folder says of itself that all in it is invented: then every page says so. */
  readonly isSample: boolean;
  /** Where the archive lies: the path of a directory, or `s3://bucket/prefix`. */
  readonly rawSignals: string;
  /** What it takes to ask the store that it names; undefined where it is a directory. */
  readonly s3: S3Settings | undefined;
  /** Pairs of `ASSET_TOKENS`. */
  readonly assetTokens: readonly AssetTokenPair[];
  readonly assetTokensFile: string | undefined;
  /** Pairs of `ASSET_TOKENS_FILE` as read at start; it is read again on SIGHUP. */
  readonly assetTokensOfFile: readonly AssetTokenPair[];
  readonly credentialsKey: string | undefined;
  /** The key before, while something may still be sealed with it. */
  readonly credentialsKeyPrevious: string | undefined;
  readonly serviceAsset: string;
  readonly workspace: string;
  readonly allowedHosts: readonly string[];
  /** Private hosts that notices and calendars may reach. */
  readonly outboundAllowedHosts: readonly string[];
  readonly ingest: ListenerConfig;
  readonly tower: ListenerConfig;
  /** The name of the container that this process runs in; set by the image. */
  readonly container: string | undefined;
  /** How much a token may send: requests at once, and a second after that; of a site's token, bytes a UTC day, too. */
  readonly sendRate: { readonly burst: number; readonly perSecond: number; readonly bytesPerDay: number };
  readonly trustedAuthHeader: string | undefined;
  /** What stands before the name in the trusted header, where the proxy has to prove that it wrote it. */
  readonly trustedProxySecret: string | undefined;
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

/**
 * The file in a data folder that says of it that all its sites and figures are invented. It lies with the data, so that the data are
 * called so by whatever service opens them.
 */
export const SAMPLE_MARK = "sample-data";

/** The process's environment: the one place that reads it. */
export function processEnvironment(): Environment {
  return process.env;
}

/** Every setting of the service … */
export const SETTINGS = [
  "ALLOWED_HOSTS",
  "ANALYTICS_ADMIN_URL",
  "ANALYTICS_DATA_URL",
  "ASSET_TOKENS",
  "ASSET_TOKENS_FILE",
  "CREDENTIALS_KEY",
  "CREDENTIALS_KEY_FILE",
  "CREDENTIALS_KEY_PREVIOUS",
  "CREDENTIALS_KEY_PREVIOUS_FILE",
  "DATA_DIR",
  "INGEST_BURST",
  "INGEST_BYTES_PER_DAY",
  "INGEST_HOST",
  "INGEST_PER_SECOND",
  "INGEST_PORT",
  "INGEST_PUBLIC_URL",
  "LOG_LEVEL",
  "OUTBOUND_ALLOWED_HOSTS",
  "RAW_SIGNALS",
  ...S3_SETTINGS,
  "SEARCH_CONSOLE_URL",
  "SERP_URL",
  "SERVICE_ASSET",
  "TOWER_CONTAINER",
  "TOWER_HOST",
  "TOWER_PLAIN_HTTP",
  "TOWER_PORT",
  "TOWER_PUBLIC_URL",
  "TRUSTED_AUTH_HEADER",
  "TRUSTED_PROXIES",
  "TRUSTED_PROXY_SECRET",
  "TRUSTED_PROXY_SECRET_FILE",
  "WEBMASTER_TOOLS_URL",
  "WORKSPACE",
] as const;
/** … and what the measuring command and the commands that a site is shown read. */
const READ_ELSEWHERE = ["ASSET", "ASSET_TOKEN", "INGEST_URL", "TOWER_TOKEN"];

/** Shortest token of `ASSET_TOKENS`, in characters: a shorter one is guessed. One below 16 is warned of at the start. */
const SHORTEST_TOKEN = 8;

/** What in an environment looks like a setting that was mistyped. */
export function misspelledSettings(env: Environment): readonly Misspelled[] {
  return misspelled(Object.keys(env), SETTINGS, READ_ELSEWHERE);
}

/** Reads the settings. Throws `ConfigError`. */
export function readConfig(env: Environment): Config {
  const dataDir = resolve(setting(env, "DATA_DIR") ?? "./data");
  const assetTokensFile = setting(env, "ASSET_TOKENS_FILE");
  const { ingest, tower } = listeners(env);
  const archive = rawSignals(env, dataDir);
  const assetTokens = parseAssetTokens("ASSET_TOKENS", setting(env, "ASSET_TOKENS") ?? "");
  return {
    dataDir,
    isSample: existsSync(join(dataDir, SAMPLE_MARK)),
    rawSignals: archive,
    s3: s3Settings(env, archive),
    assetTokens,
    assetTokensFile,
    assetTokensOfFile: assetTokensFile === undefined ? [] : readAssetTokensFile(assetTokensFile, assetTokens),
    credentialsKey: credentialsKey(env, "CREDENTIALS_KEY"),
    credentialsKeyPrevious: credentialsKey(env, "CREDENTIALS_KEY_PREVIOUS"),
    serviceAsset: assetId(env, "SERVICE_ASSET", "tower"),
    workspace: assetId(env, "WORKSPACE", "default"),
    allowedHosts: list(env, "ALLOWED_HOSTS", HOST_NAMES),
    outboundAllowedHosts: list(env, "OUTBOUND_ALLOWED_HOSTS", HOST_NAMES),
    ingest,
    tower,
    container: containerName(env),
    sendRate: {
      burst: wholeNumber(env, "INGEST_BURST", 2_000),
      perSecond: wholeNumber(env, "INGEST_PER_SECOND", 10),
      bytesPerDay: wholeNumber(env, "INGEST_BYTES_PER_DAY", 64 * 2 ** 20, DAY_BYTES),
    },
    trustedAuthHeader: headerName(env, "TRUSTED_AUTH_HEADER"),
    trustedProxySecret: proxySecret(env),
    trustedProxies: list(env, "TRUSTED_PROXIES", PROXIES),
    providers: {
      analyticsData:
        baseAddress(env, "ANALYTICS_DATA_URL", "/v1beta") ?? "https://analyticsdata.googleapis.com",
      analyticsAdmin:
        baseAddress(env, "ANALYTICS_ADMIN_URL", "/v1beta") ?? "https://analyticsadmin.googleapis.com",
      searchConsole:
        baseAddress(env, "SEARCH_CONSOLE_URL", "/webmasters/v3") ?? "https://searchconsole.googleapis.com",
      webmasterTools:
        baseAddress(env, "WEBMASTER_TOOLS_URL", "/webmaster/api.svc/json") ?? "https://ssl.bing.com",
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

/** What travels readable for everybody on the way, beyond this machine: each begins with the setting's name. */
export function plainHttpWarnings({ ingest, providers }: Config): string[] {
  const isPlain = (url: string | undefined) =>
    url !== undefined && new URL(url).protocol === "http:" && !isLoopback(new URL(url).hostname);
  const readable = "plain http beyond this machine, where anybody on the way can read";
  const open = isPlain(ingest.publicUrl)
    ? ["INGEST_PUBLIC_URL"]
    : ingest.publicUrl === undefined && !isLoopback(ingest.host)
      ? ["INGEST_HOST"]
      : [];
  return [
    ...open.map((name) => `${name} is ${readable} the sites' tokens: put https in front (INGEST_PUBLIC_URL)`),
    ...Object.entries(PROVIDER_SETTINGS)
      .filter(([key]) => isPlain(providers[key as keyof typeof PROVIDER_SETTINGS]))
      .map(([, name]) => `${name} is ${readable} the keys that are sent there: use https`),
  ];
}

const PROVIDER_SETTINGS = {
  analyticsData: "ANALYTICS_DATA_URL",
  analyticsAdmin: "ANALYTICS_ADMIN_URL",
  searchConsole: "SEARCH_CONSOLE_URL",
  webmasterTools: "WEBMASTER_TOOLS_URL",
  serp: "SERP_URL",
} as const satisfies Record<keyof Config["providers"], string>;

/** What is wrong where both listeners are given one port. */
export function bothPorts(port: number): string {
  return `INGEST_PORT and TOWER_PORT are both ${port}: each listener needs its own, for example INGEST_PORT=4610 TOWER_PORT=4611`;
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
      if (token.length < SHORTEST_TOKEN)
        throw refused(`the token has fewer than ${SHORTEST_TOKEN} characters`);
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

function listener(env: Environment, prefix: "INGEST" | "TOWER", defaultPort: number): ListenerConfig {
  const host = setting(env, `${prefix}_HOST`) ?? "127.0.0.1";
  if (!isHost(host) || hasPort(host)) {
    throw bad(`${prefix}_HOST`, host, "an address or host name without a port", "127.0.0.1");
  }
  const portText = setting(env, `${prefix}_PORT`) ?? String(defaultPort);
  const port = Number(portText);
  if (!/^\d{1,5}$/.test(portText) || port > 65_535) {
    throw bad(`${prefix}_PORT`, portText, "a whole number from 0 to 65535", String(defaultPort));
  }
  const publicUrl =
    prefix === "TOWER" ? rootAddress(env, "TOWER_PUBLIC_URL") : address(env, "INGEST_PUBLIC_URL");
  return { host, port, publicUrl };
}

const HOST_NAMES = {
  fits: isHostAndPort,
  must: "host names or addresses, without a scheme, a path or a *",
  // Most often it is the whole address that stands here.
  example: (item: string) => (URL.canParse(item) && new URL(item).host) || "tower.internal,localhost:9999",
};

const PROXIES = {
  fits: (item: string) => addressRange(item) !== undefined,
  must: "addresses or CIDR ranges of reverse proxies",
  example: () => "10.0.0.2,10.1.0.0/16",
};

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

function credentialsKey(env: Environment, variable: string): string | undefined {
  const { name, value } = secret(env, variable);
  if (value === undefined) return undefined;
  if (keyOfText(value) === undefined) {
    throw new ConfigError(
      `${name} does not hold 32 bytes in base64, for example made by: openssl rand -base64 32`,
    );
  }
  return value;
}

/** Stands in a proxy's configuration and in a header, so nothing in it means anything to either. */
function proxySecret(env: Environment): string | undefined {
  const { name, value } = secret(env, "TRUSTED_PROXY_SECRET");
  if (value === undefined) return undefined;
  if (!/^[A-Za-z0-9._~+/=-]{16,256}$/.test(value)) {
    throw new ConfigError(
      `${name} is not 16 to 256 letters, digits or . _ ~ + / = -, for example made by: openssl rand -hex 32`,
    );
  }
  if (setting(env, "TRUSTED_AUTH_HEADER") === undefined) {
    throw new ConfigError(
      `${name} is set and TRUSTED_AUTH_HEADER, the header it stands in, is not, for example TRUSTED_AUTH_HEADER=X-Remote-User`,
    );
  }
  return value;
}
