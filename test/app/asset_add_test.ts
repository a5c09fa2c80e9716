import { describe, expect, test } from "bun:test";
import { findAsset } from "../../src/sites/sites.ts";
import { openNewFolder } from "../support/data_folder.ts";
import { fresh } from "../support/fresh.ts";
import { texts } from "../support/words.ts";
import { run } from "./run.ts";

const opened = fresh(openNewFolder);

/** What it says is recorded (`run.ts`). */
const add = (words: string) => run(opened, `asset add shop ${words}`);
const shop = () => findAsset(opened.deps.store.db, "shop");

describe("asset add (decisions 2, command line)", () => {
  test("a new site is live, without an address or families, unless it is said", async () => {
    await add("");
    expect(shop()).toMatchObject({ url: null, lifecycle: "live", families: [] });
  });

  test("what is not given stays: a retired site is not live again because its address is changed", async () => {
    await add("--url https://shop.example --lifecycle retired --family sales=d1");
    await add("--url https://shop2.example");
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

  test("a group is given, kept, and taken away by an empty one", async () => {
    await add("--group Acme");
    expect(shop()?.group).toBe("Acme");
    await add("--lifecycle pre-launch");
    expect(shop()?.group).toBe("Acme");
    await add("--group=");
    expect(shop()?.group).toBeNull();
  });

  test("nothing is said to be changed where nothing is", async () => {
    for (const words of ["--url https://shop.example", "--url https://shop.example", ""]) await add(words);
  });

  test("Tower's own site stays live: retired, the flags about the service would end with it", async () => {
    for (const lifecycle of ["retired", "pre-launch"])
      await run(opened, `asset add tower --lifecycle ${lifecycle}`);
    expect(findAsset(opened.deps.store.db, "tower")?.lifecycle).toBe("live");
  });

  test("what breaks the contract is refused by the option's name", async () => {
    for (const words of texts(
      "--url ftp://x|--lifecycle gone|--group a\u0007b|--family sales=tape|--family sales|--family =d1",
      "--family sales=d1 --family sales=kv|--family a\u0007b=d1",
    ))
      await add(words);
    await run(opened, "asset add shop/1");
    expect(shop()).toBeUndefined();
  });
});
