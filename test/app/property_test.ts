/** From an account's file to attached properties, by commands alone, over real HTTP; what each says is recorded (`run.ts`). */

import { beforeEach, describe, expect, test } from "bun:test";
import { listNewest as listAudit } from "../../src/access/audit.ts";
import { startSimulators } from "../../src/demo/simulator/simulators.ts";
import type { World } from "../../src/demo/simulator/world.ts";
import { listAttachments } from "../../src/providers/properties.ts";
import { openNewFolder } from "../support/data_folder.ts";
import { fresh, shared } from "../support/fresh.ts";
import { run } from "./run.ts";

const site = (name: string, property: string, verified = true) => ({
  name,
  visitsPerDay: 40,
  firstDay: 20_000,
  analytics: { property, timeZone: "Europe/Paris" },
  searchConsole: { property: `sc-domain:${name}` },
  webmasterTools: { property: `https://${name}/`, verified },
});
const WORLD: World = {
  sites: [site("harbor.example", "1001"), site("orchard.example", "1002", false)],
  accounts: [{ name: "tower" }, { name: "nobody", sites: [] }],
};

const simulators = shared(() => startSimulators({ now: () => Date.now(), seed: 7, world: WORLD }));

const opened = fresh(() => openNewFolder(simulators.settings));
let google: string;
let bing: string;
beforeEach(async () => {
  simulators.calm();
  await call("asset add harbor --url https://www.harbor.example");
  await call("asset add orchard --url https://orchard.example");
  google = await added("analytics", simulators.serviceAccount());
  await added("search-console", simulators.serviceAccount());
  bing = await added("webmaster-tools", simulators.webmasterKey());
});

const call = (words: string, file?: string) => run(opened, words, undefined, file);
const added = async (provider: string, file: string) =>
  (JSON.parse((await call(`credential add ${provider} --file x`, file)).stdout) as { id: string }).id;
const attached = () =>
  listAttachments(opened.deps.store.db).map(({ asset, provider, property }) => [asset, provider, property]);

describe("credential test", () => {
  test("prints what each provider answered, and ends with 0 only when all of them can be used", async () => {
    await call(`credential test ${google}`);
    const other = await added("analytics", simulators.serviceAccount({ account: "nobody" }));
    await call(`credential test ${other}`);
    simulators.script({ kind: "error", error: "4" });
    await call(`credential test ${bing}`);
    // It is held by now.
    await call(`credential test ${bing}`);
    await call("credential test nobody");
  });
});

describe("property list", () => {
  test("prints what the providers list, whether it can be used, whose it is, and whose it may be", async () => {
    await call(`property attach harbor --credential ${google} --property 1001`);
    await call(`property list ${google}`);
    await call(`property list ${bing}`);
  });

  test("of which one provider does not answer prints the others, says why, and ends with 1", async () => {
    simulators.script({ kind: "error", error: "service-disabled" }, { server: "analyticsAdmin", times: 9 });
    await call(`property list ${google}`);
  });
});

describe("property attach", () => {
  test("tells the provider by the id's form, and prints what was attached; the same again changes nothing", async () => {
    for (const [credential, property] of [
      [google, "properties/1001"],
      [google, "sc-domain:harbor.example"],
      [bing, "https://harbor.example/"],
    ] as const)
      await call(`property attach harbor --credential ${credential} --property ${property}`);
    expect(attached()).toEqual([
      ["harbor", "analytics", "1001"],
      ["harbor", "search-console", "sc-domain:harbor.example"],
      ["harbor", "webmaster-tools", "https://harbor.example/"],
    ]);
    await call(`property attach harbor --credential ${google} --property 1001`);
  });

  test("another in its place needs --replace, and an act says what was before", async () => {
    await call(`property attach harbor --credential ${google} --property 1001`);
    await call(`property attach harbor --credential ${google} --property 1002`);
    expect(attached()).toEqual([["harbor", "analytics", "1001"]]);
    await call(`property attach harbor --credential ${google} --property 1002 --replace`);
    expect(attached()).toEqual([["harbor", "analytics", "1002"]]);
    const [act] = listAudit(opened.deps.store.db, { limit: 1 });
    expect([act?.act, act?.target, JSON.parse(act?.detail ?? "")]).toMatchObject([
      "property.attach",
      "harbor",
      { property: "1002", before: "1001" },
    ]);
    await call(`property attach orchard --credential ${google} --property 1002`);
  });

  test("one that the account was not seen to have is asked for once, then attached with a notice", async () => {
    simulators.forget();
    await call(`property attach harbor --credential ${google} --property https://harbor.example/`);
    expect(simulators.log.map(({ operation }) => operation)).toEqual(["token", "sites"]);
    simulators.script({ kind: "html", status: 503 }, { server: "analyticsAdmin", times: 9 });
    await call(`property attach harbor --credential ${google} --property 1001`);
    expect(attached()).toHaveLength(2);
  });

  test("an address that is written otherwise is attached as it is listed; one that cannot be used is said to be so", async () => {
    await call(`property attach harbor --credential ${bing} --property https://Harbor.example`);
    await call(`property attach orchard --credential ${bing} --property https://orchard.example/`);
    expect(attached()).toEqual([
      ["harbor", "webmaster-tools", "https://harbor.example/"],
      ["orchard", "webmaster-tools", "https://orchard.example/"],
    ]);
  });

  test("what is no id, no site, no account, or of another kind is refused, and attaches nothing", async () => {
    for (const words of [
      `habor --credential ${google} --property 1001`,
      "harbor --credential nobody --property 1001",
      `harbor --credential ${google} --property G-ABC123`,
      `harbor --credential ${google} --property harbor.example`,
      `harbor --credential ${bing} --property 1001`,
      `harbor --credential ${google}`,
      "harbor --property 1001",
    ])
      await call(`property attach ${words}`);
    expect(attached()).toStrictEqual([]);
  });

  test("to a retired site is done, and said to pull nothing; a site that is taken out loses it", async () => {
    await call("asset add harbor --lifecycle retired");
    await call(`property attach harbor --credential ${google} --property 1001`);
    await call("asset remove harbor");
    expect(attached()).toStrictEqual([]);
  });
});

test("property detach takes away what webmaster tools found by the site's address, too", async () => {
  await call("job run webmaster-tools");
  for (let twice = 0; twice < 2; twice++) await call("property detach harbor --provider webmaster-tools");
});
