import { describe, expect, test } from "bun:test";
import { generateKeyPairSync } from "node:crypto";
import { readCredentialFile } from "../../src/credentials/given_file.ts";
import { readConfig } from "../../src/platform/config.ts";
import { rsaPair, serviceAccount, serviceAccountFile, WEBMASTER_KEY } from "../support/service_account.ts";

const REAL = readConfig({}).providers;
const SIMULATED = readConfig({
  ANALYTICS_DATA_URL: "http://127.0.0.1:9",
  WEBMASTER_TOOLS_URL: "http://127.0.0.1:9",
}).providers;

const faults = (text: string, provider: "analytics" | "webmaster-tools" = "analytics", addresses = REAL) => {
  const read = readCredentialFile(provider, text, addresses);
  return read.ok ? [] : read.faults;
};
const changed = (change: Readonly<Record<string, unknown>>) =>
  JSON.stringify({ ...serviceAccount(), ...change });

describe("the file of a service account", () => {
  test("as Google makes it is taken, with a byte order mark and line ends of any kind, too", () => {
    for (const text of [
      serviceAccountFile(),
      `\uFEFF${serviceAccountFile()}\r\n`,
      serviceAccountFile().replaceAll("\\n", "\\\\n"),
    ]) {
      const read = readCredentialFile("search-console", text, REAL);
      if (!read.ok || read.secret.kind !== "google-service-account") throw new Error("it is taken");
      expect(read.secret.clientEmail).toBe("tower@harbor.iam.gserviceaccount.com");
      expect(read.secret.privateKeyId).toBe("id-of-first");
      expect(read.secret.privateKey.trim()).toBe(rsaPair().privateKey.trim());
    }
  });

  for (const [what, text, said] of [
    ["empty", "", "the file is empty"],
    ["no JSON", "{ nothing", "is no JSON object"],
    ["a list", "[]", "is no JSON object"],
    ["a key of webmaster tools", WEBMASTER_KEY, "it looks like a key of webmaster tools"],
    [
      "an OAuth client's",
      JSON.stringify({ installed: {} }),
      'type must be "service_account": this is the file of an',
    ],
    ["a person's sign-in", JSON.stringify({ type: "authorized_user" }), "this is the sign-in of a person"],
    ["of another type", changed({ type: "external_account" }), 'type must be "service_account"'],
    ["without an account", changed({ client_email: undefined }), "client_email must be the account's e-mail"],
    ["with a number for the account", changed({ client_email: 7 }), "client_email must be"],
    ["without a key", changed({ private_key: undefined }), "private_key must be the key in PEM"],
    [
      "with a key cut short",
      changed({ private_key: rsaPair().privateKey.slice(0, 400) }),
      "private_key is not whole",
    ],
    [
      "with a public key",
      changed({ private_key: rsaPair().publicKey }),
      "private_key must be the private key",
    ],
    ["with no PEM", changed({ private_key: "hunter2" }), "private_key must be a private key in PEM"],
    [
      "with an endless key",
      changed({ private_key: "x".repeat(30_000) }),
      "private_key must be the key in PEM",
    ],
    ["with a list for the key's id", changed({ private_key_id: [1] }), "private_key_id must be text"],
    [
      "without a token address",
      changed({ token_uri: undefined }),
      "token_uri must be https://oauth2.googleapis.com/token",
    ],
    [
      "with another token address",
      changed({ token_uri: "https://evil.example/token" }),
      "token_uri must be https://oauth2.googleapis.com/token",
    ],
  ] as const) {
    test(`${what} is refused, and said by field`, () => expect(faults(text).join("\n")).toContain(said));
  }

  test("with a key of another type, or one behind a passphrase, is refused", () => {
    const ec = generateKeyPairSync("ec", {
      namedCurve: "P-256",
      privateKeyEncoding: { type: "pkcs8", format: "pem" },
      publicKeyEncoding: { type: "spki", format: "pem" },
    });
    expect(faults(changed({ private_key: ec.privateKey }))).toEqual([
      "private_key must be an RSA key: this one is of another type",
    ]);
    const locked = "-----BEGIN ENCRYPTED PRIVATE KEY-----\nAA==\n-----END ENCRYPTED PRIVATE KEY-----\n";
    expect(faults(changed({ private_key: locked }))).toEqual([
      "private_key must not be encrypted with a passphrase",
    ]);
  });

  test("every field that is wrong is named, and nothing of the content is repeated", () => {
    const said = faults(
      changed({ client_email: "canary-1", private_key: "canary-2", token_uri: "canary-3" }),
    );
    expect(said.map((line) => line.split(" ")[0])).toEqual(["client_email", "private_key", "token_uri"]);
    expect(faults("canary {").concat(said).join()).not.toContain("canary");
  });

  test("names another token address only while a setting points away from Google", () => {
    const file = serviceAccountFile({ tokenUri: "http://127.0.0.1:9/token" });
    expect(faults(file)).toHaveLength(1);
    expect(faults(file, "analytics", SIMULATED)).toEqual([]);
    for (const tokenUri of ["ftp://127.0.0.1/", "http://a:b@127.0.0.1/", "nowhere"]) {
      expect(faults(serviceAccountFile({ tokenUri }), "analytics", SIMULATED)).toEqual([
        "token_uri must be an http or https address",
      ]);
    }
    const deceptive = { ...REAL, searchConsole: "https://googleapis.com.evil.example" };
    expect(faults(file, "analytics", deceptive)).toEqual([]);
  });
});

describe("the key of webmaster tools", () => {
  test("stands alone in its file, or as the key of an object", () => {
    for (const text of [WEBMASTER_KEY, `${WEBMASTER_KEY}\n`, JSON.stringify({ key: WEBMASTER_KEY })]) {
      const read = readCredentialFile("webmaster-tools", text, REAL);
      expect(read.ok && read.secret.kind === "webmaster-tools-key" && read.secret.key).toBe(WEBMASTER_KEY);
    }
  });

  test("has 32 hexadecimal digits, unless a setting points away from its provider", () => {
    for (const text of [
      "",
      "short",
      WEBMASTER_KEY.slice(1),
      `${WEBMASTER_KEY} x`,
      "{}",
      '{"key":7}',
      "not-a-key-at-all",
    ])
      expect(faults(text, "webmaster-tools")).toHaveLength(1);
    expect(faults("not-a-key-at-all", "webmaster-tools", SIMULATED)).toEqual([]);
    expect(faults("two words", "webmaster-tools", SIMULATED)).toHaveLength(1);
  });

  test("is not the file of a Google account", () => {
    expect(faults(serviceAccountFile(), "webmaster-tools")[0]).toContain("tower credential add analytics");
  });
});
