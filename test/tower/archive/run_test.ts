/** A run of the archive as an operator begins it: the run beside simulated providers, and what its pages say after. */

import { expect, test } from "bun:test";
import { listNewest as listAudit } from "../../../src/access/audit.ts";
import { archivedTower } from "../../support/archive_run.ts";
import { fresh } from "../../support/fresh.ts";
import { attribute, byId, elements, tagged, textOf } from "../../support/html.ts";
import { until } from "../../support/until.ts";

const archived = fresh(archivedTower);

test("what it asks is said before it begins; it is in the record, and each figure then leads to its bytes", async () => {
  const before = textOf(byId(await archived.tower.open("/archive/run"), "main"));
  expect(before).toMatch(/A run makes about \d+ requests for 1 site\./);
  const begun = await archived.tower.ask("/integrations/jobs/analysis/runs", { form: { to: "/archive" } });
  expect([begun.status, begun.headers.get("location")]).toEqual([303, "/archive?done=job-begun"]);
  const acts = listAudit(archived.tower.deps.store.db, { limit: 9 }).map(({ actor, act, target }) => [
    actor,
    act,
    target,
  ]);
  expect(acts).toContainEqual(["operator:ada", "job.run", "analysis"]);
  await until(
    async () => archived.tower.deps.jobs.running().length,
    (running) => running === 0,
  );

  const html = await archived.tower.open("/archive?asset=harbor.example");
  const cells = elements(html, (element) => /^\d+ \w+, .*: \w/.test(attribute(element, "aria-label") ?? ""));
  expect(cells.length).toBeGreaterThan(50);
  const words = cells.map((cell) => attribute(cell, "title")?.replace(/^.*: /, ""));
  expect(words.filter((said) => /Failed|Incomplete/.test(said ?? ""))).toStrictEqual([]);
  expect(words).toContain("Stored");
  expect(words).toContain("Source lags");

  const [report] = tagged(
    await archived.tower.open("/archive?family=pages-screens&outcome=stored"),
    "a",
  ).filter((link) => attribute(link, "href")?.startsWith("/archive/reports/"));
  const one = await archived.tower.open(attribute(report as never, "href") ?? "");
  const held = archived.object(textOf(byId(one, "object-name")));
  const figure = JSON.parse(held.split("\n")[0] ?? "") as { rows: { metricValues: { value: string }[] }[] };
  expect(figure.rows[0]?.metricValues[0]?.value).toMatch(/^\d+$/);
  expect(tagged(one, "a").map((link) => attribute(link, "href"))).toContain(
    "/sites/harbor.example/insights?report=analytics.pages-screens",
  );
});
