/**
 * What the Wall costs with 12, 60, 1,000 and 10,000 sites, each with its reports and three providers: how long its first byte takes in the
 * server, also after a write of one site, its bytes, and a refresh that finds nothing new; each beside the portfolio of the same sites.
 * `bun run bench wall`.
 */

import { join } from "node:path";
import { insertOpenFlag } from "../../src/flags/store.ts";
import { migrateStore } from "../../src/store/migrations.ts";
import { openStore } from "../../src/store/store.ts";
import { FakeClock } from "../support/clock.ts";
import { temporaryFolder } from "../support/folder.ts";
import { plantAttempt, plantPortfolio, siteNames } from "../support/health_portfolio.ts";
import { newFlag } from "../support/make/flag.ts";
import { PROXY, testTower } from "../support/test_tower.ts";
import { timesOf } from "./parts/processes.ts";

const SIZES = [12, 60, 1_000, 10_000] as const;
const ROUNDS = 40;
const WARM = 10;
const GOAL = { ms: 25, bytes: 60_000 };

using folder = temporaryFolder();
let missed = 0;
for (const size of SIZES) {
  const store = openStore(join(folder.path, `${size}.db`));
  migrateStore(store);
  const clock = new FakeClock("2026-11-20T14:02:10Z");
  const service = await testTower({ ground: { store, clock }, settings: PROXY });
  const { writer } = service.deps;
  const names = siteNames(size);
  await writer.write((tx): void => {
    plantPortfolio(tx, size, clock.now());
    for (const [place, asset] of names.entries())
      if (place % 10 === 3) insertOpenFlag(tx, `f${place}`, newFlag({ asset }), clock.now(), "rule");
  });
  const ask = async (path: string, headers: Readonly<Record<string, string>> = {}) => {
    const started = performance.now();
    const answer = await service.ask(path, { headers });
    // Answers are whole when their head is: the first byte leaves with the last one known.
    const ms = performance.now() - started;
    const bytes = (await answer.arrayBuffer()).byteLength;
    return { ms, bytes, status: answer.status, etag: answer.headers.get("etag") ?? "" };
  };
  const medianOf = async (
    path: string,
    headers: Readonly<Record<string, string>>,
    before = async (_: number) => {},
  ) => {
    const times: number[] = [];
    for (let round = 0; round < ROUNDS + WARM; round++) {
      await before(round);
      times.push((await ask(path, headers)).ms);
    }
    return timesOf(times.slice(WARM)).p50;
  };
  const write = (round: number) =>
    writer.write((tx) => {
      clock.advance(1_000);
      plantAttempt(tx, { asset: names[round % size] ?? "", provider: "search-console", at: clock.now() });
    });
  const plain = await ask("/wall");
  const zipped = { "accept-encoding": "gzip" };
  const packed = await ask("/wall", zipped);
  const { etag } = await ask("/wall", { "tower-refresh": "1" });
  const unchanged = { "tower-refresh": "1", "if-none-match": etag };
  const same = await ask("/wall", unchanged);
  const [wall, refresh, portfolio] = [
    await medianOf("/wall", zipped),
    await medianOf("/wall", unchanged),
    await medianOf("/", zipped),
  ];
  const written = await medianOf("/wall", zipped, write);
  console.log(
    `${String(size).padStart(5)} sites: first byte ${wall.toFixed(1)} ms (median of ${ROUNDS}), ${written.toFixed(1)} ms after a write, ${(wall / portfolio).toFixed(2)} of the portfolio's ${portfolio.toFixed(1)} ms;`,
    `${plain.bytes} bytes, ${packed.bytes} packed; a refresh without news: ${same.status}, ${same.bytes} bytes, ${refresh.toFixed(1)} ms`,
  );
  if (plain.status !== 200 || same.status !== 304 || wall >= GOAL.ms || packed.bytes >= GOAL.bytes) missed++;
  await service.close();
}
console.log(
  `goals (first byte under ${GOAL.ms} ms, under ${GOAL.bytes} bytes packed, one 304): ${missed === 0 ? "met" : `missed at ${missed} of ${SIZES.length} sizes`}`,
);
