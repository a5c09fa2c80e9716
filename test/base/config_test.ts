import { describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import {
  misspelledSettings,
  parseAssetTokens,
  plainHttpWarnings,
  readConfig,
  SETTINGS,
} from "../../src/base/config.ts";
import { bearerToken } from "../../src/base/receive.ts";
import { ConfigError, type Environment } from "../../src/base/setting.ts";
import { didYouMean, nearest } from "../../src/base/text.ts";
import { temporaryFolder } from "../support/folder.ts";
import { recordEach } from "../support/mixtures.ts";
import { texts } from "../support/words.ts";

function refusal(env: Environment): string {
  try {
    readConfig(env);
    return "accepted";
  } catch (error) {
    if (error instanceof ConfigError) return error.message;
    throw error;
  }
}

const TOKEN = "harbor-secret-0123456789";

describe("no setting at all works (decisions 2)", () => {
  test("both listeners on loopback, data in ./data; all of it is recorded", () => {
    const usual = new Map<string, unknown>(Object.entries(readConfig({})));
    recordEach([...usual.keys()], (name) => usual.get(name));
  });

  test("an empty setting and white space are no setting", () => {
    expect(readConfig({ INGEST_PORT: " ", DATA_DIR: "", SERVICE_ASSET: "\t" })).toEqual(readConfig({}));
  });
});

/** Settings as a shell has them: `NAME=value`, several of one case joined by `&`, cases by `|`. */
const settings = (...lines: readonly string[]): Environment[] =>
  texts(...lines).map((one) => Object.fromEntries(one.split("&").map((named) => named.split(/=(.*)/s, 2))));

const bad: readonly Environment[] = [
  ...settings(
    "INGEST_PORT=x|INGEST_PORT=65536|ALLOWED_HOSTS=tower.internal:65536|TOWER_PORT=-1|TOWER_PORT=4611.5",
    "INGEST_HOST=not a host|INGEST_HOST=127.0.0.1:8080|TOWER_HOST=[::1]:80|INGEST_PUBLIC_URL=ftp://x",
    "INGEST_PUBLIC_URL=https://user:pw@x|INGEST_PUBLIC_URL=https://:pw@x|INGEST_PUBLIC_URL=https://x/?q=1",
    "TOWER_PUBLIC_URL=tower.example|TOWER_PUBLIC_URL=https://tower.example/app",
    "TOWER_PUBLIC_URL=https://tower.example/#top|INGEST_HOST=a..b|INGEST_HOST=a:b",
    "ALLOWED_HOSTS=https://tower.example|ALLOWED_HOSTS=*|ALLOWED_HOSTS=a:b|ALLOWED_HOSTS=localhost:99999",
    "OUTBOUND_ALLOWED_HOSTS=http://mail.internal|TRUSTED_PROXIES=10.0.0.0/33",
    "TRUSTED_PROXY_SECRET=short&TRUSTED_AUTH_HEADER=x-remote-user|TRUSTED_PROXY_SECRET=a-secret-without-a-header",
    `TRUSTED_PROXY_SECRET_FILE=/nowhere/at/all|ASSET_TOKENS=shop|ASSET_TOKENS=shop:${TOKEN} :${TOKEN}`,
    `ASSET_TOKENS=shop:|ASSET_TOKENS=bad/id:${TOKEN}|ASSET_TOKENS=new:${TOKEN}|ASSET_TOKENS=a:${TOKEN},b:${TOKEN}`,
    "ASSET_TOKENS=shop:harbör-secret-0123456789|ASSET_TOKENS=a:x|ASSET_TOKENS=shop:seven77",
    "ASSET_TOKENS_FILE=/nowhere/at/all|INGEST_BURST=0|INGEST_BURST=1000001|INGEST_BURST=2e3",
    "INGEST_BYTES_PER_DAY=262143|INGEST_BYTES_PER_DAY=64MiB|INGEST_PER_SECOND=0.5|INGEST_PER_SECOND=-1",
    "INGEST_PER_SECOND=fast|SERVICE_ASSET=no/id|SERVICE_ASSET=new|WORKSPACE=*|ALLOWED_HOSTS=a b/c|TRUSTED_PROXIES=proxy.example",
    "TRUSTED_AUTH_HEADER=x y|TRUSTED_AUTH_HEADER=Authorization|TRUSTED_AUTH_HEADER=X-Forwarded-For",
    "RAW_SIGNALS=ftp://bucket|RAW_SIGNALS=s3://B|CREDENTIALS_KEY=short",
  ),
  { CREDENTIALS_KEY: "x".repeat(44) },
  ...settings(
    "CREDENTIALS_KEY_FILE=/nowhere/at/all|LOG_LEVEL=loud|TOWER_PLAIN_HTTP=perhaps|SEARCH_CONSOLE_URL=x",
    "TOWER_HOST=0.0.0.0|TOWER_HOST=192.0.2.7&TOWER_PUBLIC_URL=http://tower.example",
    "INGEST_PORT=4700&TOWER_PORT=4700",
  ),
];

describe("a bad setting is one line that names the variable, what was wrong and an example (decisions 2)", () => {
  test("of one port only on one host", () => {
    const ports = { INGEST_PORT: "4700", TOWER_PORT: "4700" };
    expect(readConfig({ ...ports, INGEST_HOST: "127.0.0.1", TOWER_HOST: "::1" }).tower.port).toBe(4_700);
  });

  test("what is said of each is recorded, and repeats no token", () => {
    recordEach(bad, refusal);
    expect(bad.map(refusal).join()).not.toContain(TOKEN);
  });

  test("a secret in a bad setting is not printed", () => {
    expect(refusal({ CREDENTIALS_KEY: "half-a-secret" })).not.toContain("half-a-secret");
    for (const TRUSTED_PROXY_SECRET of ["half-a-secret", "a-secret-without-a-header"]) {
      expect(refusal({ TRUSTED_PROXY_SECRET })).not.toContain(TRUSTED_PROXY_SECRET);
    }
    expect(refusal({ TOWER_PUBLIC_URL: "https://ada:half-a-secret@x" })).not.toContain("half-a-secret");
    expect(refusal({ ASSET_TOKENS: "secret-without-colon" })).not.toContain("secret-without-colon");
  });
});

describe("settings that nothing reads", () => {
  const near = (...names: string[]) =>
    misspelledSettings(Object.fromEntries(names.map((name) => [name, "x"])));

  test("are no other program's, no command's of ours, and no setting", () => {
    expect(near("PATH", "HOME", "PORT", "HOST", "TOWER_THEME", "GITHUB_WORKSPACE", "DATABASE_URL")).toEqual(
      [],
    );
    expect(near("ASSET", "ASSET_TOKEN", "INGEST_URL", "TOWER_TOKEN", ...SETTINGS)).toStrictEqual([]);
  });

  test("cannot be one that is read: every name that is read is listed, and no other", () => {
    const read = new Set<string>();
    const env = new Proxy({} as Record<string, string>, {
      get: (_, name) => {
        read.add(String(name));
        return undefined;
      },
    });
    readConfig(env);
    expect([...read].sort()).toEqual([...SETTINGS]);
  });
});

describe("ASSET_TOKENS (decisions 2)", () => {
  test("pairs are split by commas or white space, and a site may stand twice", () => {
    expect(parseAssetTokens("ASSET_TOKENS", ` a:${TOKEN}1,\n b:${TOKEN}2\ta:${TOKEN}3,, `)).toEqual([
      { asset: "a", token: `${TOKEN}1` },
      { asset: "b", token: `${TOKEN}2` },
      { asset: "a", token: `${TOKEN}3` },
    ]);
  });

  test("every token that is accepted can be sent as a bearer token", () => {
    const token = "p:q!$%&'()*;<=>?@[]^`{|}\"#~/+.-_";
    const [pair] = parseAssetTokens("ASSET_TOKENS", `a:${token}`);
    expect(pair).toEqual({ asset: "a", token });
    expect(
      bearerToken(new Request("http://localhost/", { headers: { authorization: `Bearer ${token}` } })),
    ).toBe(token);
  });

  test("one token for two sites is refused, also when one stands in the setting and one in the file", () => {
    using folder = temporaryFolder();
    const path = join(folder.path, "tokens");
    writeFileSync(path, `b:${TOKEN}\n`);
    const message = refusal({ ASSET_TOKENS: `a:${TOKEN}`, ASSET_TOKENS_FILE: path });
    expect(message).toContain("the same token");
    expect(message).not.toContain(TOKEN);
    writeFileSync(path, `a:${TOKEN}\n`);
    expect(refusal({ ASSET_TOKENS: `a:${TOKEN}`, ASSET_TOKENS_FILE: path })).toBe("accepted");
  });

  test("the file holds the same pairs", () => {
    using folder = temporaryFolder();
    const path = join(folder.path, "tokens");
    writeFileSync(path, `a:${TOKEN}\nb:other-${TOKEN}\n`);
    expect(readConfig({ ASSET_TOKENS_FILE: path })).toMatchObject({
      assetTokens: [],
      assetTokensOfFile: [{ asset: "a" }, { asset: "b" }],
    });
  });
});

describe("an archive in a bucket (decisions 2)", () => {
  const SECRET = "not-a-real-secret";
  const whole = {
    RAW_SIGNALS: "s3://bucket/prefix",
    S3_ENDPOINT: "https://s3.eu-north-1.amazonaws.com",
    S3_ACCESS_KEY_ID: "tower",
    S3_SECRET_ACCESS_KEY: SECRET,
  };

  test("takes each setting from a file, too, and the region from Amazon's own addresses", () => {
    using folder = temporaryFolder();
    const inFiles = Object.fromEntries(
      Object.entries(whole)
        .filter(([name]) => name !== "RAW_SIGNALS")
        .map(([name, value]) => {
          writeFileSync(join(folder.path, name), `${value}\n`);
          return [`${name}_FILE`, join(folder.path, name)];
        }),
    );
    const { s3 } = readConfig({ ...inFiles, RAW_SIGNALS: whole.RAW_SIGNALS });
    expect(s3).toEqual({
      endpoint: "https://s3.eu-north-1.amazonaws.com",
      region: "eu-north-1",
      accessKeyId: "tower",
      secretAccessKey: SECRET,
    });
  });
});

/** A bucket with all that it needs. */
const BUCKET = {
  RAW_SIGNALS: "s3://bucket/prefix/",
  S3_ENDPOINT: "http://127.0.0.1:9000/",
  S3_ACCESS_KEY_ID: "tower",
  S3_SECRET_ACCESS_KEY: "not-a-real-secret",
};
const OTHERS: readonly Environment[] = [
  {},
  ...settings(
    "DATA_DIR=/srv/tower|RAW_SIGNALS=there|INGEST_HOST=::1&INGEST_PORT=0&TOWER_PORT=0|INGEST_HOST=0.0.0.0",
    "ALLOWED_HOSTS=a.example, b.example:8080|OUTBOUND_ALLOWED_HOSTS=mail.internal,10.0.0.5",
    "TRUSTED_AUTH_HEADER=X-Remote-User|TRUSTED_PROXIES=10.0.0.2 fd00::2",
    "INGEST_PUBLIC_URL=HTTPS://in.example/tower/|INGEST_PUBLIC_URL=http://in.example",
    "INGEST_HOST=0.0.0.0&INGEST_PUBLIC_URL=http://in.example|INGEST_HOST=0.0.0.0&INGEST_PUBLIC_URL=https://in.example",
    "TOWER_PUBLIC_URL=https://tower.example/app/|ALLOWED_HOSTS=a,https://b.example:8443/x",
    "TOWER_HOST=0.0.0.0&TOWER_PUBLIC_URL=https://tower.example|TOWER_HOST=0.0.0.0&TOWER_PUBLIC_URL=HTTPS://tower.example",
    "TOWER_HOST=0.0.0.0&TOWER_PLAIN_HTTP=1",
  ),
  { CREDENTIALS_KEY: Buffer.alloc(32).toString("base64") },
  BUCKET,
  ...settings(
    "S3_REGION=auto|S3_ENDPOINT=https://s3.eu-north-1.amazonaws.com|S3_ENDPOINT=|S3_ACCESS_KEY_ID=|S3_SECRET_ACCESS_KEY=",
    "S3_ENDPOINT=s3.example|S3_ENDPOINT=http://s3.example|S3_ENDPOINT=https://tower:secret@s3.example|S3_REGION=eu north|S3_ACCESS_KEY_ID=a x",
    "S3_SECRET_ACCESS_KEY=a\nb|S3_SECRET_ACCESS_KEY_FILE=/nowhere/at/all|RAW_SIGNALS=s3://bucket/a/../b|RAW_SIGNALS=s3://bucket//a",
  ).map((of) => ({ ...BUCKET, ...of })),
  // None of these is used without a bucket; a bad one is refused all the same.
  ...settings(
    "S3_ENDPOINT=s3.example|S3_REGION=eu north|S3_ACCESS_KEY_ID=a x|S3_ENDPOINT=https://s3.example",
  ),
  ...["", "/v1beta", "/v1beta/"].map((path) => ({
    ANALYTICS_DATA_URL: `http://127.0.0.1:9${path}`,
    ANALYTICS_ADMIN_URL: `https://proxy.example/google${path}`,
  })),
  ...["", "/webmasters/v3"].map((path) => ({
    SEARCH_CONSOLE_URL: `http://localhost:1${path}`,
    SERP_URL: "http://serp.example",
  })),
  ...["", "/webmaster/api.svc/json"].map((path) => ({ WEBMASTER_TOOLS_URL: `http://192.0.2.7:8080${path}` })),
];

test("what settings come to, what travels in the clear with them, and why some are refused, is recorded", () => {
  recordEach(OTHERS, (env) => {
    const message = refusal(env);
    if (message !== "accepted") return message;
    const usual = new Map<string, unknown>(Object.entries(readConfig({})));
    const config = readConfig(env);
    const other = Object.entries(config).filter(([name, value]) => !Bun.deepEquals(value, usual.get(name)));
    return [Object.fromEntries(other), plainHttpWarnings(config)];
  });
});

test("what is near is some letters apart, swapped, or the beginning; nearest first, three at most", () => {
  const known = ["shop.example", "harbor", "harbour", "kiln", "kilt", "kiwi", "kin"];
  recordEach(["shpo.example", "shop", "Harbor", "kil", "blog.example", ""], (name) =>
    didYouMean(nearest(name, known)),
  );
  recordEach(["kie"], (name) => didYouMean(nearest(name, ["kid", "kic", "kib", "kia"])));
});

test("a text with one letter changed, left out or added is near, wherever it is", () => {
  const word = fc.stringMatching(/^[a-z]{4,40}$/);
  fc.assert(
    fc.property(word, fc.nat(), fc.constantFrom("", "x"), (name, at, put) => {
      const cut = at % name.length;
      expect(nearest(name.slice(0, cut) + put + name.slice(cut + 1), [name])).toEqual([name]);
    }),
  );
});
