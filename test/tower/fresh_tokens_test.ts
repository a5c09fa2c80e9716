import { expect, test } from "bun:test";
import { FreshTokens, type TokenHolder } from "../../src/tower/fresh_tokens.ts";
import type { SignedIn } from "../../src/tower/session.ts";

const MINUTE = 60_000;
const ada = { name: "ada", id: "operator:ada" };
const inSession = (digest: string): SignedIn => ({
  actor: ada,
  live: { session: { digest } } as NonNullable<SignedIn["live"]>,
});
const [here, there] = [inSession("1"), inSession("2")];
const site = (name: string): TokenHolder => ({ kind: "site", name });
const inForce = new Set<string>();
const held = () => {
  inForce.clear();
  const find = (token: string) => (inForce.has(token) ? token.split(" ")[0] : undefined);
  return new FreshTokens({
    siteTokens: {
      find: (token) => {
        const asset = find(token);
        return asset === undefined ? undefined : { asset, digest: "", issued: true };
      },
    },
    apiTokens: {
      find: (token) => (find(token) === undefined ? undefined : ({} as ReturnType<ApiFind>)),
    },
    kioskTokens: {
      find: (token) => (inForce.has(token) ? { id: "", digest: "", name: find(token) ?? "" } : undefined),
    },
  });
};
type ApiFind = ConstructorParameters<typeof FreshTokens>[0]["apiTokens"]["find"];
const kept = (fresh: FreshTokens, token: string, at = 0, kind: TokenHolder["kind"] = "site") => {
  inForce.add(token);
  fresh.keep(here, { kind, name: token.split(" ")[0] ?? "", token }, at);
};

test("a token is shown again to the session that made it and to no other, for its own holder", () => {
  const fresh = held();
  kept(fresh, "shop 1");
  expect(fresh.find(here, site("shop"), 29 * MINUTE)).toMatchObject({ token: "shop 1", until: 30 * MINUTE });
  expect(fresh.find(there, site("shop"), 1)).toBeUndefined();
  expect(fresh.find({ actor: ada, live: undefined }, site("shop"), 1)).toBeUndefined();
  expect(fresh.find(here, site("kiln"), 1)).toBeUndefined();
  expect(fresh.find(here, { kind: "operator", name: "shop" }, 1)).toBeUndefined();
  kept(fresh, "ci 1", 0, "operator");
  kept(fresh, "hall 1", 0, "wall");
  expect(fresh.list(here, ["site", "operator"], 1).map(({ token }) => token)).toEqual(["ci 1", "shop 1"]);
  expect(fresh.list(here, ["wall"], 1).map(({ token }) => token)).toEqual(["hall 1"]);
  expect(fresh.list(there, ["site", "operator", "wall"], 1)).toStrictEqual([]);
});

test("it is shown no more after half an hour, once it was said to be kept, once revoked, or once another was made", () => {
  const fresh = held();
  kept(fresh, "late 1");
  expect(fresh.find(here, site("late"), 30 * MINUTE)).toBeUndefined();
  kept(fresh, "kept 1");
  fresh.forget(here, site("kept"));
  expect(fresh.find(here, site("kept"), 1)).toBeUndefined();
  kept(fresh, "revoked 1");
  inForce.delete("revoked 1");
  expect(fresh.find(here, site("revoked"), 1)).toBeUndefined();
  kept(fresh, "again 1");
  kept(fresh, "again 2");
  expect(fresh.find(here, site("again"), 1)?.token).toBe("again 2");
});

test("no more than 200 are held: the oldest goes first", () => {
  const fresh = held();
  for (let count = 0; count <= 200; count++) kept(fresh, `site${count} x`, count);
  expect(fresh.find(here, site("site0"), 300)).toBeUndefined();
  expect(fresh.find(here, site("site1"), 300)?.token).toBe("site1 x");
});
