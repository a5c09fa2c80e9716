import { expect, test } from "bun:test";
import { acceptPulse } from "../../src/reports/pulse_routes.ts";
import { testGround } from "../support/deps.ts";
import { pulse } from "../support/make/pulse.ts";
import { world } from "../support/world.ts";

const MIB = 1024 * 1024;

test("a list of large reports (decisions 3, Reading over the API) comes in pages of 4 MiB that join to the whole list, each report as it was sent", async () => {
  const ground = await testGround();
  const sent: string[] = [];
  for (let i = 0; i < 40; i++) {
    const pages = Array.from({ length: 430 }, (_, k) => ({
      page: `/${i}-${k}`.padEnd(490, "x"),
      count: k,
    }));
    const report = pulse({ negativeByPage: pages });
    // As a sender may write it: the white space and the spelling of numbers are its own.
    const body = ` ${JSON.stringify(report, null, i % 2)} \n`.replace('"count":7', '"count":7.0');
    sent.push(body);
    await ground.writer.write((tx) =>
      acceptPulse(tx, { report, body, receivedAt: ground.clock.now(), newId: ground.ids.uuid }),
    );
  }
  const site = await world({ ground });
  const page = async (cursor: string) => {
    const path = `/api/assets/harbor/pulses?limit=500&revisions=all${cursor}`;
    const response = await site.ask(path, { headers: { "accept-encoding": "zstd" } });
    const text = new TextDecoder().decode(Bun.zstdDecompressSync(await response.bytes()));
    return { text, ...(JSON.parse(text) as { items: Record<string, unknown>[]; next: string | null }) };
  };

  const items: Record<string, unknown>[] = [];
  let cursor = "";
  let pages = 0;
  for (; pages < 10; pages++) {
    const { text, items: shown, next } = await page(cursor);
    expect(Buffer.byteLength(text)).toBeLessThan(4 * MIB + 1_000);
    items.push(...shown);
    if (next === null) break;
    cursor = `&cursor=${next}`;
  }
  expect(pages).toBe(2);
  expect(items.map(({ revision }) => revision)).toEqual(Array.from({ length: 40 }, (_, i) => 40 - i));
  expect(items.map(({ date, revision, receivedAt, ...report }) => report)).toEqual(
    sent.toReversed().map((body) => JSON.parse(body) as Record<string, unknown>),
  );
  await site.stop();
  ground.store.close();
});
