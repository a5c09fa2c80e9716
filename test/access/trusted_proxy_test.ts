import { describe, expect, test } from "bun:test";
import { issueServiceToken } from "../../src/access/api_tokens.ts";
import { listNewest as listAudit } from "../../src/access/audit.ts";
import {
  admitTrusted,
  clientAddress,
  forwardingPeers,
  namingPeers,
  signIn,
  type Trusted,
  trustedName,
} from "../../src/access/sign_in.ts";
import { CALLER, operatorDeps } from "../support/operators.ts";

const isTrusted = namingPeers(["10.0.0.2", "fd00::5"]);
const TRUSTED = { header: "x-remote-user", isTrusted, secret: undefined };
const nameIn = (headers: Headers, peer: string, more: Partial<Trusted> = {}) => {
  const named = trustedName(headers, peer, { ...TRUSTED, ...more });
  return typeof named === "object" ? named.name : named;
};
const nameFrom = (peer: string, value: string, more: Partial<Trusted> = {}) =>
  nameIn(new Headers({ "x-remote-user": value }), peer, more);

describe("trusted header (decisions 2)", () => {
  test("names the operator when it comes from loopback or a listed proxy, in any spelling", () => {
    for (const peer of [
      "127.0.0.1",
      "127.8.9.1",
      "::1",
      "::ffff:127.0.0.1",
      "10.0.0.2",
      "::ffff:10.0.0.2",
      "fd00:0:0::5",
    ]) {
      expect(nameFrom(peer, "ada")).toBe("ada");
    }
  });

  test("is ignored from anywhere else, without an address, and when it is off", () => {
    for (const peer of ["10.0.0.3", "192.0.2.1", "fd00::6", "", "localhost", "10.0.0.2.evil"]) {
      expect(nameFrom(peer, "ada")).toBeUndefined();
    }
    expect(nameFrom("127.0.0.1", "ada", { header: undefined })).toBeUndefined();
  });

  test("a name of other letters is read as it was written, in UTF-8 as most proxies do or in Latin-1", () => {
    const onTheWire = (name: string) => Buffer.from(name, "utf8").toString("latin1");
    for (const name of ["Zoë", "Simões", "Łukasz", "Дана"]) {
      expect(nameFrom("127.0.0.1", onTheWire(name))).toBe(name);
    }
    expect(nameFrom("127.0.0.1", "Zo\u00eb")).toBe("Zoë");
  });

  test("absent, empty, twice or no name is nobody", () => {
    expect(nameIn(new Headers(), "127.0.0.1")).toBeUndefined();
    const twice = new Headers([
      ["x-remote-user", "ada"],
      ["x-remote-user", "eve"],
    ]);
    expect(nameIn(twice, "127.0.0.1")).toBeUndefined();
    for (const value of ["", "a,b", "<b>", "x".repeat(65)])
      expect(nameFrom("127.0.0.1", value)).toBeUndefined();
  });

  test("with a secret, only the name behind it: what a forgetful proxy hands on is a caller's own", () => {
    const secret = "harbour-of-the-proxy-0123456789";
    const named = (value: string, peer = "127.0.0.1") => nameFrom(peer, value, { secret });
    expect(named(`${secret} ada`)).toBe("ada");
    expect(named(`${secret}  ada lovelace`)).toBe("ada lovelace");
    expect(named(`${secret} `)).toBeUndefined();
    expect(named(`${secret} ada`, "192.0.2.1")).toBeUndefined();
    for (const value of [
      "ada",
      "",
      `${secret}x ada`,
      `${secret.slice(1)} ada`,
      `ada ${secret}`,
      ` eve, ${secret} ada`,
    ]) {
      expect(named(value)).toBe("unproved");
    }
    expect(named(`${secret} ada, eve`)).toBeUndefined();
    const added = new Headers([
      ["x-remote-user", "eve"],
      ["x-remote-user", `${secret} ada`],
    ]);
    expect(nameIn(added, "127.0.0.1", { secret })).toBe("unproved");
  });

  test("an unknown name is added on first sight, once, without a password, and audited", async () => {
    const deps = operatorDeps();
    const [first, second] = await Promise.all([admitTrusted(deps, "ada"), admitTrusted(deps, "ada")]);
    expect(first).toMatchObject({ name: "ada", kind: "person" });
    expect(second).toEqual(first);
    expect(listAudit(deps.store.db, { limit: 9 })).toMatchObject([
      { act: "operator.add", actor: "trusted-header", target: "ada" },
    ]);
    for (const password of ["", "ada"]) {
      expect(await signIn(deps, { name: "ada", password, caller: CALLER })).toMatchObject({ ok: false });
    }
  });

  test("a service operator's name opens nothing", async () => {
    const deps = operatorDeps();
    await issueServiceToken(deps, "ci", ["read"], { actor: "command-line", now: 0 });
    expect(await admitTrusted(deps, "ci")).toBeUndefined();
  });

  test("the caller's address is what a believed proxy says, and never what a stranger says", () => {
    const headers = new Headers({ "x-forwarded-for": "203.0.113.9, 198.51.100.4, 10.0.0.2" });
    expect(clientAddress(headers, "127.0.0.1", isTrusted)).toBe("198.51.100.4");
    expect(clientAddress(headers, "192.0.2.1", isTrusted)).toBe("192.0.2.1");
    expect(clientAddress(new Headers({ "x-forwarded-for": "unknown" }), "127.0.0.1", isTrusted)).toBe(
      "127.0.0.1",
    );
    expect(clientAddress(new Headers(), "", isTrusted)).toBe("");
    const through = (hops: string) =>
      clientAddress(new Headers({ "x-forwarded-for": hops }), "127.0.0.1", isTrusted);
    expect(["198.51.100.4:55001", "[2001:db8::7]:443", "[2001:db8::7]"].map(through)).toEqual([
      "198.51.100.4",
      "2001:db8::7",
      "2001:db8::7",
    ]);
    // Behind a hop that is no address everything may be the caller's own words.
    expect(through("203.0.113.9, unknown")).toBe("127.0.0.1");
    expect(through("203.0.113.9, , 10.0.0.2")).toBe("127.0.0.1");
  });

  test("while no proxy is listed no forwarding header is believed, not even from loopback", () => {
    const headers = new Headers({ "x-forwarded-for": "203.0.113.9" });
    expect(clientAddress(headers, "127.0.0.1", forwardingPeers([]))).toBe("127.0.0.1");
    expect(clientAddress(headers, "127.0.0.1", forwardingPeers(["10.0.0.2"]))).toBe("127.0.0.1");
    expect(clientAddress(headers, "127.0.0.1", forwardingPeers(["127.0.0.1"]))).toBe("203.0.113.9");
    expect(clientAddress(headers, "10.9.8.7", forwardingPeers(["10.0.0.0/8"]))).toBe("203.0.113.9");
    for (const [range, peer] of [
      ["10.0.0.0/8", "::ffff:10.9.8.7"],
      ["::ffff:10.0.0.0/104", "10.9.8.7"],
      ["2001:db8::/32", "2001:db8:7::9"],
    ] as const) {
      expect(clientAddress(headers, peer, forwardingPeers([range]))).toBe("203.0.113.9");
    }
    expect(clientAddress(headers, "11.9.8.7", forwardingPeers(["10.0.0.0/8"]))).toBe("11.9.8.7");
  });
});
