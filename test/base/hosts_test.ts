import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import {
  acceptableHosts,
  addressRange,
  type HostNames,
  hostsOf,
  unknownHost,
  unknownHostDetail,
} from "../../src/base/hosts.ts";
import { shared } from "../support/fresh.ts";
import { recordEach } from "../support/mixtures.ts";
import { expectProblem } from "../support/problem.ts";
import { testTower } from "../support/test_tower.ts";
import { texts } from "../support/words.ts";

/** Names of a listener on port 4610, and what is asked for. */
const NAMED: readonly (readonly [Partial<HostNames>, string])[] = [
  [
    {},
    "127.0.0.1 127.0.0.1:4610 127.0.0.1:4611 127.0.0.1:80 localhost localhost:4610 localhost:80 [::1] [::1]:4610 [::1]:80 192.0.2.7:4610",
  ],
  [{ bound: "192.0.2.7" }, "192.0.2.7:4610"],
  [{ bound: "2001:db8::7" }, "[2001:db8::7]"],
  [{ bound: "[2001:db8::7]" }, "[2001:db8::7]:4610"],
  [
    { published: "https://Tower.Example:8443/app" },
    "tower.example tower.example:8443 tower.example:4610 tower.example:443",
  ],
  [{ published: "https://tower.example" }, "tower.example:443 tower.example:80"],
  [{ published: "http://[fd00::7]" }, "[fd00::7]:80 [fd00::7]:443"],
  [{ allowed: ["Tower.Internal"] }, "tower.internal tower.internal:4610 tower.internal:9"],
  [{ allowed: ["proxy:9"] }, "proxy proxy:9 proxy:4610"],
  [{ allowed: ["fd00::7"] }, "[fd00::7] [fd00::7]:4610"],
  [{ allowed: ["[fd00::7]:9"] }, "[fd00::7]:9 [fd00::7]"],
  // What stands for every address is never a Host.
  ...["0.0.0.0", "[::]"].flatMap((any) =>
    [
      { bound: any },
      { allowed: [any] },
      { allowed: [`${any}:4610`] },
      { published: `http://${any}:4610` },
    ].map((names) => [names, `${any} ${any}:4610`] as const),
  ),
  [
    { bound: "0.0.0.0", addresses: () => ["192.0.2.7", "fd00::7"] },
    "192.0.2.7 192.0.2.7:4610 [fd00::7]:4610 192.0.2.7:80 192.0.2.8",
  ],
];

describe("which Host names pass (decisions 2)", () => {
  test("of the loopback, the bound, the published and the allowed ones, recorded", () => {
    const usual = { bound: "127.0.0.1", port: 4610, published: undefined, allowed: [], addresses: () => [] };
    recordEach(NAMED, ([names, asked]) => {
      const hosts = acceptableHosts({ ...usual, ...names });
      return asked.split(" ").filter((host) => hosts.has(host));
    });
  });

  test("an address that the machine gets later passes; a name never does, and is not looked up", () => {
    const addresses = ["192.0.2.7"];
    let asked = 0;
    const hosts = hostsOf({
      bound: "::",
      addresses: () => {
        asked++;
        return [...addresses];
      },
      port: 4610,
      published: undefined,
      allowed: [],
    });
    expect(hosts.has("192.0.2.8:4610")).toBe(false);
    addresses.push("192.0.2.8");
    expect(["192.0.2.8:4610", "192.0.2.8"].map((host) => hosts.has(host))).toEqual([true, true]);
    const before = asked;
    expect(["evil.example", "192.0.2.8.evil.example"].map((host) => hosts.has(host))).toEqual([false, false]);
    expect(asked).toBe(before);
  });
});

test("an address is a range of one; CIDR gives the first bits; anything else is none: recorded", () => {
  const given = texts(
    "10.0.0.2|fd00::/8|0.0.0.0/0||abc|proxy.example|10.0.0|10.0.0.2/32|10.0.0.2/33|10.0.0.2/-1|10.0.0.2/08",
    "::1/128|::1/129|10.0.0.2/8/8|/8",
  );
  recordEach(given, addressRange);
});

const PORT = 4611;
const PAGE = { accept: "text/html,application/xhtml+xml,*/*;q=0.8" };

describe("what whoever asks under an unknown name is told", () => {
  test("the setting that makes it a name of ours; through a tunnel, the one that needs no setting", () => {
    expect(unknownHost("LocalHost:9999", PORT)).toEqual({
      asked: "localhost:9999",
      setting: "ALLOWED_HOSTS=localhost:9999",
      tunnel: "ssh -L 4611:127.0.0.1:4611",
    });
    expect(unknownHost(`${"longest.".repeat(31)}tower:4611`, PORT)).toMatchObject({ tunnel: null });
    expect(unknownHostDetail(unknownHost("127.0.0.1:8080", PORT))).toBe(
      "127.0.0.1:8080 is not one of this service's names; the setting ALLOWED_HOSTS=127.0.0.1:8080 makes it one. A tunnel with the same port at both ends needs no setting: ssh -L 4611:127.0.0.1:4611 <computer>.",
    );
  });

  test("nothing is made of what is no name, or can be none of ours", () => {
    const none = ["", "a b", "a/b", "<b>", "a@b", "0.0.0.0:4611", "[::]", "::1", "x:99999", "x".repeat(300)];
    for (const host of [null, ...none]) expect(unknownHost(host, PORT)).toBeUndefined();
    expect(unknownHostDetail(undefined)).toContain("ALLOWED_HOSTS");
  });

  test("a setting that is told helps: the name passes with it, whatever was asked", () => {
    const part = fc.stringMatching(/^[A-Za-z0-9._:[\]-]{1,20}$/);
    const host = fc.oneof(
      part,
      fc.tuple(part, fc.nat(70_000)).map(([name, port]) => `${name}:${port}`),
      fc.ipV6(),
      fc.string(),
    );
    fc.assert(
      fc.property(host, (asked) => {
        const unknown = unknownHost(asked, PORT);
        if (unknown === undefined) return;
        expect(unknown.asked).toMatch(/^[a-z0-9.:_[\]-]{1,266}$/);
        const allowed = [unknown.setting.slice("ALLOWED_HOSTS=".length)];
        const names = { bound: "127.0.0.1", port: PORT, published: undefined, addresses: () => [], allowed };
        expect(acceptableHosts(names).has(asked.toLowerCase())).toBe(true);
      }),
      { seed: 9, numRuns: 2_000 },
    );
  });
});

describe("an unknown Host at the Tower", () => {
  const settings = { TOWER_PUBLIC_URL: "https://secret-name.example" };
  const service = shared(() => testTower({ settings }));
  const ask = (host: string, headers: Readonly<Record<string, string>> = {}, method = "GET") =>
    service.tower(new Request("http://localhost:4611/sites/x", { method, headers: { host, ...headers } }));

  test("a person's browser gets a page with the setting, and 421: no link, no file, no script and no name of ours, and nobody keeps it", async () => {
    const response = await ask("evil.example:9999", PAGE);
    const { headers } = response;
    const told = ["content-type", "cache-control", "connection", "set-cookie"].map((name) =>
      headers.get(name),
    );
    expect([response.status, ...told]).toEqual([421, "text/html; charset=utf-8", "no-store", "close", null]);
    expect(headers.get("content-security-policy")).toStartWith("default-src 'none'");
    const text = await response.text();
    expect(text).toContain("ALLOWED_HOSTS=evil.example:9999");
    expect(text).not.toMatch(/<(?:a|script|link|img|form|style|base)\b|https?:|secret-name|4611/i);
    expect(await (await ask("localhost:9999", PAGE)).text()).toContain("ssh -L 4611:127.0.0.1:4611");
  });

  test("programs, forms, htmx's own requests and what is no name get the problem document", async () => {
    for (const response of [
      await ask("evil.example"),
      await ask("evil.example", { accept: "*/*" }),
      await ask("evil.example", PAGE, "POST"),
      await ask("<b>.example", PAGE),
    ]) {
      await expectProblem(response, "unknown-host");
    }
  });
});
