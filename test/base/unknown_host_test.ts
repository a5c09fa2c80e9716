import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { acceptableHosts, unknownHost, unknownHostDetail } from "../../src/base/hosts.ts";
import { expectProblem } from "../support/problem.ts";
import { testTower } from "../support/test_tower.ts";

const PORT = 4611;
const PAGE = { accept: "text/html,application/xhtml+xml,*/*;q=0.8" };

describe("what whoever asks under an unknown name is told", () => {
  test("the setting that makes it a name of ours; through a tunnel, the one that needs no setting", () => {
    expect(unknownHost("LocalHost:9999", PORT)).toEqual({
      asked: "localhost:9999",
      setting: "ALLOWED_HOSTS=localhost:9999",
      tunnel: "ssh -L 4611:127.0.0.1:4611",
    });
    expect(unknownHost("tower.example", PORT)).toMatchObject({ tunnel: null });
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
