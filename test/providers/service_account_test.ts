import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { readConfig } from "../../src/base/config.ts";
import { parseServiceAccount, readCredentialFile } from "../../src/providers/given_file.ts";
import { isTokenAddress } from "../../src/providers/google.ts";
import { recordEach } from "../support/mixtures.ts";
import { rsaPair, serviceAccount, serviceAccountFile, WEBMASTER_KEY } from "../support/service_account.ts";

const GOOGLE = readConfig({}).providers;
const SIMULATED = readConfig({ SEARCH_CONSOLE_URL: "http://127.0.0.1:9/gsc" }).providers;

const refusals = async (text: string, addresses = GOOGLE) => {
  const read = await readCredentialFile("analytics", text, addresses);
  return read.ok ? [] : read.faults;
};
const changed = (change: Readonly<Record<string, unknown>>) =>
  JSON.stringify({ ...serviceAccount(), ...change });

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

  test("as Google makes it is taken, without the id of its key and with one of 200 signs; copied, with other ends of lines", async () => {
    const file = serviceAccountFile();
    const { private_key } = serviceAccount();
    for (const text of [
      ...[file, `\uFEFF${file}\r\n`, file.replaceAll("\\n", "\\\\n")],
      ...[undefined, "k".repeat(200)].map((private_key_id) => changed({ private_key_id })),
      ...[private_key.replaceAll("\n", "\r\n"), ` ${private_key.trim()} `].map((key) =>
        changed({ private_key: key }),
      ),
    ]) {
      const read = await readCredentialFile("search-console", text, GOOGLE);
      if (!read.ok || read.secret.kind !== "google-service-account") throw new Error("it is refused");
      expect(read.secret.clientEmail).toBe("tower@harbor.iam.gserviceaccount.com");
      expect(read.secret.privateKey.replaceAll("\r", "").trim()).toBe(private_key.trim());
    }
  });

  test("is an object of JSON of a size that key files have, with a whole RSA key of PKCS#8 in PEM; else what is wrong is said by field: recorded", async () => {
    const canary = "c4nary";
    const whole = serviceAccountFile();
    const { private_key } = serviceAccount();
    const lines = private_key.trim().split("\n");
    const elliptic = await crypto.subtle.generateKey({ name: "ECDSA", namedCurve: "P-256" }, true, ["sign"]);
    const other = Buffer.from(await crypto.subtle.exportKey("pkcs8", elliptic.privateKey)).toString("base64");
    const keys = {
      none: "",
      "a number": 7,
      "no PEM": canary,
      "the public one": rsaPair().publicKey,
      "named otherwise": private_key.replaceAll("PRIVATE KEY", "RSA PRIVATE KEY"),
      "without its beginning": [lines[0], ...lines.slice(4)].join("\n"),
      "without its end": [...lines.slice(0, -4), lines.at(-1)].join("\n"),
      elliptic: `${lines[0]}\n${other}\n${lines.at(-1)}`,
      "no base64": `${lines[0]}\n!!!!\n${lines.at(-1)}`,
      twice: `${private_key}${private_key}`,
    };
    const files: Readonly<Record<string, string>> = {
      ...{ "a key of webmaster tools": WEBMASTER_KEY, "cut off": whole.slice(0, -1) },
      "too large": `${whole}${" ".repeat(70_000)}`,
      ...Object.fromEntries(
        ["", "{ nothing", "[]", "null", '"x"', '{"installed":{}}', '{"web":{}}', '{"private_key":""}'].map(
          (text) => [text, text],
        ),
      ),
      ...Object.fromEntries(
        [
          ...["authorized_user", "external_account", canary, undefined].map((type) => ({ type })),
          ...["", canary, 7, null, "a b@c", "a@b@c"].map((client_email) => ({ client_email })),
          ...[`http://${canary}`, undefined].map((token_uri) => ({ token_uri })),
        ].map((change) => [`${Object.entries(change)[0]?.join(" ")}`, changed(change)]),
      ),
      "a long address": changed({ client_email: `${"x".repeat(400)}@y` }),
      "a long id of the key": changed({ private_key_id: "k".repeat(201) }),
      ...Object.fromEntries(
        Object.entries(keys).map(([what, key]) => [`key ${what}`, changed({ private_key: key })]),
      ),
    };
    const said = new Map<string, readonly string[]>();
    for (const [what, text] of Object.entries(files)) said.set(what, await refusals(text));
    recordEach([...said.keys()], (what) => said.get(what));
    expect([...said.values()].join()).not.toContain(canary);
    const bing = await readCredentialFile("webmaster-tools", whole, GOOGLE);
    expect(bing.ok || bing.faults).toEqual([
      "This is the key file of a Google account, no key of webmaster tools: add it as one of analytics or search console.",
    ]);
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
          expect((await refusals(text)).length).toBeGreaterThan(0);
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
      expect(await refusals(changed({ token_uri }))).toEqual([expect.stringMatching(/^token_uri: /)]);
    }
  });

  test("may be another one while one of the base addresses of Google's APIs leads away from Google", async () => {
    for (const setting of ["ANALYTICS_DATA_URL", "ANALYTICS_ADMIN_URL", "SEARCH_CONSOLE_URL"]) {
      const { providers } = readConfig({ [setting]: "http://127.0.0.1:9" });
      expect(isTokenAddress("http://127.0.0.1:9/token", providers)).toBe(true);
      expect(isTokenAddress("https://oauth2.googleapis.com/token", providers)).toBe(true);
    }
    expect(await refusals(changed({ token_uri: "http://127.0.0.1:9/token" }), SIMULATED)).toStrictEqual([]);
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
