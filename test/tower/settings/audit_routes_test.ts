import { describe, expect, test } from "bun:test";
import { appendAudit } from "../../../src/access/audit.ts";
import { addDays, startOfDay, utcDayOf } from "../../../src/base/time.ts";
import { fresh } from "../../support/fresh.ts";
import { attribute, parsed, rowsOf, tagged, textOf } from "../../support/html.ts";
import { world } from "../../support/world.ts";

const PATH = "/settings/audit";
const CAPTION = "Acts, newest first";

const site = fresh(world);
const page = async (query = "") => (await site.ask(`${PATH}${query}`)).text();
const actsOf = async (query = "") => rowsOf(parsed(await page(query)), CAPTION).slice(1);

const hrefs = (html: string, words: string) =>
  tagged(parsed(html), "a").flatMap((link) =>
    textOf(link).includes(words) ? [attribute(link, "href") ?? ""] : [],
  );

/** Some acts of one kind, at one moment. */
async function note(count: number, act = "test.act", at = site.clock.now()): Promise<void> {
  await site.writer.write((tx): void => {
    for (let i = 0; i < count; i++) {
      const detail = { number: i, of: ["a", "b"] };
      appendAudit(tx, { at, actor: "service", act, target: `thing-${i}`, detail });
    }
  });
}

describe("the audit's page", () => {
  test("is narrowed by days, both included", async () => {
    const today = utcDayOf(site.clock.now());
    const last = addDays(today, 2);
    await note(1, "test.act", startOfDay(last));
    await note(1, "test.act", startOfDay(addDays(last, 1)) - 1);
    await note(1, "test.after", startOfDay(addDays(last, 1)));
    const counts = [`?from=${last}&to=${last}`, `?from=${last}`, "?act=test.act"].map(
      async (query) => (await actsOf(query)).length,
    );
    expect(await Promise.all(counts)).toEqual([2, 3, 2]);
    await note(1, "test.today");
    expect((await actsOf(`?to=${today}`)).map((row) => row[2])).toContain("test.today");
  });

  test("writes counts with their thousands, and the code of a location as it is on the page of panels", async () => {
    const detail = { rows: 12_840, location: 2_840 };
    await site.writer.write((tx): void => {
      appendAudit(tx, { at: site.clock.now(), actor: "service", act: "test.act", target: "x", detail });
    });
    expect((await actsOf("?act=test.act")).map((row) => row.at(-1))).toEqual([
      "rows: 12,840; location: 2840",
    ]);
  });

  test("is narrowed by the longest name an operator may have, as by any other", async () => {
    const name = "𝒜".repeat(200);
    const actor = `operator:${name}`;
    await site.writer.write((tx): void => {
      appendAudit(tx, { at: site.clock.now(), actor, act: "test.act", target: name, detail: {} });
    });
    const html = await page();
    for (const link of hrefs(html, name)) {
      expect(await actsOf(link.slice(PATH.length))).toHaveLength(1);
    }
    expect(hrefs(html, name)).toHaveLength(2);
  });

  test("goes on 50 acts at a time, and its parts keep the filters", async () => {
    await note(120);
    const seen: (string | undefined)[] = [];
    let query = "?act=test.act";
    for (const size of [50, 50, 20]) {
      const rows = await actsOf(query);
      expect(rows).toHaveLength(size);
      seen.push(...rows.map((row) => row[3]));
      const html = await page(query);
      expect(hrefs(html, "Newest")).toEqual(seen.length === 50 ? [] : [`${PATH}?act=test.act`]);
      query = hrefs(html, "Earlier")[0]?.slice(PATH.length) ?? "";
    }
    expect(query).toBe("");
    expect(seen).toEqual(Array.from({ length: 120 }, (_, i) => `thing-${119 - i}`));
  });
});
