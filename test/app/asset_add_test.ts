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
  test("a new site is live, without an address or families; what is not given stays, also that it is retired: recorded", async () => {
    for (const words of texts(
      "|--url https://shop.example --lifecycle retired --family sales=d1|--url https://shop2.example",
      "--family stock=kv|--lifecycle live|--group Acme|--group Acme|--lifecycle pre-launch|--group=|",
    )) {
      await add(words);
      const { url, group, lifecycle, families } = shop() ?? {};
      expect([url, group, lifecycle, families]).toMatchSnapshot();
    }
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
