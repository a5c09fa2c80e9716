/** A process of its own that reads health from a database file, through the service's own application: `health_child.ts <file> <times> [ask]`. */

import { openStore } from "../../src/store/store.ts";
import { FakeClock } from "./clock.ts";
import { askHealth } from "./health.ts";
import { promptHttp } from "./http.ts";
import { PROXY, testTower } from "./test_tower.ts";

const [path = "", times = "1", ask] = Bun.argv.slice(2);
const clock = new FakeClock("2026-11-20T14:02:10Z");
const service = await testTower({ ground: { store: openStore(path), clock }, settings: PROXY });
let read = 0;
for (let round = 0; round < Number(times); round++) {
  clock.advance(60_000);
  for (const search of ["", "?asset=site-0000.example"]) {
    const answer = await askHealth(service, { search });
    if (answer.status === 200 && (await answer.json()).coverage.state === "complete") read++;
  }
}
// That what counts connections sees one.
if (ask !== undefined) {
  const url = "http://192.0.2.1/";
  await promptHttp(clock).request({ method: "GET", url, timeoutMs: 500, maxBytes: 1_024 });
}
await service.close();
process.stdout.write(`${read} read\n`);
