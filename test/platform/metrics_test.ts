import { afterAll, describe, expect, test } from "bun:test";
import { SiteTokenBook } from "../../src/assets/mod.ts";
import { sha256Hex } from "../../src/lib/digest.ts";
import { makeTokenText } from "../../src/lib/token_text.ts";
import { metaRoutes } from "../../src/meta_routes.ts";
import type { Scope } from "../../src/platform/access.ts";
import { type Environment, readConfig } from "../../src/platform/config.ts";
import { createEdge } from "../../src/platform/edge.ts";
import { createMetrics } from "../../src/platform/metrics.ts";
import { routerOf } from "../../src/platform/routing.ts";
import { createSessions } from "../../src/tower/session.ts";
import { capturingLog } from "../support/log.ts";
import { operatorDeps } from "../support/operators.ts";
import { expectProblem } from "../support/problem.ts";

const deps = operatorDeps();
/** Issues an operator token and returns its text. */
function issued(scope: Scope): string {
  const { text, keyId } = makeTokenText("smc", deps.ids.bytes);
  deps.apiTokens.add({ id: keyId, digest: sha256Hex(text), operator: "ci", scopes: [scope] });
  return text;
}
const READ = issued("read");
const POSTS = issued("annotations");
afterAll(() => deps.store.close());

/** The figures of a service that does nothing. */
function idleMetrics() {
  return createMetrics({
    queuedWrites: () => 0,
    walBytes: () => 0,
    backlog: () => ({ reports: 0, seconds: 0 }),
    monitoringFailures: () => [],
    machine: () => ({
      diskFree: undefined,
      refusing: false,
      lockWaitSeconds: 0,
      checkpointFailures: 0,
      descriptorShortages: 0,
    }),
  });
}

/** Asks for the figures of a service with such settings. */
function ask(
  env: Environment,
  peer: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<Response> {
  const config = readConfig(env);
  const metrics = idleMetrics();
  const sessions = createSessions({
    ...deps,
    siteTokens: new SiteTokenBook(),
    config,
    origins: () => new Set(),
  });
  const edge = createEdge({
    listener: "tower",
    route: routerOf(
      metaRoutes(
        {
          ...deps,
          config,
          metrics,
          follower: { restingSince: undefined },
          machine: { unready: () => undefined },
        },
        sessions,
        () => ({}),
      ),
    ),
    hosts: () => new Set(["localhost"]),
    refuseBrowsers: false,
    headers: {},
    clock: deps.clock,
    ids: deps.ids,
    log: capturingLog().log,
  });
  return edge(
    new Request("http://localhost/metrics", { headers: { host: "localhost", ...headers } }),
    () => peer,
  );
}

describe("/metrics (decisions 2)", () => {
  test("counts what was answered and refused before its registry was loaded", async () => {
    const metrics = idleMetrics();
    for (let i = 0; i < 3; i++) metrics.observe("ingest", 201, 0.004);
    metrics.countRefused("broken-contract");
    const text = await metrics.text();
    expect(text).toContain('tower_http_answers_total{listener="ingest",status="201"} 3');
    expect(text).toContain('tower_http_answer_seconds_bucket{le="0.005",listener="ingest"} 3');
    expect(text).toContain('tower_refused_reports_total{code="broken-contract"} 1');
  });

  test("is open to this machine while no proxy is set up", async () => {
    for (const peer of ["127.0.0.1", "::1"]) {
      const response = await ask({}, peer);
      expect([response.status, (await response.text()).includes("process_resident_memory_bytes")]).toEqual([
        200,
        true,
      ]);
    }
  });

  const guarded: readonly (readonly [string, Environment, string, Readonly<Record<string, string>>])[] = [
    ["from beyond loopback", {}, "192.0.2.7", {}],
    ["without a known peer", {}, "", {}],
    ["under a published address", { TOWER_PUBLIC_URL: "https://tower.example" }, "127.0.0.1", {}],
    ["with trusted proxies", { TRUSTED_PROXIES: "10.0.0.2" }, "127.0.0.1", {}],
    ["with a trusted header", { TRUSTED_AUTH_HEADER: "X-Remote-User" }, "127.0.0.1", {}],
    ...["X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto", "Forwarded", "X-Real-IP", "Via"].map(
      (name) => [`with ${name}`, {}, "127.0.0.1", { [name]: "" }] as const,
    ),
  ];
  for (const [name, env, peer, headers] of guarded) {
    test(`${name} needs the scope read`, async () => {
      const bearer = (token: string) => ({ ...headers, authorization: `Bearer ${token}` });
      await expectProblem(await ask(env, peer, headers), "unauthenticated");
      await expectProblem(await ask(env, peer, bearer("unknown")), "unauthenticated");
      await expectProblem(await ask(env, peer, bearer(POSTS)), "insufficient-scope");
      expect((await ask(env, peer, bearer(READ))).status).toBe(200);
    });
  }

  test("holds no figure for which the runtime walks its whole heap", async () => {
    expect(await (await ask({}, "127.0.0.1")).text()).not.toContain("heap_space");
  });
});
