/** Lists and removal on the command line: what is listed, what is refused and why (recorded: `run.ts`), and that nothing of the record is lost. */

import { describe, expect, test } from "bun:test";
import { listNewest as listAudit } from "../../src/access/audit.ts";
import { addOperator, findOperator } from "../../src/access/operators.ts";
import { listAnnotations, postAnnotation } from "../../src/sites/annotations.ts";
import { listTokens } from "../../src/sites/site_tokens.ts";
import { findAsset } from "../../src/sites/sites.ts";
import { acceptNow, openNewFolder } from "../support/data_folder.ts";
import { fresh } from "../support/fresh.ts";
import { fullPulse } from "../support/make/pulse.ts";
import { texts } from "../support/words.ts";
import { run } from "./run.ts";

const NAMED = "token-of-orchard-0123456789";

const opened = fresh(() => openNewFolder({ ASSET_TOKENS: `orchard:${NAMED}` }));

const call = (words: string) => run(opened, words);
const json = async (words: string) => JSON.parse((await call(`${words} --json`)).stdout);
const acts = () =>
  listAudit(opened.deps.store.db, { limit: 3 }).map(({ act, actor, target }) => [act, actor, target]);
const person = (name: string) =>
  addOperator(opened.deps, { name, password: "green-lantern-orbit-42" }, { actor: "test", now: 1 });

describe("tokens", () => {
  test("are listed by their id with where they come from, and revoked by it; the record stays", async () => {
    const ofSite = (await call("token issue --asset harbor")).stdout;
    const ofOperator = (await call("token issue --operator ci --scopes read,annotations")).stdout;
    const idOf = (token: string) => token.split("_")[1] ?? "";
    const listed = await json("token list");
    expect(listed).toMatchObject([{ id: idOf(ofSite) }, {}, { id: idOf(ofOperator) }]);
    const text = JSON.stringify(listed) + (await call("token list")).stdout;
    for (const token of [ofSite, ofOperator, NAMED]) expect(text.includes(token)).toBe(false);
    const { siteTokens, apiTokens } = opened.deps;
    const known = apiTokens.find(ofOperator);
    if (known === undefined) throw new Error("an issued token is not known");
    apiTokens.noteUse(known, Date.UTC(2026, 0, 2));
    // Noted, and not written down yet: a list must not say "never".
    expect((await json("token list"))[2]).toMatchObject({ last_used_at: "2026-01-02T00:00:00.000Z" });
    expect([siteTokens.find(ofSite), apiTokens.find(ofOperator)]).toMatchObject([
      { asset: "harbor" },
      { operator: "ci", scopes: ["annotations", "read"] },
    ]);
    for (const token of [ofSite, ofSite, ofOperator, ofOperator]) await call(`token remove ${idOf(token)}`);
    expect([siteTokens.find(ofSite), apiTokens.find(ofOperator)]).toEqual([undefined, undefined]);
    expect(acts()[0]).toEqual(["api-token.revoke", "command-line", idOf(ofOperator)]);
    await json("token list");
  });

  test("of ASSET_TOKENS are taken back only there; a token itself is no id; what is not there is said", async () => {
    const [named] = (await json("token list")) as [{ id: string }];
    await call(`token remove ${named.id}`);
    const token = (await call("token issue --asset harbor")).stdout;
    const { stderr } = await call(`token remove ${token}`);
    expect([stderr.includes(`its id is ${token.split("_")[1]}`), stderr.includes(token)]).toEqual([
      true,
      false,
    ]);
    await call("token remove nope");
  });
});

describe("sites", () => {
  test("one that was a mistake is taken out with its tokens; on the timeline its entries stay", async () => {
    await call("asset add harbour --family sales=d1");
    await call("token issue --asset harbour");
    const token = (await call("token issue --asset harbour")).stdout;
    const entry = { asset: "harbour", at: "2026-01-01T00:00:00Z", kind: "deploy", ref: "v1" } as const;
    await postAnnotation(opened.deps, entry, "ci");
    await json("asset list");
    await call("asset remove harbour");
    expect(findAsset(opened.deps.store.db, "harbour")).toBeUndefined();
    expect(opened.deps.siteTokens.find(token)).toBeUndefined();
    expect(acts()).toMatchSnapshot();
    expect(listAnnotations(opened.deps.store.db, { asset: "harbour" }, 2)).toMatchObject([{ ref: "v1" }]);
  });

  test.each([
    ["orchard", "is named in ASSET_TOKENS"],
    ["tower", "is Tower's own site"],
    ["harbor", "Retire it: tower asset add harbor --lifecycle retired"],
    ["orchid", "there is no site orchid; did you mean orchard?"],
    ["orch\u001bard", String.raw`there is no site "orch\u{1b}ard"`],
  ])("%s stays: it %s", async (id, why) => {
    await call("token issue --asset harbor");
    await acceptNow(opened, fullPulse({ asset: "harbor", generatedAt: new Date().toISOString() }));
    const before = listTokens(opened.deps.store.db);
    expect((await call(`asset remove ${id}`)).stderr).toContain(why);
    expect(listTokens(opened.deps.store.db)).toEqual(before);
  });
});

describe("operators", () => {
  test("one is removed with sessions and tokens; the last who can sign in stays", async () => {
    await person("ada");
    await person("ben");
    const token = (await call("token issue --operator ben --scopes read")).stdout;
    await call("token issue --operator ci --scopes read");
    await json("operator list");
    await call("operator remove ben");
    expect(opened.deps.apiTokens.find(token)).toBeUndefined();
    expect(findOperator(opened.deps.store.db, "ben")).toBeUndefined();
    expect(acts().slice(0, 2)).toEqual([
      ["operator.remove", "command-line", "ben"],
      ["api-token.revoke", "command-line", token.split("_")[1] ?? ""],
    ]);
    for (const name of ["ada", "ci", "adda"]) await call(`operator remove ${name}`);
    expect(await person("ben")).toMatchObject({ ok: true });
  });
});

test("what is none, is not there, or cannot be so, is refused by its name; a token says when it makes an operator or a site", async () => {
  await person("dana");
  await call("token issue --operator ci --scopes read");
  for (const words of texts(
    "asset add a/b|calendar add a/b --file x|calendar add a --asset a/b --file x",
    "panel add a/b --keyword boats --location 2840|panel add habor --keyword boats --location 2840",
    "panel add orchard --keyword boats --location 2840|panel remove nothing",
    "operator add a,b|operator reset ci|operator remove nobody",
    "property detach orchard --property 12|asset add harbor|token issue --asset habor|token issue --asset a/b",
    "token issue --operator dan --scopes read|token issue --operator dana --scopes read|token issue --nope|token issue",
    "token issue --asset harbor --scopes read|token issue --asset a --operator ci --scopes read|token issue --operator ci",
    "token issue --operator ci --scopes read,admin|token issue --operator a,b --scopes read",
  ))
    await call(words);
});
