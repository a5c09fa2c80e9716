/**
 * Settings: environment variables, each described once in `TABLE`, read and validated in one place at start. A bad value ends the start
 * with one line that names the variable, what was wrong and an example. No setting at all works.
 */

import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { isAssetId } from "./contract.ts";
import { addressRange, hasPort, isHost, isHostAndPort, isLoopback } from "./hosts.ts";
import {
  address,
  baseAddress,
  ConfigError,
  type Environment,
  fitting,
  fittingIfSet,
  fittingSecret,
  flag,
  headerName,
  type Kind,
  keyOfText,
  list,
  oneOf,
  rawSignals,
  readSecretFile,
  rootAddress,
  S3_KINDS,
  s3Settings,
  text,
  wholeNumber,
} from "./setting.ts";
import { distance } from "./text.ts";

/** One site token named in `ASSET_TOKENS`. */
interface AssetTokenPair {
  readonly asset: string;
  readonly token: string;
}

/** The settings as the service takes them. */
export type Config = DeepReadonly<ReturnType<typeof readConfig>>;

type DeepReadonly<T> = T extends object ? { readonly [Key in keyof T]: DeepReadonly<T[Key]> } : T;

/**
 * The file in a data folder that says of it that all its sites and figures are invented. It lies with the data, so that the data are
 * called so by whatever service opens them.
 */
export const SAMPLE_MARK = "sample-data";

/** The process's environment: the one place that reads it. */
export function processEnvironment(): Environment {
  return process.env;
}

/** Shortest token of `ASSET_TOKENS`, in characters: a shorter one is guessed. One below 16 is warned of at the start. */
const SHORTEST_TOKEN = 8;

/** Bytes a day: from one report without a length, which is taken as the longest until it is read, to more than a machine takes in. */
const DAY_BYTES = { least: 256 * 1024, most: 1e12 };

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

const host = fitting(
  (value) => isHost(value) && !hasPort(value),
  "an address or host name without a port",
  "127.0.0.1",
);
const port = (otherwise: number) => wholeNumber(otherwise, { least: 0, most: 65_535 });
const ASSET_ID = "at most 128 letters, digits, dots, underscores and hyphens";
/** No site is called so: /sites/new is the page that adds one. */
const NO_SITE = "new";
const key = fittingSecret(
  (value) => keyOfText(value) !== undefined,
  "does not hold 32 bytes in base64, for example made by: openssl rand -base64 32",
);

/** Every setting of the service: what it may be, and what it is where it is not set. */
const TABLE = {
  ALLOWED_HOSTS: list(HOST_NAMES),
  ANALYTICS_ADMIN_URL: baseAddress("https://analyticsadmin.googleapis.com", "/v1beta"),
  ANALYTICS_DATA_URL: baseAddress("https://analyticsdata.googleapis.com", "/v1beta"),
  ASSET_TOKENS: text,
  ASSET_TOKENS_FILE: text,
  CREDENTIALS_KEY: key,
  CREDENTIALS_KEY_PREVIOUS: key,
  DATA_DIR: fitting(() => true, "", "./data"),
  INGEST_BURST: wholeNumber(2_000),
  INGEST_BYTES_PER_DAY: wholeNumber(64 * 2 ** 20, DAY_BYTES),
  INGEST_HOST: host,
  INGEST_PER_SECOND: wholeNumber(10),
  INGEST_PORT: port(4610),
  INGEST_PUBLIC_URL: address,
  LOG_LEVEL: oneOf(["debug", "info", "warning", "error"], "info"),
  OUTBOUND_ALLOWED_HOSTS: list(HOST_NAMES),
  RAW_SIGNALS: text,
  ...S3_KINDS,
  SEARCH_CONSOLE_URL: baseAddress("https://searchconsole.googleapis.com", "/webmasters/v3"),
  SERP_URL: baseAddress("https://api.dataforseo.com"),
  SERVICE_ASSET: fitting((id) => isAssetId(id) && id !== NO_SITE, `${ASSET_ID}, and not ${NO_SITE}`, "tower"),
  // It stands in commands that people copy, so it is a name as Docker gives them, and nothing else.
  TOWER_CONTAINER: fittingIfSet(/^[A-Za-z0-9][A-Za-z0-9_.-]{0,127}$/, "the name of a container", "tower"),
  TOWER_HOST: host,
  TOWER_PLAIN_HTTP: flag,
  TOWER_PORT: port(4611),
  TOWER_PUBLIC_URL: rootAddress,
  TRUSTED_AUTH_HEADER: headerName,
  TRUSTED_PROXIES: list(PROXIES),
  // It stands in a proxy's configuration and in a header, so nothing in it means anything to either.
  TRUSTED_PROXY_SECRET: fittingSecret(
    (value) => /^[A-Za-z0-9._~+/=-]{16,256}$/.test(value),
    "is not 16 to 256 letters, digits or . _ ~ + / = -, for example made by: openssl rand -hex 32",
  ),
  WEBMASTER_TOOLS_URL: baseAddress("https://ssl.bing.com", "/webmaster/api.svc/json"),
  WORKSPACE: fitting(isAssetId, ASSET_ID, "default"),
} as const satisfies Record<string, Kind<unknown>>;

/** The names of all settings, also those of files … */
export const SETTINGS: readonly string[] = Object.entries<Kind<unknown>>(TABLE).flatMap(
  ([name, { inFile }]) => (inFile === true ? [name, `${name}_FILE`] : [name]),
);
/** … what they are where they are not set … */
export const DEFAULTS: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries<Kind<unknown>>(TABLE).flatMap(([name, { otherwise }]) =>
    otherwise === undefined ? [] : [[name, otherwise]],
  ),
);
/** … and what the measuring command and the commands that a site is shown read. */
const READ_ELSEWHERE = ["ASSET", "ASSET_TOKEN", "INGEST_URL", "TOWER_TOKEN"];

/** Variables that nothing reads and that are a slip or two away from a setting, which is named: they would change nothing, silently. */
export function misspelledSettings(env: Environment): { readonly name: string; readonly nearest: string }[] {
  const known = new Set([...SETTINGS, ...READ_ELSEWHERE]);
  return Object.keys(env).flatMap((name) => {
    if (!/^[A-Z0-9_]{4,64}$/.test(name) || known.has(name)) return [];
    // What programs put in front of a name to make it theirs.
    const bare = name.replace(/^(?:TOWER|INGEST)_/, "");
    const reach = name.length >= 9 ? 2 : 1;
    const near = SETTINGS.find((setting) => setting === bare || distance(name, setting, reach) !== undefined);
    return near === undefined ? [] : [{ name, nearest: near }];
  });
}

/** Reads the settings. Throws `ConfigError`. */
export function readConfig(env: Environment) {
  const get = <Name extends keyof typeof TABLE>(name: Name) =>
    TABLE[name].read(env, name) as ReturnType<(typeof TABLE)[Name]["read"]>;
  const dataDir = resolve(get("DATA_DIR"));
  const assetTokensFile = get("ASSET_TOKENS_FILE");
  const ingest = { host: get("INGEST_HOST"), port: get("INGEST_PORT"), publicUrl: get("INGEST_PUBLIC_URL") };
  const tower = { host: get("TOWER_HOST"), port: get("TOWER_PORT"), publicUrl: get("TOWER_PUBLIC_URL") };
  if (ingest.port === tower.port && ingest.port !== 0 && ingest.host === tower.host) {
    throw new ConfigError(bothPorts(ingest.port));
  }
  // Passwords need https or a reader who knows better.
  if (!get("TOWER_PLAIN_HTTP") && !isLoopback(tower.host) && !/^https:/i.test(tower.publicUrl ?? "")) {
    throw new ConfigError(
      `TOWER_HOST is ${tower.host}, beyond loopback, where passwords would travel in the clear: set an https TOWER_PUBLIC_URL (a proxy in front), for example TOWER_PUBLIC_URL=https://tower.example, or TOWER_PLAIN_HTTP=1`,
    );
  }
  const archive = rawSignals(get("RAW_SIGNALS"), dataDir);
  const assetTokens = parseAssetTokens("ASSET_TOKENS", get("ASSET_TOKENS") ?? "");
  const trustedAuthHeader = get("TRUSTED_AUTH_HEADER");
  const proxySecret = get("TRUSTED_PROXY_SECRET");
  if (proxySecret.value !== undefined && trustedAuthHeader === undefined) {
    throw new ConfigError(
      `${proxySecret.name} is set and TRUSTED_AUTH_HEADER, the header it stands in, is not, for example TRUSTED_AUTH_HEADER=X-Remote-User`,
    );
  }
  return {
    dataDir,
    // Whether the data folder says of itself that all in it is invented: then every page says so.
    isSample: existsSync(join(dataDir, SAMPLE_MARK)),
    // Where the archive lies: the path of a directory, or `s3://bucket/prefix`, and then what it takes to be let in there.
    rawSignals: archive,
    s3: s3Settings(env, archive),
    assetTokens,
    assetTokensFile,
    // As read at start; the file is read again on SIGHUP.
    assetTokensOfFile: assetTokensFile === undefined ? [] : readAssetTokensFile(assetTokensFile, assetTokens),
    credentialsKey: get("CREDENTIALS_KEY").value,
    credentialsKeyPrevious: get("CREDENTIALS_KEY_PREVIOUS").value,
    serviceAsset: get("SERVICE_ASSET"),
    workspace: get("WORKSPACE"),
    allowedHosts: get("ALLOWED_HOSTS"),
    outboundAllowedHosts: get("OUTBOUND_ALLOWED_HOSTS"),
    ingest,
    tower,
    container: get("TOWER_CONTAINER"),
    // How much a token may send: requests at once, and a second after that; of a site's token, bytes a UTC day, too.
    sendRate: {
      burst: get("INGEST_BURST"),
      perSecond: get("INGEST_PER_SECOND"),
      bytesPerDay: get("INGEST_BYTES_PER_DAY"),
    },
    trustedAuthHeader,
    trustedProxySecret: proxySecret.value,
    trustedProxies: get("TRUSTED_PROXIES"),
    providers: Object.fromEntries(
      Object.entries(PROVIDER_SETTINGS).map(([api, name]) => [api, get(name)]),
    ) as Record<keyof typeof PROVIDER_SETTINGS, string>,
    logLevel: get("LOG_LEVEL"),
  };
}

/** The base address of each API that is asked. */
export const PROVIDER_SETTINGS = {
  analyticsData: "ANALYTICS_DATA_URL",
  analyticsAdmin: "ANALYTICS_ADMIN_URL",
  searchConsole: "SEARCH_CONSOLE_URL",
  webmasterTools: "WEBMASTER_TOOLS_URL",
  serp: "SERP_URL",
} as const;

/** What is wrong where both listeners are given one port. */
export function bothPorts(port: number): string {
  return `INGEST_PORT and TOWER_PORT are both ${port}: each listener needs its own, for example INGEST_PORT=4610 TOWER_PORT=4611`;
}

/** What travels readable for everybody on the way, beyond this machine: each begins with the setting's name. */
export function plainHttpWarnings({ ingest, providers, s3 }: Config): string[] {
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
    ...(isPlain(s3?.endpoint) ? [`S3_ENDPOINT is ${readable} what is archived: use https`] : []),
  ];
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
          `${variable}, pair ${index + 1}: ${why}, for example shop.example:a-token-of-16-or-more-characters`,
        );
      if (asset === "" || token === "") throw refused("it must be asset:token");
      if (!isAssetId(asset)) throw refused("the part before the colon is not a site id");
      if (asset === NO_SITE) throw refused(`no site can be called ${NO_SITE}`);
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
