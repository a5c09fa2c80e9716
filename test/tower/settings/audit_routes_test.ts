import { describe, expect, test } from "bun:test";
import { appendAudit } from "../../../src/access/audit.ts";
import { addDays, startOfDay, utcDayOf } from "../../../src/base/time.ts";
import { attribute, parsed, rowsOf, tagged, textOf } from "../../support/html.ts";
import { SettingsWalk } from "../../support/settings_walk.ts";

const PATH = "/settings/audit";
const CAPTION = "Acts, newest first";

const actsOf = async (walk: SettingsWalk, query = "") =>
  rowsOf(parsed(await walk.page(`${PATH}${query}`)), CAPTION).slice(1);

const hrefs = (html: string, words: string) =>
  tagged(parsed(html), "a").flatMap((link) =>
    textOf(link).includes(words) ? [attribute(link, "href") ?? ""] : [],
  );

/** Some acts of one kind, at one moment. */
async function note(
  walk: SettingsWalk,
  count: number,
  act = "test.act",
  at = walk.deps.clock.now(),
): Promise<void> {
  await walk.deps.writer.write((tx): void => {
    for (let i = 0; i < count; i++) {
      const detail = { number: i, of: ["a", "b"] };
      appendAudit(tx, { at, actor: "service", act, target: `thing-${i}`, detail });
    }
  });
}

describe("the audit's page", () => {
  test("is narrowed by days, both included", async () => {
    using walk = await SettingsWalk.start();
    const today = utcDayOf(walk.deps.clock.now());
    const last = addDays(today, 2);
    await note(walk, 1, "test.act", startOfDay(last));
    await note(walk, 1, "test.act", startOfDay(addDays(last, 1)) - 1);
    await note(walk, 1, "test.after", startOfDay(addDays(last, 1)));
    const counts = [`?from=${last}&to=${last}`, `?from=${last}`, "?act=test.act"].map(
      async (query) => (await actsOf(walk, query)).length,
    );
    expect(await Promise.all(counts)).toEqual([2, 3, 2]);
    expect((await actsOf(walk, `?to=${today}`)).map((row) => row[2])).toContain("sign-in");
  });

  test("writes counts with their thousands, and the code of a location as it is on the page of panels", async () => {
    using walk = await SettingsWalk.start();
    const detail = { rows: 12_840, location: 2_840 };
    await walk.deps.writer.write((tx): void => {
      appendAudit(tx, { at: walk.deps.clock.now(), actor: "service", act: "test.act", target: "x", detail });
    });
    expect((await actsOf(walk, "?act=test.act")).map((row) => row.at(-1))).toEqual([
      "rows: 12,840; location: 2840",
    ]);
  });

  test("is narrowed by the longest name an operator may have, as by any other", async () => {
    using walk = await SettingsWalk.start();
    const name = "𝒜".repeat(200);
    const actor = `operator:${name}`;
    await walk.deps.writer.write((tx): void => {
      appendAudit(tx, { at: walk.deps.clock.now(), actor, act: "test.act", target: name, detail: {} });
    });
    const html = await walk.page(PATH);
    for (const link of hrefs(html, name)) {
      expect(await actsOf(walk, link.slice(PATH.length))).toHaveLength(1);
    }
    expect(hrefs(html, name)).toHaveLength(2);
  });

  test("goes on 50 acts at a time, and its parts keep the filters", async () => {
    using walk = await SettingsWalk.start();
    await note(walk, 120);
    const seen: (string | undefined)[] = [];
    let query = "?act=test.act";
    for (const size of [50, 50, 20]) {
      const rows = await actsOf(walk, query);
      expect(rows).toHaveLength(size);
      seen.push(...rows.map((row) => row[3]));
      const html = await walk.page(`${PATH}${query}`);
      expect(hrefs(html, "Newest")).toEqual(seen.length === 50 ? [] : [`${PATH}?act=test.act`]);
      query = hrefs(html, "Earlier")[0]?.slice(PATH.length) ?? "";
    }
    expect(query).toBe("");
    expect(seen).toEqual(Array.from({ length: 120 }, (_, i) => `thing-${119 - i}`));
  });
});
