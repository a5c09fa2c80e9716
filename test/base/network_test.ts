import { describe, expect, test } from "bun:test";
import { networkOf } from "../../src/base/outbound.ts";

describe("one place on the network", () => {
  test("is an IPv4 address, also one written as IPv6", () => {
    expect(networkOf("192.0.2.7")).toBe("192.0.2.7");
    expect(networkOf("::ffff:192.0.2.7")).toBe("192.0.2.7");
    expect(networkOf("::ffff:c000:207")).toBe("192.0.2.7");
  });

  test("is the first 64 bits of an IPv6 address, in any spelling", () => {
    const same = [
      "2001:db8:0:1::1",
      "2001:0db8:0000:0001:ffff::2",
      "2001:DB8:0:1:1:2:3:4",
      "2001:db8:0:1::192.0.2.7",
    ];
    expect(new Set(same.map(networkOf))).toEqual(new Set(["2001:db8:0:1::/64"]));
    expect(networkOf("2001:db8:0:2::1")).toBe("2001:db8:0:2::/64");
    expect(networkOf("fe80::1%eth0")).toBe("fe80:0:0:0::/64");
    expect(networkOf("::1")).toBe("0:0:0:0::/64");
  });

  test("is the text itself where it is no address", () => {
    expect(networkOf("")).toBe("");
    expect(networkOf("unknown")).toBe("unknown");
  });
});
