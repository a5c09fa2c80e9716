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
import { recordEach } from "../support/mixtures.ts";
import { CALLER, operatorDeps } from "../support/operators.ts";
import { texts, words } from "../support/words.ts";

const isTrusted = namingPeers(["10.0.0.2", "fd00::5"]);
const TRUSTED = { header: "x-remote-user", isTrusted, secret: undefined };
const nameIn = (headers: Headers, peer: string, more: Partial<Trusted> = {}) => {
  const named = trustedName(headers, peer, { ...TRUSTED, ...more });
  return typeof named === "object" ? named.name : named;
};
const nameFrom = (peer: string, value: string, more: Partial<Trusted> = {}) =>
  nameIn(new Headers({ "x-remote-user": value }), peer, more);

describe("trusted header (decisions 2)", () => {
  const SECRET = "harbour-of-the-proxy-0123456789";
  const onTheWire = (name: string) => Buffer.from(name, "utf8").toString("latin1");

  test("names the operator when it comes from loopback or a listed proxy, and then behind its secret where there is one: recorded", () => {
    const trusted = words("127.0.0.1 127.8.9.1 ::1 ::ffff:127.0.0.1 10.0.0.2 ::ffff:10.0.0.2 fd00:0:0::5");
    const strangers = ["10.0.0.3", "192.0.2.1", "fd00::6", "", "localhost", "10.0.0.2.evil"];
    const names = ["Zoë", "Simões", "Łukasz", "Дана"].map(onTheWire);
    const none = ["", "a,b", "<b>", "x".repeat(65)];
    recordEach([...trusted, ...strangers], (peer) => nameFrom(peer, "ada"));
    // In UTF-8 as most proxies write them, or in Latin-1.
    recordEach([...names, "Zo\u00eb", ...none], (value) => nameFrom("127.0.0.1", value));
    const behind = [`${SECRET} ada`, `${SECRET}  ada lovelace`, `${SECRET} `, `${SECRET} ada, eve`];
    const unproved = [
      "ada",
      "",
      `${SECRET}x ada`,
      `${SECRET.slice(1)} ada`,
      `ada ${SECRET}`,
      ` eve, ${SECRET} ada`,
    ];
    recordEach([...behind, ...unproved], (value) => nameFrom("127.0.0.1", value, { secret: SECRET }));
    expect(nameFrom("192.0.2.1", `${SECRET} ada`, { secret: SECRET })).toBeUndefined();
    expect(nameFrom("127.0.0.1", "ada", { header: undefined })).toBeUndefined();
  });

  test("absent or twice it is nobody, and unproved where one of them has no secret", () => {
    const twice = (one: string, other: string) =>
      new Headers([
        ["x-remote-user", one],
        ["x-remote-user", other],
      ]);
    expect(nameIn(new Headers(), "127.0.0.1")).toBeUndefined();
    expect(nameIn(twice("ada", "eve"), "127.0.0.1")).toBeUndefined();
    expect(nameIn(twice("eve", `${SECRET} ada`), "127.0.0.1", { secret: SECRET })).toBe("unproved");
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

  test("the caller's address is what a believed proxy says, and never what a stranger says: recorded", () => {
    const hops = texts(
      "203.0.113.9, 198.51.100.4, 10.0.0.2|unknown|198.51.100.4:55001|[2001:db8::7]:443|[2001:db8::7]",
      // Behind a hop that is no address everything may be the caller's own words.
      "203.0.113.9, unknown|203.0.113.9, , 10.0.0.2",
    );
    const addressOf = (peer: string, through: string, isBelieved: (peer: string) => boolean) =>
      clientAddress(new Headers({ "x-forwarded-for": through }), peer, isBelieved);
    recordEach(hops, (through) =>
      ["127.0.0.1", "192.0.2.1"].map((peer) => addressOf(peer, through, isTrusted)),
    );
    expect(clientAddress(new Headers(), "", isTrusted)).toBe("");
    const ranges = texts(
      "|10.0.0.2|127.0.0.1|10.0.0.0/8 10.9.8.7|10.0.0.0/8 ::ffff:10.9.8.7|::ffff:10.0.0.0/104 10.9.8.7",
      "2001:db8::/32 2001:db8:7::9|10.0.0.0/8 11.9.8.7",
    );
    recordEach(ranges, (one) => {
      const [range = "", peer = "127.0.0.1"] = one.split(" ");
      return addressOf(peer, "203.0.113.9", forwardingPeers(range === "" ? [] : [range]));
    });
  });
});
