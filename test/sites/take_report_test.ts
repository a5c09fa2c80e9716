import { expect, test } from "bun:test";
import { PulseSchema } from "../../src/reports/pulse.ts";
import { takeReport } from "../../src/sites/report_sender.ts";
import { HARBOR_TOKEN, testGround } from "../support/deps.ts";
import { pulse } from "../support/make/pulse.ts";
import { testTower } from "../support/test_tower.ts";

test("what is kept of a report is what is stored: as it was sent, or as it was changed though nothing of it was left out", async () => {
  const tower = await testTower({ ground: await testGround() });
  const sent = ` ${JSON.stringify(pulse({ metrics: { signups: { last24h: 1 } } }))}`;
  const bodies: string[] = [];
  const take = (isChanged: boolean) =>
    takeReport(
      new Request("http://127.0.0.1/api/pulse", {
        method: "POST",
        headers: { authorization: `Bearer ${HARBOR_TOKEN}`, "content-type": "application/json" },
        body: sent,
      }),
      { ...tower.deps, isOperatorToken: () => false },
      {
        schema: PulseSchema,
        maxBytes: 1_000,
        kept: (report) => ({ report: isChanged ? { ...report, metrics: {} } : report, ignored: [] }),
        store: (_tx, { body, report }) => {
          bodies.push(body);
          return { date: report.generatedAt.slice(0, 10) as never, revision: 1 };
        },
        told: () => ({}),
      },
    );
  expect([(await take(false)).status, (await take(true)).status]).toEqual([201, 201]);
  expect(bodies).toEqual([sent, JSON.stringify(pulse())]);
  await tower.stop();
});
