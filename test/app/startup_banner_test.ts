import { expect, test } from "bun:test";
import { chmodSync } from "node:fs";
import {
  addressLines,
  bindError,
  dataLines,
  reachedAt,
  settingWarnings,
  setUpLines,
  stopLine,
} from "../../src/app/serve.ts";
import { readConfig } from "../../src/base/config.ts";
import { ownAddresses } from "../../src/base/hosts.ts";
import { destinationsOf } from "../../src/tower/site/ways.tsx";
import { temporaryFolder } from "../support/folder.ts";
import { recordEach } from "../support/mixtures.ts";

const NONE = { published: undefined, container: undefined };
const ADDRESSES = (host: string) =>
  host === "0.0.0.0" ? ["192.0.2.7", "192.0.2.8", "192.0.2.9", "192.0.2.10"] : [];
const EVERYWHERE = { host: "0.0.0.0", port: 4611, url: "http://127.0.0.1:4611" };

test("bound to every address, a start prints those that other computers open, marked, and a few of them; the published one stands alone, and this machine's on loopback and in a container: recorded", () => {
  const published = "https://tower.example";
  const reached = [
    reachedAt(EVERYWHERE, NONE, ADDRESSES),
    reachedAt(EVERYWHERE, NONE, () => ["fd00::7"]),
    reachedAt(EVERYWHERE, { ...NONE, published }, ADDRESSES),
    reachedAt(EVERYWHERE, { ...NONE, container: "tower" }, ADDRESSES),
    reachedAt({ ...EVERYWHERE, host: "127.0.0.1" }, NONE, ADDRESSES),
  ];
  recordEach(reached, (at) => [
    addressLines("Tower", at),
    setUpLines("http://127.0.0.1:4611/setup?code=x", at),
  ]);
});

test("a start says where the data is, whether it is new, and how it is stopped: recorded", () => {
  recordEach([true, false], (is) => [dataLines("/srv/tower", is), stopLine({ pid: 77, terminal: is })]);
});

test("commands for sites name an address that other computers reach where the ingest answers them: recorded", () => {
  const settings: readonly Readonly<Record<string, string>>[] = [
    ...["0.0.0.0", "::", "fd00::7"].map((INGEST_HOST) => ({ INGEST_HOST })),
    ...[{ INGEST_HOST: "0.0.0.0", TOWER_CONTAINER: "tower" }, {}],
  ];
  recordEach(settings, (one) => destinationsOf(readConfig(one), () => 4610, ADDRESSES)("kiln"));
});

test("the machine's addresses begin with the likely one: of IPv4, and of no network inside the machine", () => {
  const at = (address: string, internal = false) => ({ address, internal });
  expect(
    ownAddresses({
      lo: [at("127.0.0.1", true), at("::1", true)],
      docker0: [at("172.17.0.1")],
      eth0: [at("2001:db8::7"), at("192.0.2.7"), at("fe80::1")],
    }),
  ).toEqual(["192.0.2.7", "2001:db8::7", "172.17.0.1"]);
});

test("a start warns of what is set and is weak, or changes nothing, and of nothing else", () => {
  using folder = temporaryFolder();
  const warned = (settings: Readonly<Record<string, string>>) => {
    const environment = { RAW_SIGNALS: folder.path, ...settings };
    return settingWarnings(readConfig(environment), environment);
  };
  chmodSync(folder.path, 0o700);
  expect(warned({ ASSET_TOKENS: "a.example:sixteen-letters.", TRUSTED_PROXIES: "192.0.2.1" })).toStrictEqual(
    [],
  );
  const header = { TRUSTED_PROXIES: "192.0.2.1", TRUSTED_AUTH_HEADER: "x-remote-user" };
  expect(warned({ ...header, TRUSTED_PROXY_SECRET: "a-secret-of-the-proxy-that-is-long" })).toStrictEqual([]);
  chmodSync(folder.path, 0o701);
  expect(
    warned({ ...header, ASSET_TOKENS: "a.example:fifteen-letters", DATADIR: "/srv", TOWER_PLAIN_HTTP: "1" }),
  ).toEqual([
    "the token of a.example has fewer than 16 characters",
    "TRUSTED_AUTH_HEADER is believed as it comes: a proxy that forgets to set it lets its callers name themselves. Set TRUSTED_PROXY_SECRET",
    "DATADIR is not a setting and changes nothing; DATA_DIR is one",
    `others on this machine may look into the archive at ${folder.path}: close it by chmod 700 ${folder.path}`,
  ]);
  const absent = { RAW_SIGNALS: `${folder.path}/none` };
  expect(warned(absent)).toStrictEqual([]);
});

const listener = (host: string, port: number) => ({ host, port, publicUrl: undefined });
const config = (host: string, [ingest, tower] = [4610, 4611]) => ({
  ingest: listener(host, ingest),
  tower: listener("127.0.0.1", tower),
});
const failed = (code: string) => Object.assign(new Error("listen"), { code });

/** What fails, at which listener, on which host and ports. */
const FAILING: readonly (readonly [
  code: string,
  at: "INGEST" | "TOWER",
  host: string,
  ports?: [number, number],
])[] = [
  ...["ENOENT", "EINVAL", "EADDRINUSE", "EPERM"].map((code) => [code, "INGEST", "no..name"] as const),
  ...["EADDRNOTAVAIL", "ENOTFOUND", "EINVAL"].map((code) => [code, "INGEST", "192.0.2.9"] as const),
  ["ESTRANGE", "INGEST", "localhost"],
  ...[4610, 65_000, 65_001].flatMap((port) =>
    (["INGEST", "TOWER"] as const).map(
      (at) => ["EADDRINUSE", at, "[::1]", [port, port]] as [string, "INGEST", string, [number, number]],
    ),
  ),
  ["EADDRINUSE", "TOWER", "[::1]"],
  ["EACCES", "INGEST", "127.0.0.1", [80, 81]],
  ["EMFILE", "INGEST", "127.0.0.1"],
];

test("a name without an address, an address of another computer and a port that is taken are told with the setting and an example: recorded", async () => {
  const told = await Promise.all(
    FAILING.map(([code, at, host, ports]) => bindError(failed(code), at, config(host, ports))),
  );
  recordEach(FAILING, (one) => told[FAILING.indexOf(one)]);
});
