/** What is sent to Tower is health, too: told from the reports themselves, refused ones as soon as they are written down. */

import { expect, test } from "bun:test";
import { HARBOR_TOKEN, testGround } from "../support/deps.ts";
import { fresh } from "../support/fresh.ts";
import { readHealth, targetIn } from "../support/health.ts";
import { parsed, textOf } from "../support/html.ts";
import { codebaseReport } from "../support/make/codebase_report.ts";
import { pulse } from "../support/make/pulse.ts";
import { OPERATOR_HEADER, PORTS, PROXY, testTower } from "../support/test_tower.ts";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

const service = fresh(async () => testTower({ ground: await testGround(), settings: PROXY }));

const now = () => service.deps.clock.now();
const iso = (ms: number) => new Date(ms).toISOString();

/** Sends a report of harbor, or an annotation, and writes down what was refused. */
async function send(
  path: string,
  body: object,
  token = HARBOR_TOKEN,
  arrives?: Promise<void>,
): Promise<number> {
  const request = new Request(`http://localhost:${PORTS.ingest}${path}`, {
    method: "POST",
    headers: {
      host: `localhost:${PORTS.ingest}`,
      "content-type": "application/json",
      authorization: `Bearer ${token}`,
    },
    body:
      arrives === undefined
        ? JSON.stringify(body)
        : new ReadableStream({
            pull: async (stream) => {
              await arrives;
              stream.enqueue(new TextEncoder().encode(JSON.stringify(body)));
              stream.close();
            },
          }),
  });
  const { status } = await service.ingest(request, () => "127.0.0.1");
  await service.deps.jobs.run("refusals", "schedule");
  await service.deps.writer.settled();
  return status;
}

const nightly = (change: object = {}) =>
  send("/api/pulse", { ...pulse({ generatedAt: iso(now()) }), ...change });
const told = async (capability: string, asset?: string) =>
  targetIn(await readHealth(service), capability, asset);

test("a source whose state is unknown is told alike by the ranking, the first page, its site, the Wall and Integrations", async () => {
  const read = (path: string) => service.ask(path, { as: "", headers: { [OPERATOR_HEADER]: "ada" } });
  const page = async (path: string) => textOf(parsed(await (await read(path)).text())).replace(/\s+/g, " ");
  expect(await nightly()).toBe(201);
  expect(await page("/sites/harbor")).toContain("Nothing needs attention.");
  service.deps.clock.advance(-HOUR);
  expect((await told("ingest.nightly", "harbor")).state).toBe("unknown");
  const { items } = (await (await read("/api/attention")).json()) as { items: { title: string }[] };
  expect(items).toMatchSnapshot();
  expect(await page("/")).toContain("1 site needs attention: 1 with an unknown state.");
  expect(await page("/sites/harbor")).toContain("1 state is unknown.");
  expect(await page("/wall")).toContain("1 site unknown");
  expect(await page("/integrations")).toContain("1 problem needs you.");
});

test("the Wall does not say that Tower retries a refused report, which only its sender can", async () => {
  const wall = async () => {
    const response = await service.ask("/wall", { as: "", headers: { [OPERATOR_HEADER]: "ada" } });
    return textOf(parsed(await response.text()));
  };
  expect(await nightly({ metrics: { signups: { last24h: -1 } } })).toBe(422);
  expect(await wall()).toContain("Last report refused");
  expect(await wall()).not.toMatch(/retrying/i);
  service.deps.clock.advance(HOUR);
  expect(await wall()).toContain("breaks the contract");
});

test("a nightly report: never come, come, refused, come again, and silent", async () => {
  expect(await told("ingest.nightly", "harbor")).toMatchObject({
    state: "never_run",
    action: { code: "set_up_sending" },
  });
  expect(await nightly()).toBe(201);
  const first = now();
  expect(await told("ingest.nightly", "harbor")).toMatchSnapshot();

  // What is told is of when it was written down, not of when it is read.
  service.deps.clock.advance(HOUR);
  expect((await readHealth(service)).observed_at).toBe(iso(first));

  service.deps.clock.advance(DAY - HOUR);
  expect(await nightly({ metrics: { signups: { last24h: -1 } } })).toBe(422);
  expect(await told("ingest.nightly", "harbor")).toMatchSnapshot();
  // A site that is refused is failing, and not silent, however long.
  service.deps.clock.advance(3 * DAY);
  expect(await told("ingest.nightly", "harbor")).toMatchObject({ state: "failing" });

  expect(await nightly()).toBe(201);
  expect(await told("ingest.nightly", "harbor")).toMatchObject({
    state: "working",
    category: null,
    covered_date: iso(now()).slice(0, 10),
  });
  const { events } = await readHealth(service, "harbor");
  expect(events.map(({ capability, change, category }) => `${capability} ${change} ${category}`)).toEqual([
    "ingest.nightly recovery invalid_report",
    "ingest.nightly first_failure invalid_report",
  ]);

  service.deps.clock.advance(26 * HOUR - 1);
  expect(await told("ingest.nightly", "harbor")).toMatchObject({ state: "working" });
  service.deps.clock.advance(1);
  expect(await told("ingest.nightly", "harbor")).toMatchObject({
    state: "stale",
    action: { code: "check_sender" },
  });
});

test("a report that came while the clock was fast is not known to be of now, until it was seen to be", async () => {
  service.deps.clock.advance(2 * DAY);
  expect(await nightly()).toBe(201);
  service.deps.clock.advance(-2 * DAY);
  expect(await told("ingest.nightly", "harbor")).toMatchObject({
    state: "unknown",
    category: "monitoring_failure",
  });
  await service.deps.jobs.run("freshness", "schedule");
  expect(await told("ingest.nightly", "harbor")).toMatchObject({ state: "working", covered_date: null });
});

test.each([
  ["a slow good report ends no refusal that began after it", { good: "slow" }, "failing"],
  ["a slow refused report undoes no good one that began after it", { good: "quick" }, "working"],
] as const)("%s", async (_, { good }, state) => {
  const quickly = Promise.withResolvers<void>();
  const [fine, broken] = [{}, { metrics: { signups: { last24h: -1 } } }];
  const report = (change: object) => ({ ...pulse({ generatedAt: iso(now()) }), ...change });
  const began = now();
  const slow = send("/api/pulse", report(good === "slow" ? fine : broken), HARBOR_TOKEN, quickly.promise);
  service.deps.clock.advance(2_000);
  expect(await send("/api/pulse", report(good === "slow" ? broken : fine))).toBe(good === "slow" ? 422 : 201);
  service.deps.clock.advance(2_000);
  quickly.resolve();
  expect(await slow).toBe(good === "slow" ? 201 : 422);
  expect(await told("ingest.nightly", "harbor")).toMatchObject({
    state,
    last_attempt_started_at: iso(began + 2_000),
    last_success_started_at: iso(good === "slow" ? began : began + 2_000),
  });
});

test("a codebase report of an older day is the last that came", async () => {
  const codebase = (generatedAt: number) =>
    send("/api/codebase-report", { ...codebaseReport(), generatedAt: iso(generatedAt) });
  await codebase(now());
  service.deps.clock.advance(HOUR);
  await codebase(now() - 3 * DAY);
  expect(await told("ingest.codebase", "harbor")).toMatchObject({ last_success_started_at: iso(now()) });
});
