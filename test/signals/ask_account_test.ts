/** Asking an account what it may see, over real HTTP: what is recorded, what is kept, and what it never says of anything else. */

import { describe, expect, test } from "bun:test";
import { startSimulators } from "../../src/demo/simulator/simulators.ts";
import type { World } from "../../src/demo/simulator/world.ts";
import { checkScope } from "../../src/health/health.ts";
import { findEvidence, listHealthEvents, listHealthStates } from "../../src/health/state_store.ts";
import type { Provider } from "../../src/providers/adapter.ts";
import { findConnection } from "../../src/providers/credentials.ts";
import { readCredentialFile } from "../../src/providers/given_file.ts";
import { listProperties } from "../../src/providers/properties.ts";
import { askAccount } from "../../src/signals/account_check.ts";
import { findConnectionHold } from "../../src/signals/attempts.ts";
import { removeAccount, replaceCredential } from "../../src/signals/credential_changes.ts";
import { listRuns } from "../../src/store/job_runs.ts";
import { FakeClock } from "../support/clock.ts";
import { accountSecret, storedCredential } from "../support/credentials.ts";
import { fresh, shared } from "../support/fresh.ts";
import { testTower } from "../support/test_tower.ts";
import { until } from "../support/until.ts";

const clock = new FakeClock();
const WORLD: World = {
  sites: [
    {
      name: "harbor.example",
      visitsPerDay: 40,
      firstDay: 20_000,
      analytics: { property: "1001", timeZone: "Europe/Paris" },
      searchConsole: { property: "sc-domain:harbor.example" },
      webmasterTools: { property: "https://harbor.example/" },
    },
    {
      name: "orchard.example",
      visitsPerDay: 40,
      firstDay: 20_000,
      analytics: { property: "1002", timeZone: "Asia/Tokyo" },
      searchConsole: { property: "https://orchard.example/", permission: "siteUnverifiedUser" },
      webmasterTools: { property: "https://orchard.example/", verified: false },
    },
  ],
  accounts: [{ name: "tower" }, { name: "nobody", sites: [] }],
};

const simulators = shared(() => startSimulators({ now: () => clock.now(), seed: 7, world: WORLD }));

const tower = fresh(() => {
  simulators.calm();
  return testTower({ settings: simulators.settings, ground: { clock } });
});

async function stored(provider: Provider, account = "tower"): Promise<string> {
  const text =
    provider === "webmaster-tools"
      ? simulators.webmasterKey(account)
      : simulators.serviceAccount({ account });
  const read = await readCredentialFile(provider, text, tower.deps.config.providers);
  if (!read.ok) throw new Error(read.faults.join());
  return (await storedCredential(tower.deps, provider, read.secret)).id;
}

const ask = async (credential: string, job: "connection-test" | "site-discovery" = "connection-test") => {
  const asked = await askAccount(tower.deps, { job, credential, by: "command" });
  if (!asked.ok) throw new Error(asked.why);
  return asked.answers;
};
const codesOf = async (credential: string) =>
  (await ask(credential)).map(({ fault }) => fault?.code ?? "usable");
/** Resolves once an account has signed in: what is asked after that is under way. */
function nextExchange(): Promise<unknown> {
  const before = simulators.exchanges;
  return until(
    async () => simulators.exchanges,
    (count) => count > before,
  );
}
const attempts = () =>
  tower.deps.store.raw
    .query<{ job: string; asset: string; provider: string; outcome: number; category: number | null }, []>(
      `SELECT job, asset, provider, a.outcome, category FROM pull_attempt a JOIN pull_target t ON t.id = a.target
       JOIN job_run r ON r.id = a.run ORDER BY a.id`,
    )
    .all();

describe("discovery", () => {
  test("keeps what each provider listed, with what cannot be used, as attempts of a run of its own", async () => {
    const google = await stored("analytics");
    await stored("search-console");
    const bing = await stored("webmaster-tools");
    await ask(google, "site-discovery");
    await ask(bing, "site-discovery");
    const seen = listProperties(tower.deps.store.db).map(({ provider, property, timeZone, usable }) => [
      provider,
      property,
      timeZone,
      usable,
    ]);
    expect(seen).toMatchSnapshot();
    expect(attempts().map(({ job, asset, provider }) => [job, asset, provider])).toMatchSnapshot();
  });

  test("a list that did not come leaves the one before", async () => {
    const id = await stored("analytics");
    await ask(id, "site-discovery");
    const known = listProperties(tower.deps.store.db, id);
    simulators.script({ kind: "html" }, { server: "analyticsAdmin", operation: "property", times: 9 });
    await ask(id, "site-discovery");
    expect(listProperties(tower.deps.store.db, id)).toEqual(known);
    simulators.calm();
    simulators.script({ kind: "html" }, { server: "analyticsAdmin", times: 3 });
    const [answer] = await ask(id, "site-discovery");
    expect(answer).toMatchObject({ fault: { category: "provider_error" }, properties: undefined });
    expect(listProperties(tower.deps.store.db, id)).toHaveLength(2);
  });
});

describe("a connection test", () => {
  test("is well only where every provider shows something that can be used", async () => {
    const id = await stored("analytics");
    await stored("search-console");
    expect(await codesOf(id)).toEqual(["usable", "usable"]);
    const other = await stored("analytics", "nobody");
    expect(await codesOf(other)).toEqual(["no_property"]);
    const bing = await stored("webmaster-tools");
    expect(await codesOf(bing)).toEqual(["usable"]);
    // To see nothing holds nothing back.
    const [nothing] = await ask(other);
    expect(nothing?.nextRetryAt).toBeUndefined();
    const at = findConnection(tower.deps.store.db, other) ?? "";
    expect(
      findConnectionHold(tower.deps.store.db, { provider: "analytics", connectionRevision: at }, clock.now()),
    ).toBeUndefined();
    expect(attempts().map(({ outcome, category }) => [outcome, category])).toMatchSnapshot();
  });

  test("asks for a report, too: the API of reports may be off where the list is not", async () => {
    const id = await stored("analytics");
    simulators.script({ kind: "error", error: "service-disabled" }, { server: "analyticsData", times: 3 });
    expect(await codesOf(id)).toEqual(["api_disabled"]);
  });

  test("that may read no report of the first property is well: that says nothing of the others", async () => {
    const id = await stored("analytics");
    simulators.script({ kind: "error", error: "forbidden" }, { server: "analyticsData" });
    expect(await codesOf(id)).toEqual(["usable"]);
  });

  test("of an account with a wrong key, or a key nobody knows, is refused as access", async () => {
    const read = await readCredentialFile(
      "analytics",
      simulators.serviceAccount({ wrongKey: true }),
      tower.deps.config.providers,
    );
    if (!read.ok) throw new Error("it can sign");
    const { id } = await storedCredential(tower.deps, "analytics", read.secret);
    const [answer] = await ask(id);
    expect(answer?.fault).toMatchObject({ category: "access", code: "key_refused", scope: "credential" });
    const bing = await storedCredential(tower.deps, "webmaster-tools");
    expect((await ask(bing.id))[0]?.fault).toMatchObject({ category: "access", code: "key_refused" });
  });

  test("within a limit that the provider named nothing is asked; of what only a person can put right, it is", async () => {
    const id = await stored("webmaster-tools");
    simulators.script({ kind: "error", error: "4" });
    expect(await codesOf(id)).toEqual(["rate_limited"]);
    simulators.forget();
    const [held] = await ask(id);
    expect([held?.wasAsked, held?.fault?.code, simulators.log.length]).toEqual([false, "rate_limited", 0]);
    expect(held?.nextRetryAt).toBeGreaterThan(clock.now());
    const [run] = listRuns(tower.deps.store.db, "connection-test", 1);
    expect(run?.end?.reports).toEqual({ held: 1 });
    const [known] = listHealthStates(tower.deps.store.db);
    expect(known?.evidence).toMatchObject({
      latest: { category: "rate_limit", nextRetryAt: held?.nextRetryAt },
    });
    const google = await stored("analytics");
    simulators.script({ kind: "error", error: "service-disabled" }, { server: "analyticsAdmin", times: 9 });
    const connectionRevision = findConnection(tower.deps.store.db, google) ?? "";
    expect(await codesOf(google)).toEqual(["api_disabled"]);
    const connection = { provider: "analytics", connectionRevision } as const;
    expect(findConnectionHold(tower.deps.store.db, connection, clock.now())).toBeDefined();
    expect((await ask(google))[0]?.wasAsked).toBe(true);
  });

  test("a failure of the network ends no hold", async () => {
    const id = await stored("analytics");
    const connectionRevision = findConnection(tower.deps.store.db, id) ?? "";
    const hold = () =>
      findConnectionHold(tower.deps.store.db, { provider: "analytics", connectionRevision }, clock.now());
    simulators.script({ kind: "error", error: "service-disabled" }, { server: "analyticsAdmin", times: 9 });
    await ask(id);
    const before = hold();
    simulators.calm();
    simulators.script({ kind: "reset" }, { server: "analyticsAdmin", times: 9 });
    expect(await codesOf(id)).toEqual(["connection_lost"]);
    expect(hold()?.until).toBe(before?.until as never);
    simulators.calm();
    await ask(id);
    expect(hold()).toBeUndefined();
  });

  test("that began under another connection verifies nothing of the new one", async () => {
    const id = await stored("analytics");
    const secret = accountSecret("new@harbor.example");
    simulators.script({ kind: "slow", ms: 500 }, { server: "analyticsAdmin" });
    const signedIn = nextExchange();
    const asking = ask(id, "site-discovery");
    await signedIn;
    await replaceCredential(
      tower.deps,
      id,
      { provider: "analytics", secret, label: undefined },
      { actor: "test", now: clock.now() },
    );
    const [answer] = await asking;
    expect(answer?.fault).toMatchObject({ code: "connection_changed" });
    expect(listProperties(tower.deps.store.db)).toStrictEqual([]);
    const connectionRevision = findConnection(tower.deps.store.db, id);
    const targets = tower.deps.store.raw
      .query<{ revision: string }, []>("SELECT connection_revision AS revision FROM pull_target")
      .all();
    expect(targets.map(({ revision }) => revision === connectionRevision)).toEqual([false]);
    const known = listHealthStates(tower.deps.store.db).map(({ scope }) => scope.connectionRevision);
    expect(known.map((revision) => revision === connectionRevision)).toEqual([false]);
  });

  test("of what is not there, what cannot be read, and two at once", async () => {
    const id = await stored("analytics");
    const asking = { job: "connection-test", credential: id, by: "command" } as const;
    const [one, other] = await Promise.all([askAccount(tower.deps, asking), askAccount(tower.deps, asking)]);
    expect([one.ok, other]).toEqual([true, { ok: false, why: "busy" }]);
    tower.deps.store.raw.run("UPDATE credential SET edit_revision = 9");
    expect(await codesOf(id)).toEqual(["credential_unreadable"]);
    await removeAccount(tower.deps, id, { actor: "test", now: 1 });
    expect(await askAccount(tower.deps, asking)).toEqual({ ok: false, why: "missing" });
  });

  test("and a discovery are each told of by themselves, with the code of what was wrong, and under their connection", async () => {
    const id = await stored("analytics");
    const { store, config } = tower.deps;
    const connectionRevision = findConnection(store.db, id) ?? "";
    const told = (job: "connection-test" | "site-discovery") =>
      findEvidence(
        store.db,
        checkScope({ workspace: config.workspace, job, provider: "analytics", connectionRevision }),
      );
    simulators.script({ kind: "error", error: "service-disabled" }, { server: "analyticsAdmin", times: 9 });
    await ask(id);
    expect(told("connection-test")).toMatchObject({
      latest: { category: "configuration", code: "api_disabled", nextRetryAt: null },
      success: undefined,
    });
    expect(told("site-discovery")).toBeUndefined();
    simulators.calm();
    clock.advance(1);
    await ask(id, "site-discovery");
    expect(told("site-discovery")?.success?.startedAt).toBe(clock.now());
    expect(told("connection-test")?.latest.code).toBe("api_disabled");
    clock.advance(1);
    await ask(id);
    const changes = listHealthEvents(store.db, { limit: 9, isShown: () => true }).map(({ scope, change }) => [
      scope.capability,
      scope.asset,
      change,
    ]);
    expect(changes).toEqual([
      ["analytics.connection-test", "", "recovery"],
      ["analytics.connection-test", "", "first_failure"],
    ]);
  });

  test("takes its turn among what else is asked of the account", async () => {
    const id = await stored("analytics");
    const asked = simulators.log.length;
    const answer = Promise.withResolvers<void>();
    const key = { credential: id, provider: "analytics" } as const;
    const place = { priority: "sense", signal: new AbortController().signal, hasAsked: () => true } as const;
    const { queue } = tower.deps.pulls;
    const others = Array.from({ length: 4 }, () => queue.run(key, place, () => answer.promise));
    const asking = ask(id);
    await Bun.sleep(50);
    expect(simulators.log.length).toBe(asked);
    answer.resolve();
    await Promise.all(others);
    expect(await asking).toMatchObject([{ wasAsked: true, fault: undefined }]);
  });

  test("that is stopped is no failure of the account", async () => {
    const id = await stored("analytics");
    simulators.script({ kind: "slow", ms: 5_000 }, { server: "analyticsAdmin" });
    const stop = new AbortController();
    const signedIn = nextExchange();
    const asking = askAccount(tower.deps, {
      job: "connection-test",
      credential: id,
      by: "command",
      signal: stop.signal,
    });
    await signedIn;
    stop.abort();
    expect(await asking).toEqual({ ok: false, why: "stopped" });
    expect([attempts(), listHealthStates(tower.deps.store.db)]).toEqual([[], []]);
  });
});
