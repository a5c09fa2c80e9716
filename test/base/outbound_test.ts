import { describe, expect, test } from "bun:test";
import { isIPv6 } from "node:net";
import {
  addressFault,
  checkedAddress,
  networkOf,
  type OutboundRules,
  outboundRequest,
} from "../../src/base/outbound.ts";
import { selfSigned } from "../support/certificate.ts";
import { recordEach } from "../support/mixtures.ts";
import { texts, words } from "../support/words.ts";

const resolved = (addresses: readonly string[] = []) => addresses.map((address) => ({ address }));
const rulesOf = (addresses: readonly string[], allowedHosts: readonly string[] = []): OutboundRules => ({
  allowedHosts,
  resolve: async () => resolved(addresses),
});

/** Spellings that a URL or a resolver turns into an address beyond the public internet; the first ones mean this machine. */
const LITERALS = `
  127.0.0.1 127.1 127.0.1 2130706433 0x7f000001 0x7f.1 0x7F.0x0.0x0.0x1 017700000001 0177.0.0.1
  0177.0x0.0.1 127.0.0.1. 127。0。0。1 ①②⑦.⓪.⓪.① １２７.0.0.1 %31%32%37.0.0.1 127.255.255.254 0 0.0.0.0 0x0
  [::1] [::] [0:0:0:0:0:0:0:1] [::ffff:127.0.0.1] [::ffff:7f00:1] [::127.0.0.1]
  [0:0:0:0:0:ffff:127.0.0.1] [::ffff:0:127.0.0.1] [64:ff9b::127.0.0.1] [64:ff9b:1::7f00:1]
  [2002:7f00:1::] [2001:0:7f00:1::] [fe80::1] [fec0::1] [fc00::1] [fd00:ec2::254] [ff02::1] [100::1]
  [2001:db8::1] 10.0.0.1 10.1 0xa.0.0.1 172.16.0.1 172.31.255.255 192.168.0.1 0xc0a80001 3232235521
  100.64.0.1 100.100.100.200 169.254.169.254 0xa9fea9fe 2852039166 [::ffff:169.254.169.254]
  168.63.129.16 192.0.0.192 198.18.0.1 192.0.2.1 203.0.113.1 224.0.0.1 239.255.255.250 240.0.0.1
  255.255.255.255 0.1.2.3 [64:ff9b::a00:1] [2002:a00:1::1]`
  .trim()
  .split(/\s+/);

describe("an address beyond the public internet is never reached (reliability 4.6)", () => {
  test("in 60 spellings, by its URL and by a name, as a mail server's host too: a listener on loopback sees no connection", async () => {
    let connections = 0;
    const opened = (hostname: string) =>
      Bun.listen({
        hostname,
        port: 0,
        socket: {
          open(socket) {
            connections++;
            socket.end();
          },
          data() {},
        },
      });
    const listener = opened("0.0.0.0");
    expect(LITERALS.length).toBeGreaterThanOrEqual(60);
    for (const literal of LITERALS) {
      for (const url of [
        `https://${literal}/hook`,
        `http://${literal}:${listener.port}/`,
        `https://${literal}:${listener.port}/`,
      ]) {
        expect([
          url,
          await outboundRequest({ url, method: "POST", timeoutMs: 500 }, rulesOf([])),
        ]).toMatchObject([url, { ok: false, failure: "address", requests: 0 }]);
      }
      const plain = URL.parse(`http://${literal}`)?.hostname.replace(/^\[|\]$/g, "") ?? "";
      const named = rulesOf(["93.184.215.14", plain]);
      expect(await outboundRequest({ url: "https://hooks.example/", method: "GET" }, named)).toMatchObject({
        failure: "address",
      });
      expect([literal, await checkedAddress(literal, rulesOf([]), 25)]).toMatchObject([
        literal,
        { ok: false, failure: "address" },
      ]);
    }
    // The listener is one that these spellings reach, were they let through.
    const allowed = rulesOf([], ["127.0.0.1"]);
    await outboundRequest({ url: `http://0x7f.1:${listener.port}/`, method: "GET", timeoutMs: 500 }, allowed);
    expect(connections).toBe(1);
    listener.stop(true);
  });

  test("public addresses of both families pass", async () => {
    for (const address of ["93.184.215.14", "2606:4700::6810:85e5", "::ffff:8.8.8.8"]) {
      expect(await checkedAddress("hooks.example", rulesOf([address]), 443)).toEqual({
        ok: true,
        name: "hooks.example",
        addresses: [address],
      });
      expect(await checkedAddress("Hooks.example.", rulesOf([address]), 443)).toMatchObject({
        name: "hooks.example",
      });
      const literal = isIPv6(address) ? `[${address}]` : address;
      expect(addressFault(`https://${literal}/`, rulesOf([]))).toBeUndefined();
    }
  });

  test("a name that answers public first and 127.0.0.1 later is connected to at the address that was checked", async () => {
    let connections = 0;
    using hidden = Bun.serve({
      hostname: "127.0.0.1",
      port: 0,
      fetch: () => {
        connections++;
        return new Response();
      },
    });
    // Loopback addresses stand in for a public and a private one: the first is where the checked host is.
    using checked = Bun.serve({
      hostname: "127.0.0.2",
      port: hidden.port ?? 0,
      fetch: () => new Response("checked"),
    });
    const answers = [["127.0.0.2"], ["127.0.0.1"], ["127.0.0.1"]];
    const rebinding = { allowedHosts: ["rebind.example"], resolve: async () => resolved(answers.shift()) };
    const url = `http://rebind.example:${checked.port}/`;
    expect(await outboundRequest({ url, method: "GET" }, rebinding)).toMatchObject({
      ok: true,
      text: "checked",
    });
    expect([answers.length, connections]).toEqual([2, 0]);
    const strict = [["93.184.215.14"], ["127.0.0.1"]];
    const rules = { allowedHosts: [], resolve: async () => resolved(strict.shift()) };
    expect(await checkedAddress("rebind.example", rules, 443)).toMatchObject({
      ok: true,
      addresses: ["93.184.215.14"],
    });
    expect(await outboundRequest({ url: "https://rebind.example/", method: "GET" }, rules)).toMatchObject({
      failure: "address",
    });
    expect(connections).toBe(0);
  });
});

describe("what an operator's address may be", () => {
  test("https on port 443 without a user, unless the host is named with or without its port", () => {
    const faults = (allowedHosts: readonly string[]) =>
      words(`
        https://h.example http://h.example https://h.example:8443 https://u:p@h.example ftp://h.example
        nonsense
      `).map((url) => addressFault(url, { allowedHosts })?.split(" ", 3).join(" "));
    const always = ["must not hold", "must be an", "must be an"];
    expect(faults([])).toEqual([undefined, "must be https,", "must use port", ...always]);
    expect(faults(["H.example"])).toEqual([undefined, undefined, undefined, ...always]);
    expect(faults(["h.example:8443"])).toEqual([undefined, "must be https,", undefined, ...always]);
    expect(addressFault("http://[::1]:81/", { allowedHosts: ["::1"] })).toBeUndefined();
    expect(addressFault("http://[::1]:81/", { allowedHosts: ["[::1]:82"] })).toStartWith(
      "must be a public address",
    );
  });

  test("a host is asked under its own name over TLS, whichever address was checked; another's certificate is refused", async () => {
    const { key, cert } = await selfSigned("hooks.example");
    using server = Bun.serve({
      hostname: "127.0.0.1",
      port: 0,
      tls: { key, cert },
      fetch: ({ headers }) => new Response(headers.get("host")),
    });
    const asked = (name: string, ca?: string) =>
      outboundRequest(
        { url: `https://${name}:${server.port}/x`, method: "GET" },
        { ...rulesOf(["127.0.0.1"], [name]), ...(ca === undefined ? {} : { ca }) },
      );
    expect(await asked("hooks.example", cert)).toMatchObject({ text: `hooks.example:${server.port}` });
    expect(await asked("hooks.example")).toMatchObject({ failure: "tls" });
    expect(await asked("other.example", cert)).toMatchObject({ failure: "tls" });
  });

  test("a host without an address, a slow resolver, a redirect, a slow answer and a packed huge one end as themselves", async () => {
    using server = Bun.serve({
      hostname: "127.0.0.1",
      port: 0,
      fetch: ({ url }) => {
        if (url.endsWith("/moved")) return Response.redirect("http://127.0.0.1:9/", 307);
        if (url.endsWith("/slow")) return new Promise<Response>(() => {});
        return new Response(Bun.gzipSync(new Uint8Array(65_537)), {
          headers: { "content-encoding": "gzip" },
        });
      },
    });
    const asked = async (
      path: string,
      resolve: OutboundRules["resolve"] = async () => resolved(["127.0.0.1"]),
    ) => {
      const url = `http://box.internal:${server.port}/${path}`;
      // Only what never comes is waited for so short a time.
      const isNever = path === "slow" || path === "never";
      const result = await outboundRequest(
        { url, method: "GET", timeoutMs: isNever ? 100 : 10_000 },
        { allowedHosts: ["box.internal"], resolve },
      );
      return result.ok ? result.status : result.failure;
    };
    expect(await asked("moved")).toBe("redirect");
    expect(await asked("slow")).toBe("timeout");
    expect(await asked("huge")).toBe("too-large");
    expect(await asked("never", () => new Promise(() => {}))).toBe("timeout");
    expect(await asked("", () => Promise.reject(new Error("ENOTFOUND")))).toBe("dns");
    expect(await asked("", async () => [])).toBe("dns");
    // The first address takes no connection; the second one answers.
    expect(await asked("moved", async () => resolved(["127.0.0.3", "127.0.0.1"]))).toBe("redirect");
  });
});

test("one place on the network is an IPv4 address, or the first 64 bits of another, in any spelling: recorded", () => {
  const addresses = texts(
    "192.0.2.7|::ffff:192.0.2.7|::ffff:c000:207|2001:db8:0:1::1|2001:0db8:0000:0001:ffff::2|2001:DB8:0:1:1:2:3:4",
    "2001:db8:0:1::192.0.2.7|2001:db8:0:2::1|fe80::1%eth0|::1||unknown",
  );
  recordEach(addresses, networkOf);
});
