import { describe, expect, test } from "bun:test";
import { findAsset } from "../../src/sites/sites.ts";
import { openNewFolder } from "../support/data_folder.ts";
import { fresh } from "../support/fresh.ts";
import { run } from "./run.ts";

const opened = fresh(openNewFolder);

const add = async (words: string) => (await run(opened, `asset add shop ${words}`)).stderr;
const shop = () => findAsset(opened.deps.store.db, "shop");

describe("asset add (decisions 2, command line)", () => {
  test("a new site is live, without an address or families, unless it is said", async () => {
    expect(await add("")).toBe("shop was added");
    expect(shop()).toMatchObject({ url: null, lifecycle: "live", families: [] });
  });

  test("what is not given stays: a retired site is not live again because its address is changed", async () => {
    await add("--url https://shop.example --lifecycle retired --family sales=d1");
    expect(await add("--url https://shop2.example")).toBe("shop was there and is changed");
    expect(shop()).toMatchObject({
      url: "https://shop2.example",
      lifecycle: "retired",
      families: [{ family: "sales", storage: "d1" }],
    });
    await add("--family stock=kv");
    expect(shop()).toMatchObject({
      url: "https://shop2.example",
      lifecycle: "retired",
      families: [{ family: "stock", storage: "kv" }],
    });
    await add("--lifecycle live");
    expect(shop()).toMatchObject({ url: "https://shop2.example", lifecycle: "live" });
  });

  test("a group is given, and kept", async () => {
    await add("--group Acme");
    expect(shop()?.group).toBe("Acme");
    await add("--lifecycle pre-launch");
    expect(shop()?.group).toBe("Acme");
  });

  test("nothing is said to be changed where nothing is", async () => {
    await add("--url https://shop.example");
    expect(await add("--url https://shop.example")).toBe("shop is there as asked: nothing is changed");
    expect(await add("")).toBe("shop is there as asked: nothing is changed");
  });

  test("Tower's own site stays live: retired, the flags about the service would end with it", async () => {
    for (const lifecycle of ["retired", "pre-launch"]) {
      const { exitCode, stderr } = await run(opened, `asset add tower --lifecycle ${lifecycle}`);
      expect([exitCode, stderr]).toEqual([1, "--lifecycle must stay live: it is Tower's own site"]);
    }
    expect(findAsset(opened.deps.store.db, "tower")?.lifecycle).toBe("live");
  });

  test("what breaks the contract is refused by the option's name", async () => {
    for (const [words, named] of [
      ["--url ftp://x", "--url must be"],
      ["--lifecycle gone", "--lifecycle must be one of"],
      ["--group a\u0007b", "--group must be a name without control characters"],
      ["--family sales=tape", "--family: the storage must be one of d1"],
      ["--family sales", "--family: the storage must be one of d1"],
      ["--family =d1", "--family: the name must be a name"],
      ["--family sales=d1 --family sales=kv", "--family: one is given twice"],
    ] as const) {
      const { exitCode, stderr } = await run(opened, `asset add shop ${words}`);
      expect([words, exitCode, stderr.includes(named)]).toEqual([words, 2, true]);
    }
    expect(shop()).toBeUndefined();
  });
});
