/** From an account's file to attached properties, by commands alone, over real HTTP. */

import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { listNewest as listAudit } from "../../src/access/audit.ts";
import type { Opened } from "../../src/app/boot.ts";
import { startSimulators } from "../../src/demo/simulator/simulators.ts";
import type { World } from "../../src/demo/simulator/world.ts";
import { listAttachments } from "../../src/providers/properties.ts";
import { openFolder } from "../support/data_folder.ts";
import { temporaryFolder } from "../support/folder.ts";
import { shared } from "../support/fresh.ts";
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

let folder: ReturnType<typeof temporaryFolder>;
let opened: Opened;
let google: string;
let bing: string;
beforeEach(async () => {
  simulators.calm();
  folder = temporaryFolder();
  opened = await openFolder(join(folder.path, "data"), simulators.settings);
  await call("asset add harbor --url https://www.harbor.example");
  await call("asset add orchard --url https://orchard.example");
  google = await added("analytics", simulators.serviceAccount());
  await added("search-console", simulators.serviceAccount());
  bing = await added("webmaster-tools", simulators.webmasterKey());
});
afterEach(() => {
  opened.close();
  folder[Symbol.dispose]();
});

const call = (words: string, file?: string) => run(opened, words, undefined, file);
const added = async (provider: string, file: string) =>
  (JSON.parse((await call(`credential add ${provider} --file x`, file)).stdout) as { id: string }).id;
const attached = () =>
  listAttachments(opened.deps.store.db).map(({ asset, provider, property }) => [asset, provider, property]);

describe("credential test", () => {
  test("prints what each provider answered, and ends with 0 only when all of them can be used", async () => {
    const well = await call(`credential test ${google}`);
    expect(well.exitCode).toBe(0);
    expect(JSON.parse(well.stdout)).toEqual({
      id: google,
      connection_revision: opened.deps.credentials.list()[0]?.connectionRevision,
      usable: true,
      providers: ["analytics", "search-console"].map((provider) => ({
        provider,
        outcome: "usable",
        category: null,
        code: null,
        properties: 2,
        usable_properties: 2,
        next_retry_at: null,
      })),
    });
    const other = await added("analytics", simulators.serviceAccount({ account: "nobody" }));
    const empty = await call(`credential test ${other}`);
    expect(empty.exitCode).toBe(1);
    expect(JSON.parse(empty.stdout)).toMatchObject({
      usable: false,
      providers: [{ outcome: "failed", category: "access", code: "no_property", properties: 0 }],
    });
    expect(empty.stderr).toContain("Add its address (client_email in the file) to each property as a viewer");
    simulators.script({ kind: "error", error: "4" });
    expect(JSON.parse((await call(`credential test ${bing}`)).stdout)).toMatchObject({
      providers: [{ outcome: "failed", category: "rate_limit", next_retry_at: expect.stringMatching(/Z$/) }],
    });
    const held = await call(`credential test ${bing}`);
    expect(JSON.parse(held.stdout)).toMatchObject({ providers: [{ outcome: "held", code: "rate_limited" }] });
    expect(held.stderr).toMatch(/ Not before \d{4}-\d\d-\d\dT/);
    expect((await call("credential test nobody")).stderr).toContain("there is no credential nobody");
  });
});

describe("property list", () => {
  test("prints what the providers list, whether it can be used, whose it is, and whose it may be", async () => {
    await call(`property attach harbor --credential ${google} --property 1001`);
    const listed = await call(`property list ${google}`);
    expect([listed.exitCode, JSON.parse(listed.stdout)]).toMatchObject([
      0,
      [
        { provider: "analytics", property: "1001", usable: true, asset: "harbor", time_zone: "Europe/Paris" },
        { provider: "analytics", property: "1002", asset: null },
        {
          provider: "search-console",
          property: "sc-domain:harbor.example",
          asset: null,
          suggested: "harbor",
        },
        { provider: "search-console", property: "sc-domain:orchard.example", suggested: "orchard" },
      ],
    ]);
    expect(JSON.parse((await call(`property list ${bing}`)).stdout)).toMatchObject([
      { property: "https://harbor.example/", usable: true, suggested: "harbor" },
      { property: "https://orchard.example/", usable: false },
    ]);
  });

  test("of which one provider does not answer prints the others, says why, and ends with 1", async () => {
    simulators.script({ kind: "error", error: "service-disabled" }, { server: "analyticsAdmin", times: 9 });
    const listed = await call(`property list ${google}`);
    expect(listed.exitCode).toBe(1);
    expect(JSON.parse(listed.stdout).map(({ provider }: { provider: string }) => provider)).toEqual([
      "search-console",
      "search-console",
    ]);
    expect(listed.stderr).toContain("Enable the Google Analytics Data API");
  });
});

describe("property attach", () => {
  test("tells the provider by the id's form, and prints what was attached; the same again changes nothing", async () => {
    for (const [credential, property, provider] of [
      [google, "properties/1001", "analytics"],
      [google, "sc-domain:harbor.example", "search-console"],
      [bing, "https://harbor.example/", "webmaster-tools"],
    ] as const) {
      const done = await call(`property attach harbor --credential ${credential} --property ${property}`);
      const plain = property.replace("properties/", "");
      expect([done.exitCode, JSON.parse(done.stdout)]).toEqual([
        0,
        { asset: "harbor", provider, credential, property: plain },
      ]);
    }
    expect(attached()).toEqual([
      ["harbor", "analytics", "1001"],
      ["harbor", "search-console", "sc-domain:harbor.example"],
      ["harbor", "webmaster-tools", "https://harbor.example/"],
    ]);
    const again = await call(`property attach harbor --credential ${google} --property 1001`);
    expect([again.exitCode, again.stderr]).toEqual([0, expect.stringContaining("nothing is changed")]);
  });

  test("another in its place needs --replace, and an act says what was before", async () => {
    await call(`property attach harbor --credential ${google} --property 1001`);
    const refused = await call(`property attach harbor --credential ${google} --property 1002`);
    expect([refused.exitCode, refused.stdout]).toEqual([1, ""]);
    expect(refused.stderr).toContain("To put 1002 in its place, add --replace");
    const done = await call(`property attach harbor --credential ${google} --property 1002 --replace`);
    expect(done.exitCode).toBe(0);
    expect(attached()).toEqual([["harbor", "analytics", "1002"]]);
    const [act] = listAudit(opened.deps.store.db, { limit: 1 });
    expect([act?.act, act?.target, JSON.parse(act?.detail ?? "")]).toMatchObject([
      "property.attach",
      "harbor",
      { property: "1002", before: "1001" },
    ]);
    const shared = await call(`property attach orchard --credential ${google} --property 1002`);
    expect(shared.stderr).toContain("harbor has the same property: both show the same figures.");
  });

  test("one that the account was not seen to have is asked for once, then attached with a notice", async () => {
    simulators.forget();
    const unknown = await call(
      `property attach harbor --credential ${google} --property https://harbor.example/`,
    );
    expect(unknown.exitCode).toBe(0);
    expect(unknown.stderr).toContain("search-console does not list it for this account");
    expect(simulators.log.map(({ operation }) => operation)).toEqual(["token", "sites"]);
    simulators.script({ kind: "html", status: 503 }, { server: "analyticsAdmin", times: 9 });
    const unasked = await call(`property attach harbor --credential ${google} --property 1001`);
    expect(unasked.stderr).toContain(
      "It could not be checked whether the account may see it: analytics gave no list",
    );
    expect(attached()).toHaveLength(2);
  });

  test("an address that is written otherwise is attached as it is listed; one that cannot be used is said to be so", async () => {
    const written = await call(
      `property attach harbor --credential ${bing} --property https://Harbor.example`,
    );
    expect(written.stderr).toContain("It is listed as https://harbor.example/, which is attached.");
    const unverified = await call(
      `property attach orchard --credential ${bing} --property https://orchard.example/`,
    );
    expect(unverified.stderr).toContain("the account is not verified for it");
    expect(attached()).toEqual([
      ["harbor", "webmaster-tools", "https://harbor.example/"],
      ["orchard", "webmaster-tools", "https://orchard.example/"],
    ]);
  });

  test("what is no id, no site, no account, or of another kind is refused, and attaches nothing", async () => {
    for (const [words, code, said] of [
      [`habor --credential ${google} --property 1001`, 1, "did you mean harbor?"],
      ["harbor --credential nobody --property 1001", 1, "there is no credential nobody"],
      [`harbor --credential ${google} --property G-ABC123`, 1, "that is a tag's id"],
      [`harbor --credential ${google} --property harbor.example`, 1, "sc-domain:shop.example or https://"],
      [`harbor --credential ${bing} --property 1001`, 1, "is named by its address"],
      [`harbor --credential ${google}`, 2, "--property is missing"],
      ["harbor --property 1001", 2, "--credential is missing"],
    ] as const) {
      const { exitCode, stderr } = await call(`property attach ${words}`);
      expect({ words, exitCode, said: stderr.includes(said) }).toEqual({ words, exitCode: code, said: true });
    }
    expect(attached()).toEqual([]);
  });

  test("to a retired site is done, and said to pull nothing; a site that is taken out loses it", async () => {
    await call("asset add harbor --lifecycle retired");
    const done = await call(`property attach harbor --credential ${google} --property 1001`);
    expect(done.stderr).toContain("harbor is retired: nothing is pulled for it.");
    expect(await call("asset remove harbor")).toMatchObject({ exitCode: 0 });
    expect(attached()).toEqual([]);
  });
});

test("property detach takes away what webmaster tools found by the site's address, too", async () => {
  await call("job run webmaster-tools");
  const detach = () => call("property detach harbor --provider webmaster-tools");
  expect((await detach()).stderr).toContain("https://harbor.example/ is detached from harbor");
  expect((await detach()).stderr).toContain("it has none");
});
