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
import { expectProblem } from "../support/problem.ts";
import { testTower } from "../support/test_tower.ts";

function accepts(host: string, names: Partial<HostNames> = {}): boolean {
  return acceptableHosts({
    bound: "127.0.0.1",
    port: 4610,
    published: undefined,
    allowed: [],
    addresses: () => [],
    ...names,
  }).has(host);
}

describe("which Host names pass (decisions 2)", () => {
  test("the loopback names, with the listener's port or none", () => {
    for (const name of ["127.0.0.1", "localhost", "[::1]"]) {
      expect([name, `${name}:4610`, `${name}:4611`, `${name}:80`].map((host) => accepts(host))).toEqual([
        true,
        true,
        false,
        false,
      ]);
    }
  });

  test("the bound address, bracketed when it is of IPv6", () => {
    expect(accepts("192.0.2.7:4610", { bound: "192.0.2.7" })).toBe(true);
    expect(accepts("192.0.2.7:4610")).toBe(false);
    expect(accepts("[2001:db8::7]", { bound: "2001:db8::7" })).toBe(true);
    expect(accepts("[2001:db8::7]:4610", { bound: "[2001:db8::7]" })).toBe(true);
  });

  test("the published address, with its own port, the listener's or none", () => {
    const published = "https://Tower.Example:8443/app";
    expect(
      ["tower.example", "tower.example:8443", "tower.example:4610", "tower.example:443"].map((host) =>
        accepts(host, { published }),
      ),
    ).toEqual([true, true, true, false]);
  });

  test("allowed names, with the port they were given or the listener's or none", () => {
    expect(
      ["tower.internal", "tower.internal:4610", "tower.internal:9"].map((host) =>
        accepts(host, { allowed: ["Tower.Internal"] }),
      ),
    ).toEqual([true, true, false]);
    expect(["proxy", "proxy:9", "proxy:4610"].map((host) => accepts(host, { allowed: ["proxy:9"] }))).toEqual(
      [false, true, false],
    );
    expect(["[fd00::7]", "[fd00::7]:4610"].map((host) => accepts(host, { allowed: ["fd00::7"] }))).toEqual([
      true,
      true,
    ]);
    expect(["[fd00::7]:9", "[fd00::7]"].map((host) => accepts(host, { allowed: ["[fd00::7]:9"] }))).toEqual([
      true,
      false,
    ]);
  });

  test("0.0.0.0 and its IPv6 form are never a Host, wherever they are named", () => {
    for (const [name, written] of [
      ["0.0.0.0", "0.0.0.0"],
      ["::", "[::]"],
      ["[::]", "[::]"],
    ] as const) {
      for (const names of [
        { bound: name },
        { allowed: [name] },
        { allowed: [`${written}:4610`] },
        { published: `http://${written}:4610` },
      ]) {
        expect(accepts(written, names)).toBe(false);
        expect(accepts(`${written}:4610`, names)).toBe(false);
      }
    }
  });

  test("bound to every address of the machine, each of them, with the listener's port or none", () => {
    const names = { bound: "0.0.0.0", addresses: () => ["192.0.2.7", "fd00::7"] };
    expect(
      ["192.0.2.7", "192.0.2.7:4610", "[fd00::7]:4610", "192.0.2.7:80", "192.0.2.8"].map((host) =>
        accepts(host, names),
      ),
    ).toEqual([true, true, true, false, false]);
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

describe("address ranges", () => {
  test("an address is a range of one; CIDR gives the first bits", () => {
    expect(addressRange("10.0.0.2")).toEqual({ address: "10.0.0.2", prefix: 32, family: "ipv4" });
    expect(addressRange("fd00::/8")).toEqual({ address: "fd00::", prefix: 8, family: "ipv6" });
    expect(addressRange("0.0.0.0/0")?.prefix).toBe(0);
  });

  test("anything else is none", () => {
    const wrong = [
      "",
      "abc",
      "proxy.example",
      "10.0.0",
      "10.0.0.2/33",
      "10.0.0.2/-1",
      "10.0.0.2/08",
      "::1/129",
      "10.0.0.2/8/8",
      "/8",
    ];
    for (const text of wrong) expect(addressRange(text)).toBeUndefined();
  });
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
    for (const host of [
      null,
      "",
      "a b",
      "a/b",
      "<b>",
      "a@b",
      "0.0.0.0:4611",
      "[::]",
      "::1",
      "x:99999",
      "x".repeat(300),
    ]) {
      expect(unknownHost(host, PORT)).toBeUndefined();
    }
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
  const ask = async (host: string, headers: Readonly<Record<string, string>> = {}, method = "GET") => {
    const tower = await testTower({ settings: { TOWER_PUBLIC_URL: "https://secret-name.example" } });
    try {
      return await tower.tower(
        new Request("http://localhost:4611/sites/x", { method, headers: { host, ...headers } }),
      );
    } finally {
      await tower.close();
    }
  };

  test("a person's browser gets a page with the setting, and 421", async () => {
    const response = await ask("localhost:9999", PAGE);
    expect([response.status, response.headers.get("content-type")]).toEqual([
      421,
      "text/html; charset=utf-8",
    ]);
    const text = await response.text();
    expect(text).toContain("ALLOWED_HOSTS=localhost:9999");
    expect(text).toContain("ssh -L 4611:127.0.0.1:4611");
  });

  test("which holds no link, no file, no script and no name of ours, and which nobody keeps", async () => {
    const response = await ask("evil.example", PAGE);
    const text = await response.text();
    expect(text).not.toMatch(/<(?:a|script|link|img|form|style|base)\b|https?:|secret-name/i);
    expect(text).not.toContain("4611");
    expect(response.headers.get("content-security-policy")).toStartWith("default-src 'none'");
    expect(response.headers.get("cache-control")).toBe("no-store");
    expect(response.headers.get("connection")).toBe("close");
    expect(response.headers.has("set-cookie")).toBe(false);
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
