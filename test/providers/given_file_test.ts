import { describe, expect, test } from "bun:test";
import { readConfig } from "../../src/base/config.ts";
import { readCredentialFile } from "../../src/providers/given_file.ts";
import { rsaPair, serviceAccount, serviceAccountFile, WEBMASTER_KEY } from "../support/service_account.ts";

const REAL = readConfig({}).providers;

const faults = async (text: string, provider: "analytics" | "webmaster-tools" = "analytics") => {
  const read = await readCredentialFile(provider, text, REAL);
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
  ] as const) {
    test(`${what} is refused, and said by field`, async () =>
      expect((await faults(text)).join("\n")).toContain(said));
  }
});

test("the key of webmaster tools is not the file of a Google account", async () => {
  expect((await faults(serviceAccountFile(), "webmaster-tools"))[0]).toContain(
    "add it as one of analytics or search console",
  );
});
