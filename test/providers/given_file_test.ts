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

  for (const [what, text] of [
    ["empty", ""],
    ["no JSON", "{ nothing"],
    ["a list", "[]"],
    ["of something else", JSON.stringify({ name: "tower", type: "module" })],
    ["a key of webmaster tools", WEBMASTER_KEY],
    ["an OAuth client's", JSON.stringify({ installed: {} })],
    ["a web client's", JSON.stringify({ web: {} })],
    ["a person's sign-in", JSON.stringify({ type: "authorized_user" })],
    ["of another type", changed({ type: "external_account" })],
    ["of no type", changed({ type: undefined })],
    ["with an address that is none", changed({ client_email: "tower" })],
    ["with a key's id that is too long", changed({ private_key_id: "k".repeat(201) })],
    ["with a public key", changed({ private_key: rsaPair().publicKey })],
    ["with no PEM", changed({ private_key: "hunter2" })],
    ["without a token address", changed({ token_uri: undefined })],
  ] as const) {
    test(`${what} is refused, and said by field`, async () =>
      expect((await faults(text)).join("\n")).toMatchSnapshot());
  }

  test("with the longest key's id is taken", async () => {
    expect(await faults(changed({ private_key_id: "k".repeat(200) }))).toStrictEqual([]);
  });
});

test("the key of webmaster tools is not the file of a Google account", async () => {
  expect(await faults(serviceAccountFile(), "webmaster-tools")).toEqual([
    "This is the key file of a Google account, no key of webmaster tools: add it as one of analytics or search console.",
  ]);
});
