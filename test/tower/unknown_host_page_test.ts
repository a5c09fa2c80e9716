import { expect, test } from "bun:test";
import { fresh } from "../support/fresh.ts";
import { expectProblem } from "../support/problem.ts";
import { testTower } from "../support/test_tower.ts";

const service = fresh(() => testTower({}));

const asked = (path: string, host: string) =>
  service.tower(new Request(`http://${host}${path}`, { headers: { host, accept: "text/html" } }));

test("a browser that comes under an unknown name gets a page with the setting, whatever it asks for", async () => {
  for (const path of ["/", "/flags", "/nowhere", "/apiary"]) {
    const answer = await asked(path, "localhost:9999");
    expect([
      path,
      answer.status,
      answer.headers.get("content-type"),
      answer.headers.get("cache-control"),
    ]).toEqual([path, 421, "text/html; charset=utf-8", "no-store"]);
    const text = await answer.text();
    for (const said of ["<code>localhost:9999</code>", "ALLOWED_HOSTS=localhost:9999"])
      expect(text).toContain(said);
  }
});

test("below /api it is a problem document, whatever is accepted, as every other refusal there", async () => {
  for (const path of ["/api/flags", "/api/annotations?limit=1", "/api/nowhere"]) {
    await expectProblem(await asked(path, "localhost:9999"), "unknown-host");
  }
});
