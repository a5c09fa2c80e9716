import { afterEach, beforeEach, describe, expect, type Mock, spyOn, test } from "bun:test";
import { issueServiceToken } from "../../src/access/api_tokens.ts";
import { findFlag } from "../../src/flags/queries.ts";
import { type TestGround, testGround } from "../support/deps.ts";
import { fullPulse, pulse } from "../support/make/pulse.ts";
import { expectBroken } from "../support/problem.ts";
import { type TestTower, testTower } from "../support/test_tower.ts";

let ground: TestGround;
let service: TestTower;
let kicks: Mock<() => void>;

beforeEach(async () => {
  ground = await testGround();
  service = await testTower({ ground });
  kicks = spyOn(service.deps.follower, "kick").mockImplementation(() => undefined);
});
afterEach(() => service.close());

const send = (body: unknown) => service.report("/api/pulse", body);

describe("POST /api/pulse", () => {
  test("a milestone sent with another severity is kept as info, and the answer names the pointer (decisions 5)", async () => {
    const milestone = { severity: "warn", kind: "milestone", metric: "signups", msg: "1,000 sign-ups" };
    const flags = [
      { ...milestone, severity: "info" },
      milestone,
      { ...milestone, kind: "anomaly", severity: "error" },
    ];
    const response = await send({ ...pulse(), flags, sender: "cron" });
    expect(response.status).toBe(201);
    const answer = (await response.json()) as { flags: { id: string }[]; ignored: string[] };
    expect(answer.ignored).toEqual(["/sender", "/flags/1/severity"]);
    const severities = answer.flags.map(({ id }) => findFlag(ground.store.db, id)?.severity ?? "none");
    expect(severities).toEqual(["info", "info", "error"]);
    const [kept] = ground.store.raw.query<{ body: string }, []>("SELECT body FROM pulse_body").all();
    expect(JSON.parse(kept?.body ?? "{}")).toMatchObject({ flags: [{}, { severity: "info" }, {}] });
  });

  test("answers 201 with asset, date, revision, receivedAt, the flags' ids and what was ignored", async () => {
    const response = await send({ ...fullPulse(), sender: "cron" });
    expect(response.status).toBe(201);
    const answer = (await response.json()) as { flags: { id: string }[] };
    expect(answer).toMatchSnapshot();
    expect(answer.flags).toHaveLength(1);
    expect(kicks).toHaveBeenCalledTimes(1);
  });

  test("what was ignored is not stored, and the rest comes back from the read API as it was sent", async () => {
    await send({ ...fullPulse(), sender: "cron" });
    const token = await issueServiceToken(service.deps, "reader", ["read"], { actor: "test", now: 0 });
    const response = await service.tower(
      new Request("http://localhost:4611/api/assets/harbor/pulses", {
        headers: { host: "localhost:4611", authorization: `Bearer ${token.token}` },
      }),
    );
    const { items } = (await response.json()) as { items: unknown[] };
    expect(items).toEqual([
      { ...fullPulse(), date: "2026-03-01", revision: 1, receivedAt: "2026-03-01T12:00:00.000Z" },
    ]);
  });

  test("generatedAt may be 5 minutes ahead of the service's clock and no more", async () => {
    expect((await send(pulse({ generatedAt: "2026-03-01T12:05:00Z" }))).status).toBe(201);
    expect(await expectBroken(await send(pulse({ generatedAt: "2026-03-01T12:05:01Z" })))).toEqual([
      "/generatedAt not-in-future",
    ]);
  });
});
