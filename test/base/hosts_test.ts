import { describe, expect, test } from "bun:test";
import { acceptableHosts, type HostNames, hostsOf } from "../../src/base/hosts.ts";

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
