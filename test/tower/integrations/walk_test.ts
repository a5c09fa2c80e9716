/** The life of an outage on the pages of integrations: over the real service, its pulls and simulated providers. */

import { afterEach, expect, test } from "bun:test";
import { attribute, byId, parsed, rowsOf, tagged, textOf } from "../../support/html.ts";
import { type Pulled, pulledTower, pulledWorld } from "../../support/pulled.ts";

const HOUR = 3_600_000;
const SITE = "harbor.example";

let pulled: Pulled | undefined;
afterEach(() => pulled?.close());

async function page({ tower }: Pulled, path: string, form?: Readonly<Record<string, string>>) {
  const response = await tower.ask(path, form === undefined ? {} : { form });
  expect(response.status).toBe(form === undefined ? 200 : 303);
  return parsed(await response.text());
}

async function tick(one: Pulled, hours: number): Promise<void> {
  one.clock.advance(hours * HOUR);
  await one.run("sense");
  await one.tower.deps.follower.settle();
}

/** The problems of one capability that need somebody, as they read. */
async function needs(one: Pulled, label: string): Promise<string[][]> {
  const html = await page(one, "/integrations");
  if (textOf(byId(html, "needs")).endsWith("No problems.")) return [];
  return rowsOf(html, "Needs attention").filter((row) => row.join(" ").includes(label));
}

/** The sentences of what happened; none where there is no table of them yet. */
async function told(one: Pulled, path: string): Promise<(string | undefined)[]> {
  const html = await page(one, path);
  const caption = "Failures and recoveries, newest first";
  if (!textOf(byId(html, "events")).includes(caption)) return [];
  return rowsOf(html, caption)
    .slice(1)
    .map((row) => row.at(-1));
}

const stateOn = async (one: Pulled) =>
  textOf(byId(await page(one, `/sites/${SITE}/integrations`), "capability-search-console-daily"));

test("an outage is a row that needs attention once two turns are missed, while it lasts, and two sentences afterwards", async () => {
  pulled = await pulledTower();
  await tick(pulled, 0);
  expect(await needs(pulled, "Search console, daily")).toEqual([]);
  expect(await told(pulled, "/integrations")).toEqual([]);

  const { simulators, clock } = pulled;
  simulators.script(
    { kind: "error", error: "internal" },
    { server: "searchConsole", from: clock.now(), to: clock.now() + 3 * HOUR },
  );
  await tick(pulled, 1);
  // Two turns are missed by now, so that it is no longer only tried again.
  const [row = [], ...others] = await needs(pulled, "Search console, daily");
  expect(others).toEqual([]);
  expect([row[0], row[2], row[3]]).toEqual(["Failing", `${SITE} Search console, daily`, "under 1 min"]);
  expect(row[1]).toStartWith(
    "Search console, daily: The provider had an internal error Tower keeps retrying, and missed two runs.",
  );
  expect(row[4]).toStartWith("1 h ago");
  expect(await stateOn(pulled)).toStartWith("Failing");

  simulators.calm();
  await tick(pulled, 7);
  expect(await needs(pulled, "Search console, daily")).toEqual([]);
  expect(await told(pulled, "/integrations")).toEqual([
    `Search console (daily) worked again on ${SITE} after 7 h.`,
    expect.stringMatching(/^Search console \(daily\) began to fail on harbor\.example: /),
  ]);
  expect(await told(pulled, `/sites/${SITE}/integrations`)).toEqual([
    "Search console (daily) worked again on this site after 7 h.",
    expect.stringMatching(/^Search console \(daily\) began to fail on this site: /),
  ]);
  expect(await stateOn(pulled)).toStartWith("Working");
});

test("a connection that is taken away stands apart until it is forgotten; a pause is taken back where it stands", async () => {
  pulled = await pulledTower();
  await tick(pulled, 0);
  const to = `/sites/${SITE}/integrations`;
  const pause = { capability: "search-console.daily", asset: SITE, to };
  await page(pulled, "/integrations/pauses", { ...pause, until: "" });
  expect(await stateOn(pulled)).toStartWith("Paused");
  await page(pulled, "/integrations/pauses/withdrawal", pause);
  expect(await stateOn(pulled)).toStartWith("Working");

  const connection = { provider: "search-console", asset: SITE, to };
  await page(pulled, "/integrations/disconnection", connection);
  const [row = []] = rowsOf(await page(pulled, "/integrations"), "Disconnected").slice(1);
  expect(row[1]).toStartWith("Search console, daily");
  expect(row.at(-1)).toContain("Connect again");
  expect(row.at(-1)).toContain("Forget");
  await page(pulled, "/integrations/disconnection/withdrawal", connection);
  expect(textOf(byId(await page(pulled, "/integrations"), "main"))).not.toContain("Search console, daily");
  expect(textOf(byId(await page(pulled, to), "main"))).toContain("Search console is not set up");
});

test("an account that is refused is one row for all of its sites, which leads to the account, and one line", async () => {
  const sites = ["bay.example", "harbor.example", "quay.example"];
  pulled = await pulledTower({ world: pulledWorld(sites) });
  const { simulators, clock, credentials } = pulled;
  await tick(pulled, 0);
  simulators.script(
    { kind: "error", error: "access-not-configured" },
    { server: "searchConsole", from: clock.now(), to: clock.now() + 3 * HOUR },
  );
  await tick(pulled, 1);
  const html = await page(pulled, "/integrations");
  const rows = rowsOf(html, "Needs attention").slice(1);
  expect(rows.map(([state, , whom]) => [state, whom])).toEqual([
    ["Failing", `3 sites${sites.join("")} Search console, daily`],
  ]);
  expect(tagged(byId(html, "needs"), "a").map((link) => attribute(link, "href"))).toContain(
    `/settings/credentials/${credentials.google}`,
  );
  expect(await told(pulled, "/integrations")).toEqual([
    expect.stringMatching(/^Search console \(daily\) began to fail on every site of an account: /),
  ]);
});
