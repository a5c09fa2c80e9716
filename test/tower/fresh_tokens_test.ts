import { expect, test } from "bun:test";
import { FreshTokens } from "../../src/tower/fresh_tokens.ts";
import type { SignedIn } from "../../src/tower/session.ts";

const MINUTE = 60_000;
const ada = { name: "ada", id: "operator:ada" };
const inSession = (digest: string): SignedIn => ({
  actor: ada,
  live: { session: { digest } } as NonNullable<SignedIn["live"]>,
});
const [here, there] = [inSession("1"), inSession("2")];
const inForce = new Set<string>();
const held = () => {
  inForce.clear();
  return new FreshTokens({
    find: (token) =>
      inForce.has(token) ? { asset: token.split(" ")[0] ?? "", digest: "", issued: true } : undefined,
  });
};
const kept = (fresh: FreshTokens, token: string, at = 0, who = here) => {
  inForce.add(token);
  fresh.keep(who, token.split(" ")[0] ?? "", token, at);
};

test("a token is shown again to the session that made it and to no other, for its own site", () => {
  const fresh = held();
  kept(fresh, "shop 1");
  expect(fresh.find(here, "shop", 29 * MINUTE)).toEqual({ token: "shop 1", until: 30 * MINUTE });
  expect(fresh.find(there, "shop", 1)).toBeUndefined();
  expect(fresh.find({ actor: ada, live: undefined }, "shop", 1)).toBeUndefined();
  expect(fresh.find(here, "kiln", 1)).toBeUndefined();
});

test("it is shown no more after half an hour, once it was said to be kept, once revoked, or once another was made", () => {
  const fresh = held();
  kept(fresh, "late 1");
  expect(fresh.find(here, "late", 30 * MINUTE)).toBeUndefined();
  kept(fresh, "kept 1");
  fresh.forget(here, "kept");
  expect(fresh.find(here, "kept", 1)).toBeUndefined();
  kept(fresh, "revoked 1");
  inForce.delete("revoked 1");
  expect(fresh.find(here, "revoked", 1)).toBeUndefined();
  kept(fresh, "again 1");
  kept(fresh, "again 2");
  expect(fresh.find(here, "again", 1)?.token).toBe("again 2");
});

test("no more than 200 are held: the oldest goes first", () => {
  const fresh = held();
  for (let count = 0; count <= 200; count++) kept(fresh, `site${count} x`, count);
  expect(fresh.find(here, "site0", 300)).toBeUndefined();
  expect(fresh.find(here, "site1", 300)?.token).toBe("site1 x");
});
