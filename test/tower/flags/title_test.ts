/** A flag that an earlier release raised: its stored words stay, and every place that shows it says it as today. */

import { expect, test } from "bun:test";
import { parsed, tagged, textOf } from "../../support/html.ts";
import { RULE_INPUTS_BEFORE } from "../../support/landed_flow.ts";
import { flagFaults } from "../../support/read_models.ts";
import { world } from "../../support/world.ts";

const ID = "00000000-0000-7000-8000-000000000001";
const STORED =
  "4 signups in the 2 days to 18 Nov. Expected 20.5, from four earlier windows (20, 22, 21, 19).";
const TITLE = "signups: 4 seen, 21 expected in the 2 days to 18 Nov 2025";

test("the list, the page with its title, the site's overview and the API say it as today; what was stored stays", async () => {
  const site = await world();
  const inputs = JSON.parse(JSON.stringify(RULE_INPUTS_BEFORE).replaceAll("2026-", "2025-"));
  const of = { rule: "flow-drop", source: "pulse", subject: "signups", metric: "signups" } as const;
  await site.raise(ID, { ...of, message: STORED, rule_inputs: inputs });
  const text = async (path: string) => (await site.ask(path)).text();
  for (const path of [
    "/flags",
    `/flags/${ID}`,
    "/sites/harbor",
    "/sites/harbor/flags",
    `/flags/${ID}/tune`,
  ]) {
    const page = parsed(await text(path));
    expect(textOf(page)).toContain(TITLE);
    expect(textOf(page)).not.toContain("from four earlier windows (20");
  }
  expect(tagged(parsed(await text(`/flags/${ID}`)), "title").map(textOf)[0]).toStartWith(
    `${TITLE} · harbor · `,
  );
  const { items } = JSON.parse(await text("/api/flags"));
  const one = JSON.parse(await text(`/api/flags/${ID}`));
  expect([items[0].message, one.message]).toEqual([TITLE, TITLE]);
  expect(one.record[0].data.message).toBe(STORED);
  expect(one.rule_inputs).toEqual(inputs);
  const { db, raw } = site.store;
  expect(raw.query<{ message: string }, []>("SELECT message FROM flag").all()).toEqual([{ message: STORED }]);
  expect(flagFaults(db)).toEqual([]);
  await site.close();
});
