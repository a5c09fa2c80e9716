import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { readConfig } from "../../src/base/config.ts";
import { parseServiceAccount } from "../../src/providers/given_file.ts";
import { isTokenAddress } from "../../src/providers/google.ts";
import { rsaPair, serviceAccount } from "../support/service_account.ts";

const GOOGLE = readConfig({}).providers;
const SIMULATED = readConfig({ SEARCH_CONSOLE_URL: "http://127.0.0.1:9/gsc" }).providers;

/** The fields of a file that are wrong; '' for the file as a whole. */
async function broken(file: unknown, addresses = GOOGLE): Promise<readonly string[]> {
  const text = typeof file === "string" ? file : JSON.stringify(file);
  const read = await parseServiceAccount(text, addresses);
  return read.ok ? [] : read.faults.map((fault) => /^(\w+): /.exec(fault)?.[1] ?? "");
}

describe("the key file of a service account", () => {
  test("is read, and nothing of it is printed", async () => {
    const file = serviceAccount();
    const read = await parseServiceAccount(JSON.stringify(file), GOOGLE);
    if (!read.ok) throw new Error("the file is refused");
    const { clientEmail, privateKey, privateKeyId, tokenUri } = read.value;
    expect([clientEmail, privateKey, privateKeyId, tokenUri]).toEqual([
      file.client_email,
      file.private_key,
      file.private_key_id,
      file.token_uri,
    ]);
    for (const written of [JSON.stringify(read), Bun.inspect(read), String(read.value), `${read.value}`]) {
      expect(written).toContain("[secret]");
      for (const secret of [file.client_email, "PRIVATE KEY", file.private_key_id])
        expect(written).not.toContain(secret);
    }
  });

  test("may have no id of its key, which Google does not ask for", async () => {
    const { private_key_id: _, ...file } = serviceAccount();
    expect(await broken(file)).toStrictEqual([]);
  });

  test("tells every field that is wrong, and nothing that stands in one", async () => {
    expect(await broken({ private_key: "" })).toEqual(["type", "client_email", "private_key", "token_uri"]);
    expect(await broken({ ...serviceAccount(), type: "authorized_user" })).toEqual(["type"]);
    for (const client_email of ["", "x", 7, null, "a b@c", "a@b@c", `${"x".repeat(400)}@y`])
      expect(await broken({ ...serviceAccount(), client_email })).toEqual(["client_email"]);
    const canary = "c4nary";
    const read = await parseServiceAccount(
      JSON.stringify({
        type: canary,
        client_email: `${canary} x`,
        private_key: canary,
        token_uri: `http://${canary}`,
      }),
      GOOGLE,
    );
    expect(JSON.stringify(read)).not.toContain(canary);
  });

  test("holds a whole RSA key of PKCS#8 in PEM: it is imported to see", async () => {
    const { private_key } = serviceAccount();
    const lines = private_key.trim().split("\n");
    const elliptic = await crypto.subtle.generateKey({ name: "ECDSA", namedCurve: "P-256" }, true, ["sign"]);
    const other = Buffer.from(await crypto.subtle.exportKey("pkcs8", elliptic.privateKey)).toString("base64");
    for (const key of [
      "",
      7,
      "x",
      rsaPair().publicKey,
      private_key.replaceAll("PRIVATE KEY", "RSA PRIVATE KEY"),
      [lines[0], ...lines.slice(4)].join("\n"),
      [...lines.slice(0, -4), lines.at(-1)].join("\n"),
      `${lines[0]}\n${other}\n${lines.at(-1)}`,
      `${lines[0]}\n!!!!\n${lines.at(-1)}`,
      `${private_key}${private_key}`,
    ])
      expect(await broken({ ...serviceAccount(), private_key: key })).toEqual(["private_key"]);
    // Copied through a form or an environment, it has other line ends.
    for (const key of [private_key.replaceAll("\n", "\r\n"), ` ${private_key.trim()} `])
      expect(await broken({ ...serviceAccount(), private_key: key })).toStrictEqual([]);
  });

  test("is JSON, an object and of a size that key files have", async () => {
    const whole = JSON.stringify(serviceAccount());
    for (const text of ["", "x", "[]", "null", '"x"', whole.slice(0, -1), `${whole}${" ".repeat(70_000)}`])
      expect([text.slice(0, 9), await broken(text)]).toEqual([text.slice(0, 9), [""]]);
  });

  test("no text whatever makes it throw", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(
          fc.string(),
          fc.json(),
          fc.record({ private_key: fc.string() }).map((file) => JSON.stringify(file)),
        ),
        async (text) => {
          expect((await broken(text)).length).toBeGreaterThan(0);
        },
      ),
    );
  });
});

describe("the address that an assertion is posted to", () => {
  const OTHERS = [
    "",
    "https://oauth2.googleapis.com/token/",
    "https://oauth2.googleapis.com.evil.example/token",
    "https://oauth2.googleapis.com@evil.example/token",
    "http://oauth2.googleapis.com/token",
    "https://accounts.google.com/o/oauth2/token",
    "http://127.0.0.1:9/token",
    "file:///etc/passwd",
  ];

  test("is Google's own and no other", async () => {
    expect(isTokenAddress("https://oauth2.googleapis.com/token", GOOGLE)).toBe(true);
    for (const token_uri of OTHERS) {
      expect([token_uri, isTokenAddress(token_uri, GOOGLE)]).toEqual([token_uri, false]);
      expect(await broken({ ...serviceAccount(), token_uri })).toEqual(["token_uri"]);
    }
  });

  test("may be another one while one of the base addresses of Google's APIs leads away from Google", async () => {
    for (const setting of ["ANALYTICS_DATA_URL", "ANALYTICS_ADMIN_URL", "SEARCH_CONSOLE_URL"]) {
      const { providers } = readConfig({ [setting]: "http://127.0.0.1:9" });
      expect(isTokenAddress("http://127.0.0.1:9/token", providers)).toBe(true);
      expect(isTokenAddress("https://oauth2.googleapis.com/token", providers)).toBe(true);
    }
    expect(await broken(serviceAccount({ tokenUri: "http://127.0.0.1:9/token" }), SIMULATED)).toStrictEqual(
      [],
    );
    for (const address of ["", "x", "file:///etc/passwd", "http://user:word@127.0.0.1:9/token"])
      expect(isTokenAddress(address, SIMULATED)).toBe(false);
  });

  test("other settings, and a Google address by another way, open nothing", () => {
    const { providers } = readConfig({
      WEBMASTER_TOOLS_URL: "http://127.0.0.1:9",
      SERP_URL: "http://127.0.0.1:9",
      ANALYTICS_DATA_URL: "https://analyticsdata.googleapis.com:443/",
      SEARCH_CONSOLE_URL: "https://www.googleapis.com",
    });
    for (const address of OTHERS) expect(isTokenAddress(address, providers)).toBe(false);
  });
});
