/** The nightly pull as an operator meets it: whose sites it is for, and the one flag that tells of a night that failed. */

import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { pause } from "../../src/health/pauses.ts";
import { attachProperty, removeAccount } from "../../src/signals/credential_changes.ts";
import { type Pulled, pulledTower, pulledWorld } from "../support/pulled.ts";

interface Flag {
  readonly id: string;
  readonly asset: string;
  readonly rule: string;
  readonly severity: string;
  readonly message: string;
  readonly status: string;
  readonly resolution: string | null;
  readonly rule_inputs: Readonly<Record<string, unknown>>;
}

const DAY = 86_400_000;
const SITES = ["harbor.example", "orchard.example", "quay.example"];

let pulled: Pulled;
beforeEach(async () => {
  pulled = await pulledTower({ world: pulledWorld(SITES) });
});
afterEach(() => pulled.close());

const flags = () => pulled.list<Flag>("/api/flags?rule=asset-pull-failed");
const evidence = () =>
  pulled.tower.deps.store.raw
    .query<{ n: number }, []>("SELECT count(*) AS n FROM flag_record WHERE type = 'evidence'")
    .all()[0]?.n;

/** Lets the question about a site fail in one night. */
function fails(name: string): void {
  const where = { server: "webmasterTools", operation: "GetRankAndTrafficStats", times: 9 } as const;
  pulled.simulators.script({ kind: "error", error: "2" }, { ...where, property: `https://${name}/` });
}

/** Does something while the first question about a site is under way. */
function meanwhile(act: () => void): void {
  const bend = (told: object) => {
    act();
    return told;
  };
  pulled.simulators.script(
    { kind: "bent", bend },
    { server: "webmasterTools", operation: "GetRankAndTrafficStats" },
  );
}

async function night(...failing: readonly string[]): Promise<void> {
  pulled.clock.advance(DAY);
  for (const name of failing) fails(name);
  await pulled.run("webmaster-tools");
  pulled.simulators.calm();
}

describe("a night that failed", () => {
  test("stays one while the site is listed no more: that it is not asked is no recovery", async () => {
    await night();
    await night("quay.example");
    const bend = (told: object) => {
      const { d } = told as { d: readonly { Url: string }[] };
      return { d: d.filter(({ Url }) => Url !== "https://quay.example/") };
    };
    pulled.clock.advance(DAY);
    pulled.simulators.script(
      { kind: "bent", bend },
      { server: "webmasterTools", operation: "GetUserSites", times: 1 },
    );
    expect((await pulled.run("webmaster-tools")).outcome).toBe("partial");
    expect(await flags()).toMatchObject([
      { status: "open", rule_inputs: { failed_sites: [{ asset: "quay.example", category: "access" }] } },
    ]);
    await night();
    expect(await flags()).toMatchObject([{ status: "resolved", resolution: "pulled_again" }]);
  });

  test("ends with the next run where its account was removed, which then is the last", async () => {
    await night("harbor.example");
    const { deps } = pulled.tower;
    await removeAccount(deps, pulled.credentials.webmaster, { actor: "test", now: deps.clock.now() });
    expect(deps.pulls.asksForWebmasterTools()).toBe(true);
    await night();
    expect(await flags()).toMatchObject([{ status: "resolved" }]);
    expect(deps.pulls.asksForWebmasterTools()).toBe(false);
  });

  test("is one flag on the service's own asset, whose words follow the latest run", async () => {
    await night("harbor.example");
    const [raised] = await flags();
    expect(raised).toMatchSnapshot();
    await night("harbor.example", "quay.example");
    const [held] = await flags();
    expect(held).toMatchObject({
      id: raised?.id,
      status: "open",
      message: "The nightly webmaster-tools pull failed for 2 of 3 sites",
    });
    expect(evidence()).toBe(2);
    // A site that is paused is none of a night's.
    const { writer } = pulled.tower.deps;
    const paused = { capability: "webmaster-tools.daily", asset: "orchard.example", until: null };
    await writer.write((tx) => pause(tx, paused, { actor: "ada", now: pulled.clock.now() }));
    await night("harbor.example");
    expect((await flags())[0]?.message).toBe("The nightly webmaster-tools pull failed for 1 of 2 sites");
    await night();
    expect(await flags()).toMatchObject([{ id: raised?.id, status: "resolved", resolution: "pulled_again" }]);
  });

  test("of which the list of sites itself could not be read, says so", async () => {
    pulled.simulators.script({ kind: "error", error: "3" }, { server: "webmasterTools", times: 9 });
    expect((await pulled.run("webmaster-tools")).reports).toEqual({ failed: 1 });
    expect((await flags())[0]).toMatchObject({
      message: "The nightly webmaster-tools pull failed: the list of sites could not be read",
      rule_inputs: { sites: 0, failed: 0, list_failed: true, categories: { access: 1 } },
    });
    // What holds it back still keeps the night from coming off: nothing is asked, and the flag stays.
    pulled.simulators.calm();
    pulled.simulators.forget();
    expect((await pulled.run("webmaster-tools")).reports).toEqual({ held: 1 });
    expect(pulled.simulators.log).toStrictEqual([]);
    expect((await flags()).map(({ status }) => status)).toEqual(["open"]);
  });

  test("is not told of by a run that was stopped", async () => {
    const stop = new AbortController();
    meanwhile(() => stop.abort());
    const run = pulled.tower.deps.jobs.run("webmaster-tools", "command", stop.signal);
    expect((await run).outcome).not.toBe("done");
    expect(await flags()).toStrictEqual([]);
    expect(pulled.attempts().map(({ asset, outcome }) => [asset, outcome])).toEqual([["", "unchanged"]]);
  });

  test("of sites that no key covers is none: without a key there is nothing to pull", async () => {
    await pulled.close();
    const { sites } = pulledWorld(SITES);
    for (const site of sites) if (site.webmasterTools !== undefined) site.webmasterTools.verified = false;
    pulled = await pulledTower({ world: { sites } });
    expect((await pulled.run("webmaster-tools")).reports).toEqual({ empty: 1 });
    expect(await flags()).toStrictEqual([]);
  });
});

test("an attached address that is not verified under the key is refused for that site alone, without asking", async () => {
  const { deps } = pulled.tower;
  const attached = await attachProperty(
    deps,
    {
      asset: "harbor.example",
      provider: "webmaster-tools",
      credential: pulled.credentials.webmaster,
      property: "https://elsewhere.example/",
      replace: false,
    },
    { actor: "test", now: pulled.clock.now() },
  );
  expect(attached.ok).toBe(true);
  expect((await pulled.run("webmaster-tools")).reports).toEqual({ unchanged: 1, changed: 2, failed: 1 });
  expect(pulled.attempts().find(({ category }) => category !== null)).toMatchSnapshot();
});

test("a key that was replaced while it was asked writes nothing for the new one", async () => {
  const { raw } = pulled.tower.deps.store;
  meanwhile(() =>
    raw.run("UPDATE credential SET connection_revision = 'another' WHERE kind = 'webmaster-tools-key'"),
  );
  const run = pulled.run("webmaster-tools");
  expect((await run).reports).toEqual({ unchanged: 1, failed: 3 });
  expect(pulled.observations()).toBe(0);
  expect(pulled.stored("webmaster-tools")).toStrictEqual([]);
  expect(pulled.attempts().map(({ category }) => category)).toEqual([
    null,
    ...SITES.map(() => "monitoring_failure"),
  ]);
});
