import { describe, expect, test } from "bun:test";
import { generateKeyPairSync } from "node:crypto";
import { readConfig } from "../../src/base/config.ts";
import { readCredentialFile } from "../../src/providers/given_file.ts";
import { rsaPair, serviceAccount, serviceAccountFile, WEBMASTER_KEY } from "../support/service_account.ts";

const REAL = readConfig({}).providers;
const SIMULATED = readConfig({ ANALYTICS_DATA_URL: "http://127.0.0.1:9" }).providers;

const faults = async (
  text: string,
  provider: "analytics" | "webmaster-tools" = "analytics",
  addresses = REAL,
) => {
  const read = await readCredentialFile(provider, text, addresses);
  return read.ok ? [] : read.faults;
};
const changed = (change: Readonly<Record<string, unknown>>) =>
  JSON.stringify({ ...serviceAccount(), ...change });

describe("the file of a service account", () => {
  test("as Google makes it is taken, also with a byte order mark and with line ends as two characters", async () => {
    for (const text of [
      serviceAccountFile(),
      `\uFEFF${serviceAccountFile()}\r\n`,
      serviceAccountFile().replaceAll("\\n", "\\\\n"),
    ]) {
      const read = await readCredentialFile("search-console", text, REAL);
      if (!read.ok || read.secret.kind !== "google-service-account") throw new Error("it is taken");
      expect(read.secret.clientEmail).toBe("tower@harbor.iam.gserviceaccount.com");
      expect(read.secret.privateKeyId).toBe("id-of-first");
      expect(read.secret.privateKey.trim()).toBe(rsaPair().privateKey.trim());
    }
  });

  for (const [what, text, said] of [
    ["empty", "", "The file is empty"],
    ["no JSON", "{ nothing", "it must be the JSON file"],
    ["a list", "[]", "This is no key file"],
    ["of something else", JSON.stringify({ name: "tower", type: "module" }), "This is no key file"],
    ["a key of webmaster tools", WEBMASTER_KEY, "add it as one of webmaster tools"],
    ["an OAuth client's", JSON.stringify({ installed: {} }), "type: This file is of an OAuth client"],
    ["a person's sign-in", JSON.stringify({ type: "authorized_user" }), "or of a person's sign-in"],
    ["of another type", changed({ type: "external_account" }), "type: It is the file of another kind"],
    ["without an account", changed({ client_email: undefined }), "client_email: "],
    ["with a number for the account", changed({ client_email: 7 }), "client_email: "],
    ["without a key", changed({ private_key: undefined }), "private_key: The key cannot be used"],
    ["with a key cut short", changed({ private_key: rsaPair().privateKey.slice(0, 400) }), "private_key: "],
    [
      "with a public key",
      changed({ private_key: rsaPair().publicKey }),
      "private_key: The key is in another form",
    ],
    ["with no PEM", changed({ private_key: "hunter2" }), "private_key: The key cannot be used"],
    [
      "without a token address",
      changed({ token_uri: undefined }),
      "token_uri: The address to sign in at must be",
    ],
    ["with another token address", changed({ token_uri: "https://evil.example/token" }), "token_uri: "],
  ] as const) {
    test(`${what} is refused, and said by field`, async () =>
      expect((await faults(text)).join("\n")).toContain(said));
  }

  test("with a key of another type, or one behind a passphrase, is refused", async () => {
    const ec = generateKeyPairSync("ec", {
      namedCurve: "P-256",
      privateKeyEncoding: { type: "pkcs8", format: "pem" },
      publicKeyEncoding: { type: "spki", format: "pem" },
    });
    const locked = "-----BEGIN ENCRYPTED PRIVATE KEY-----\nAA==\n-----END ENCRYPTED PRIVATE KEY-----\n";
    for (const private_key of [ec.privateKey, locked]) {
      expect(await faults(changed({ private_key }))).toEqual([expect.stringMatching(/^private_key: /)]);
    }
  });

  test("every field that is wrong is named, and nothing of the content is repeated", async () => {
    const said = await faults(
      changed({ client_email: "canary-1", private_key: "canary-2", token_uri: "canary-3" }),
    );
    expect(said.map((line) => line.split(":")[0])).toEqual(["client_email", "private_key", "token_uri"]);
    expect((await faults("canary {")).concat(said).join()).not.toContain("canary");
  });

  test("names another token address only while a setting points away from Google", async () => {
    const file = serviceAccountFile({ tokenUri: "http://127.0.0.1:9/token" });
    expect(await faults(file)).toHaveLength(1);
    expect(await faults(file, "analytics", SIMULATED)).toEqual([]);
    for (const tokenUri of ["ftp://127.0.0.1/", "http://a:b@127.0.0.1/", "nowhere"]) {
      expect(await faults(serviceAccountFile({ tokenUri }), "analytics", SIMULATED)).toHaveLength(1);
    }
    const deceptive = { ...REAL, searchConsole: "https://googleapis.com.evil.example" };
    expect(await faults(file, "analytics", deceptive)).toEqual([]);
  });
});

describe("the key of webmaster tools", () => {
  test("stands alone in its file, or as the key of an object", async () => {
    for (const text of [WEBMASTER_KEY, `${WEBMASTER_KEY}\n`, JSON.stringify({ key: WEBMASTER_KEY })]) {
      const read = await readCredentialFile("webmaster-tools", text, REAL);
      expect(read.ok && read.secret.kind === "webmaster-tools-key" && read.secret.key).toBe(WEBMASTER_KEY);
    }
  });

  test("is one word, and not the file of a Google account", async () => {
    for (const text of ["", "short", `${WEBMASTER_KEY} x`, "{}", '{"key":7}'])
      expect(await faults(text, "webmaster-tools")).toHaveLength(1);
    expect((await faults(serviceAccountFile(), "webmaster-tools"))[0]).toContain(
      "add it as one of analytics or search console",
    );
  });
});
