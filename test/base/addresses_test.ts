import { describe, expect, test } from "bun:test";
import { addressRange } from "../../src/base/hosts.ts";

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
