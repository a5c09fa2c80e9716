import { describe, expect, test } from "bun:test";
import { ownOrigins } from "../../src/tower/session.ts";

describe("our own origins", () => {
  test("are the loopback names with the port, and never without: another port is another program", () => {
    const origins = ownOrigins({
      bound: "127.0.0.1",
      port: 4611,
      published: undefined,
      allowed: [],
      addresses: () => [],
    });
    expect([...origins].sort()).toEqual([
      "http://127.0.0.1:4611",
      "http://[::1]:4611",
      "http://localhost:4611",
    ]);
  });

  test("hold the published address and the allowed names, and no wildcard", () => {
    const origins = ownOrigins({
      bound: "0.0.0.0",
      port: 4611,
      published: "https://tower.example/",
      allowed: ["tower.internal", "localhost:8080", "fd00::8"],
      addresses: () => ["192.0.2.7", "fd00::7"],
    });
    for (const origin of [
      "https://tower.example",
      "http://tower.internal:4611",
      "https://tower.internal",
      "http://localhost:8080",
      "http://[fd00::8]:4611",
      "http://192.0.2.7:4611",
      "http://[fd00::7]:4611",
    ]) {
      expect(origins.has(origin)).toBe(true);
    }
    expect([...origins].some((origin) => origin.includes("0.0.0.0"))).toBe(false);
    expect(origins.has("http://tower.internal")).toBe(false);
  });

  test("a port that is the scheme's own is left out, as browsers do", () => {
    expect(
      ownOrigins({
        bound: "127.0.0.1",
        port: 80,
        published: undefined,
        allowed: [],
        addresses: () => [],
      }).has("http://localhost"),
    ).toBe(true);
  });
});
