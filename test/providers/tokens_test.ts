import { beforeAll, describe, expect, test } from "bun:test";
import { verify } from "node:crypto";
import { readConfig } from "../../src/base/config.ts";
import type { HttpRequest, HttpResult } from "../../src/base/http_client.ts";
import { parseServiceAccount } from "../../src/providers/given_file.ts";
import { type GoogleScope, GoogleTokens, type TokenAsker } from "../../src/providers/google.ts";
import type { GoogleAccount } from "../../src/providers/sealing.ts";
import { FakeClock } from "../support/clock.ts";
import { answered, type ScriptedHttp, scriptedHttp } from "../support/http.ts";
import { rsaPair, serviceAccountFile } from "../support/service_account.ts";
import { until } from "../support/until.ts";

const ANALYTICS: GoogleScope = "https://www.googleapis.com/auth/analytics.readonly";
const WEBMASTERS: GoogleScope = "https://www.googleapis.com/auth/webmasters.readonly";
const { providers: addresses } = readConfig({});
const issued = (nth: number, expires_in = 3_599) =>
  answered(200, { access_token: `token-${nth}`, expires_in, token_type: "Bearer" });

let account: GoogleAccount;
beforeAll(async () => {
  const read = await parseServiceAccount(serviceAccountFile(), addresses);
  if (!read.ok) throw new Error("the file is refused");
  account = read.value;
});

/** Tokens whose exchanges are answered by `answer`. */
function desk(
  answer: (nth: number, request: HttpRequest) => HttpResult | Promise<HttpResult> = (nth) => issued(nth),
) {
  const http: ScriptedHttp = scriptedHttp((request, nth) => answer(nth, request));
  const clock = new FakeClock();
  const tokens = new GoogleTokens();
  const asker: TokenAsker = {
    http,
    addresses,
    now: () => clock.now(),
    signal: new AbortController().signal,
    connectionRevision: "one",
  };
  const token = async (change: Partial<TokenAsker> = {}, scope = ANALYTICS) => {
    const got = await tokens.token({ ...asker, ...change }, account, scope);
    return got.ok ? `${got.token} ${got.requests}` : `${got.fault.code} ${got.requests}`;
  };
  return { http, clock, tokens, asker, token };
}

describe("an exchange", () => {
  test("sends an assertion that the account's key signed, for an hour, to the address of its file", async () => {
    const { http, token, clock } = desk();
    await token();
    const [{ url, method, headers, body }] = http.sent as unknown as [HttpRequest];
    expect([url, method, headers]).toEqual([
      "https://oauth2.googleapis.com/token",
      "POST",
      { "content-type": "application/x-www-form-urlencoded", accept: "application/json" },
    ]);
    const form = new URLSearchParams(String(body));
    expect(form.get("grant_type")).toBe("urn:ietf:params:oauth:grant-type:jwt-bearer");
    const [header = "", claims = "", signature = ""] = (form.get("assertion") ?? "").split(".");
    const read = (part: string) => JSON.parse(Buffer.from(part, "base64url").toString()) as unknown;
    expect(read(header)).toEqual({ alg: "RS256", typ: "JWT", kid: "id-of-first" });
    const iat = clock.now() / 1_000;
    expect(read(claims)).toEqual({
      iss: account.clientEmail,
      scope: ANALYTICS,
      aud: "https://oauth2.googleapis.com/token",
      iat,
      exp: iat + 3_600,
    });
    const signed = Buffer.from(`${header}.${claims}`);
    expect(verify("RSA-SHA256", signed, rsaPair().publicKey, Buffer.from(signature, "base64url"))).toBe(true);
  });

  test("is not begun with an address that is not taken any more", async () => {
    const file = serviceAccountFile({ tokenUri: "http://127.0.0.1:9/token" });
    const simulated = readConfig({ ANALYTICS_DATA_URL: "http://127.0.0.1:9" }).providers;
    const read = await parseServiceAccount(file, simulated);
    const { tokens, asker, http } = desk();
    const got = read.ok ? await tokens.token(asker, read.value, ANALYTICS) : undefined;
    expect(got).toMatchObject({
      ok: false,
      fault: { category: "configuration", code: "token_address_refused" },
    });
    expect(http.sent).toStrictEqual([]);
  });
});

describe("a token", () => {
  test("is kept for its connection, key and scope, and replaced two minutes before it ends", async () => {
    const { token, tokens, asker, clock } = desk();
    expect(await token()).toBe("token-0 1");
    expect(await token()).toBe("token-0 0");
    expect(await token({}, WEBMASTERS)).toBe("token-1 1");
    expect(await token({ connectionRevision: "two" })).toBe("token-2 1");
    const other = await parseServiceAccount(serviceAccountFile({ key: "second" }), addresses);
    const got = other.ok ? await tokens.token(asker, other.value, ANALYTICS) : undefined;
    expect(got).toMatchObject({ token: "token-3", requests: 1 });
    clock.advance((3_599 - 121) * 1_000);
    expect(await token()).toBe("token-0 0");
    clock.advance(1_000);
    expect(await token()).toBe("token-4 1");
  });

  test("that lasts less than that is used for most of its time", async () => {
    const { token, clock } = desk((nth) => issued(nth, 60));
    expect(await token()).toBe("token-0 1");
    clock.advance(44_000);
    expect(await token()).toBe("token-0 0");
    clock.advance(1_000);
    expect(await token()).toBe("token-1 1");
  });

  test("is exchanged once for all who ask at one time", async () => {
    const { token, http } = desk();
    expect(await Promise.all([token(), token(), token()])).toEqual(["token-0 1", "token-0 0", "token-0 0"]);
    expect(http.sent).toHaveLength(1);
  });

  test("that was refused is forgotten, unless it was replaced meanwhile", async () => {
    const { token, tokens, asker } = desk();
    await token();
    tokens.drop(asker, account, ANALYTICS, "token-0");
    expect(await token()).toBe("token-1 1");
    tokens.drop(asker, account, ANALYTICS, "token-0");
    expect(await token()).toBe("token-1 0");
  });
});

describe("giving up", () => {
  test("who leaves takes the exchange from nobody else", async () => {
    const answers: PromiseWithResolvers<HttpResult>[] = [];
    const { token, http } = desk((nth) => {
      const answer = Promise.withResolvers<HttpResult>();
      answers[nth] = answer;
      return answer.promise;
    });
    const [one, two] = [new AbortController(), new AbortController()];
    const first = token({ signal: one.signal });
    const second = token({ signal: two.signal });
    await until(
      async () => http.sent.length,
      (sent) => sent === 1,
    );
    one.abort();
    expect(await first).toBe("stopped 0");
    answers[0]?.resolve(issued(0));
    expect(await second).toBe("token-0 0");
  });

  test("who has left already begins nothing", async () => {
    const { token, http } = desk();
    expect(await token({ signal: AbortSignal.abort() })).toBe("stopped 0");
    expect(http.sent).toStrictEqual([]);
  });
});
