/**
 * What an open page costs at 1,000 sites: a refresh on the server and over the wire, answered whole and as 304, and how long it
 * occupies the browser. `bun test/bench/refresh.ts`.
 */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { insertOpenFlag } from "../../src/flags/store.ts";
import { ensureAssets } from "../../src/sites/site_changes.ts";
import { migrateStore } from "../../src/store/migrations.ts";
import { openStore } from "../../src/store/store.ts";
import { launchBrowser } from "../support/browser.ts";
import { FakeClock } from "../support/clock.ts";
import { newFlag } from "../support/make/flag.ts";
import { PROXY, testTower } from "../support/test_tower.ts";
import { seed } from "./nightly_pages.ts";

const ROUNDS = 20;
const PATHS = ["/", "/flags", "/sites/big", "/sites/site-0005", "/timeline"];

const median = (times: readonly number[]) =>
  (times.toSorted((a, b) => a - b)[times.length >> 1] ?? Number.NaN).toFixed(1);

const folder = mkdtempSync(join(tmpdir(), "refresh-bench-"));
const store = openStore(join(folder, "bench.db"));
migrateStore(store);
seed(store);
const clock = new FakeClock("2026-11-20T14:02:10Z");
const service = await testTower({ ground: { store, clock }, settings: PROXY });
const { writer } = service.deps;
await writer.write((tx) => ensureAssets(tx, ["site-0005"], { actor: "bench", now: clock.now() }));
const { url } = service.listen("tower", "ada");
const browser = await launchBrowser();
let raised = 0;
const raise = () =>
  writer.write((tx): void => {
    const id = `new-${raised++}`;
    const flag = newFlag({ asset: "site-0005", severity: "error", subject: id, message: `Flag ${id}.` });
    insertOpenFlag(tx, id, flag, clock.now(), "rule");
  });
try {
  for (const path of PATHS) {
    const address = new URL(path, url).href;
    const ask = async (etag: string | null) => {
      const headers = new Headers({ "tower-refresh": "1", "hx-request": "true", "accept-encoding": "zstd" });
      if (etag !== null) headers.set("if-none-match", etag);
      const started = performance.now();
      const answer = await fetch(address, { headers, decompress: false });
      const body = await answer.arrayBuffer();
      return {
        ms: performance.now() - started,
        bytes: body.byteLength,
        status: answer.status,
        etag: answer.headers.get("etag"),
      };
    };
    const { etag } = await ask(null);
    const whole = await Array.fromAsync({ length: ROUNDS }, () => ask(null));
    const same = await Array.fromAsync({ length: ROUNDS }, () => ask(etag));
    const page = await browser.newPage({ viewport: { width: 1_440, height: 900 } });
    await page.goto(address);
    await page.evaluate(() => window.scrollTo(0, 600));
    const times: number[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      await raise();
      times.push(
        await page.evaluate(async () => {
          // From the answer's last byte to the renewed page: reading the answer, morphing, laying out, putting the reader back.
          const parse = DOMParser.prototype.parseFromString;
          let began = 0;
          DOMParser.prototype.parseFromString = function (...given) {
            began = performance.now();
            return parse.apply(this, given);
          };
          await new Promise((resolve) => {
            document.addEventListener("tower:fresh", resolve, { once: true });
            document.dispatchEvent(new CustomEvent("tower:ask"));
          });
          DOMParser.prototype.parseFromString = parse;
          return performance.now() - began;
        }),
      );
    }
    const elements = await page.evaluate(() => document.querySelectorAll("*").length);
    await page.close();
    console.log(
      path.padEnd(20),
      `200: ${median(whole.map(({ ms }) => ms))} ms, ${whole[0]?.bytes} bytes;`,
      `${same[0]?.status}: ${median(same.map(({ ms }) => ms))} ms, ${same[0]?.bytes} bytes;`,
      `browser: ${median(times)} ms, ${elements} elements`,
    );
  }
} finally {
  await browser.close();
  await service.stop();
  store.close();
  rmSync(folder, { recursive: true });
}
