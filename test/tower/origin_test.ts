import { expect, test } from "bun:test";
import { ownOrigins } from "../../src/tower/session.ts";

const LOOPBACK = { bound: "127.0.0.1", port: 4611, published: undefined, allowed: [], addresses: () => [] };

test("our own origins are the loopback names with the port, and never without: another port is another program", () => {
  expect([...ownOrigins(LOOPBACK)].sort()).toEqual([
    "http://127.0.0.1:4611",
    "http://[::1]:4611",
    "http://localhost:4611",
  ]);
  // A port that is the scheme's own is left out, as browsers do.
  expect(ownOrigins({ ...LOOPBACK, port: 80 }).has("http://localhost")).toBe(true);
});

test("our own origins hold the published address and the allowed names, and no wildcard", () => {
  const origins = ownOrigins({
    bound: "0.0.0.0",
    port: 4611,
    published: "https://tower.example/",
    allowed: ["tower.internal", "localhost:8080", "fd00::8"],
    addresses: () => ["192.0.2.7", "fd00::7"],
  });
  expect([...origins].toSorted()).toMatchSnapshot();
});
