/** The first sentence of a site's page agrees with the list below it. */

import { expect, test } from "bun:test";
import { flushRefusals } from "../../../src/health/refusals.ts";
import { byId, textOf } from "../../support/html.ts";
import { pulse } from "../../support/make/pulse.ts";
import { world } from "../../support/world.ts";

test("a report that was refused just now is listed, so it is no all-clear", async () => {
  const site = await world();
  const standing = async () => textOf(byId(await site.open("/sites/harbor"), "standing"));
  await site.report("/api/pulse", pulse({ asset: "harbor" }));
  expect(await standing()).toBe("Nothing needs attention.");
  site.clock.advance(1_000);
  await site.report("/api/pulse", { asset: "harbor" });
  await flushRefusals(site.writer, site.deps.refusals, "default");
  expect(await standing()).toBe("1 connection is broken.");
  await site.close();
});

test("a message that ends with a full stop has none before how much more there is", async () => {
  const site = await world();
  for (const [place, message] of ["It broke.", "It bent.", "It bowed."].entries())
    await site.raise(`${place}`, { subject: message, message });
  const said = async (path: string) => textOf(await site.open(path));
  expect(await said("/")).toContain("Also: It bent, and 1 more");
  expect(await said("/sites/harbor/timeline")).toContain("It broke.Overview");
  site.clock.advance(2 * 86_400_000);
  await site.raise("later", { subject: "later", message: "It fell." });
  expect(await said("/sites/harbor/timeline")).toContain("It broke, and 1 more");
  await site.close();
});
