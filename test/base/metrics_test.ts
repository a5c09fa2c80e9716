import { describe, expect, test } from "bun:test";
import { issueServiceToken } from "../../src/access/api_tokens.ts";
import { createMetrics, expositionOf } from "../../src/base/metrics.ts";
import { expectProblem } from "../support/problem.ts";
import { type TestTower, TOWER_ORIGIN, testTower } from "../support/test_tower.ts";

type Settings = Readonly<Record<string, string>>;

/** Asks for the figures, as `peer`. */
function ask(
  { tower }: TestTower,
  peer: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<Response> {
  const { host } = new URL(TOWER_ORIGIN);
  return tower(new Request(`${TOWER_ORIGIN}/metrics`, { headers: { host, ...headers } }), () => peer);
}

describe("/metrics (decisions 2)", () => {
  test("counts what was answered before its registry was loaded", async () => {
    const metrics = createMetrics(() => []);
    for (let i = 0; i < 3; i++) metrics.observe("ingest", 201, 0.004);
    const text = await metrics.text();
    expect(text).toContain('tower_http_answers_total{listener="ingest",status="201"} 3');
    expect(text).toContain('tower_http_answer_seconds_bucket{le="0.005",listener="ingest"} 3');
  });

  test("tells no heap figures: the runtime's are not what their names say", async () => {
    const text = await createMetrics(() => []).text();
    expect(text).toContain("process_resident_memory_bytes");
    expect(text).not.toMatch(/^(?:process|nodejs)_heap|^nodejs_external/m);
  });

  test("is open to this machine while no proxy is set up", async () => {
    const service = await testTower();
    for (const peer of ["127.0.0.1", "::1"]) {
      const response = await ask(service, peer);
      expect([response.status, (await response.text()).includes("process_resident_memory_bytes")]).toEqual([
        200,
        true,
      ]);
    }
    await service.close();
  });

  const guarded: readonly (readonly [string, Settings, string, Readonly<Record<string, string>>])[] = [
    ["from beyond loopback", {}, "192.0.2.7", {}],
    ["without a known peer", {}, "", {}],
    ["under a published address", { TOWER_PUBLIC_URL: "https://tower.example" }, "127.0.0.1", {}],
    ["with trusted proxies", { TRUSTED_PROXIES: "10.0.0.2" }, "127.0.0.1", {}],
    ["with a trusted header", { TRUSTED_AUTH_HEADER: "X-Remote-User" }, "127.0.0.1", {}],
    ...["X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto", "Forwarded", "X-Real-IP", "Via"].map(
      (name) => [`with ${name}`, {}, "127.0.0.1", { [name]: "" }] as const,
    ),
  ];
  for (const [name, settings, peer, headers] of guarded) {
    test(`${name} needs the scope read`, async () => {
      const service = await testTower({ settings });
      const by = { actor: "test", now: 0 };
      const reads = await issueServiceToken(service.deps, "reader", ["read"], by);
      const posts = await issueServiceToken(service.deps, "poster", ["annotations"], by);
      const bearer = (token: string) => ({ ...headers, authorization: `Bearer ${token}` });
      await expectProblem(await ask(service, peer, headers), "unauthenticated");
      await expectProblem(await ask(service, peer, bearer("unknown")), "unauthenticated");
      await expectProblem(await ask(service, peer, bearer(posts.token)), "insufficient-scope");
      expect((await ask(service, peer, bearer(reads.token))).status).toBe(200);
      await service.close();
    });
  }

  test("holds no figure for which the runtime walks its whole heap", async () => {
    const service = await testTower();
    expect(await (await ask(service, "127.0.0.1")).text()).not.toContain("heap_space");
    await service.close();
  });
});

test("a figure is its help, its type and its samples; what would end a line or a label is escaped", () => {
  const text = expositionOf([
    {
      name: "a",
      type: "gauge",
      help: "One \\ line\nor two.",
      samples: [[1.5], [2, { x: 'q"u\\o\nte', y: "" }]],
    },
    { name: "b_total", type: "counter", help: "None yet.", samples: [] },
  ]);
  expect(text).toBe(
    `${[
      "# HELP a One \\\\ line\\nor two.",
      "# TYPE a gauge",
      "a 1.5",
      'a{x="q\\"u\\\\o\\nte",y=""} 2',
      "# HELP b_total None yet.",
      "# TYPE b_total counter",
    ].join("\n")}\n`,
  );
});
