/** Every page that refreshes itself: one answer, read at one moment, and a 304 while nothing is new. */

import { afterAll, beforeAll, expect, test } from "bun:test";
import { formatInstant } from "../../src/base/time.ts";
import { type ForeignService, foreignService } from "../support/foreign_text.ts";
import { attribute, byId, elements, parsed, tagged, textOf } from "../support/html.ts";
import { addressOf, PAGES } from "../support/route_table.ts";
import { words } from "../support/words.ts";

/** Pages that are worked on, show a secret, or never change. */
const STILL = new Set(
  words(`
  /help /help/:page /sites/new /sites/:asset/first-report /settings/constants /settings/credentials/new
  /settings/credentials/attachments /settings/credentials/:id /settings/notices/new /settings/notices/:id
  /settings/panels /ledger/upload /integrations/pauses /archive/run /flags/:id/tune
  /sites/:asset/metrics/:metric/tune /sites/:asset/signals/:source/:metric/tune /sites/:asset/codebase/tune
`),
);
const DOORS = new Set(["/sign-in", "/setup"]);
/** Has a period and a script of its own. */
const OWN_WAY = new Set(["/wall"]);

let filled: ForeignService;

beforeAll(async () => {
  filled = await foreignService("a-plain-word");
  // Between two seconds: on one, a run that is due "in 1 min" would be "within a minute" when the page is asked again.
  filled.service.deps.clock.advance(500);
});

afterAll(async () => {
  await filled.service.close();
});

const ask = (pattern: string, headers: Readonly<Record<string, string>> = {}) =>
  filled.ask("GET", addressOf(pattern, filled.valuesOf(pattern)), undefined, headers);

/** What a page says of itself: the words before its moment, and its body. */
async function standing(pattern: string) {
  const tree = parsed(await (await ask(pattern)).text());
  const [body] = tagged(tree, "body");
  const ids = elements(tree).flatMap((element) => attribute(element, "id") ?? []);
  return {
    twice: ids.filter((id, place) => ids.indexOf(id) !== place),
    every: body === undefined ? "none" : attribute(body, "data-every"),
    words: textOf(byId(tree, "read-at")).slice(0, 5),
  };
}

for (const pattern of PAGES.filter((page) => !DOORS.has(page) && !OWN_WAY.has(page))) {
  if (STILL.has(pattern)) {
    test(`${pattern} is worked on: it says as of when it is`, async () => {
      expect(await standing(pattern)).toEqual({ twice: [], every: undefined, words: "As of" });
    });
    continue;
  }
  test(`${pattern} refreshes itself by ids that stand once, and costs a 304 while nothing is new`, async () => {
    expect(await standing(pattern)).toEqual({ twice: [], every: "60", words: "Read " });
    const first = await ask(pattern, { "tower-refresh": "1" });
    filled.service.deps.clock.advance(1_000);
    const etag = first.headers.get("etag") ?? "none";
    const again = await ask(pattern, { "tower-refresh": "1", "if-none-match": etag });
    expect(again.status).toBe(304);
    expect(again.headers.get("tower-read-at")).toBe(formatInstant(filled.service.deps.clock.now()));
    // Who opens the page is shown the moment itself: a page from a browser's own store would say an older one.
    expect((await ask(pattern, { "if-none-match": etag })).status).toBe(200);
    // Each page is asked at that moment, however many there are.
    filled.service.deps.clock.advance(-1_000);
  });
}

test("what is new is answered whole", async () => {
  const etag = (await ask("/flags", { "tower-refresh": "1" })).headers.get("etag") ?? "";
  await filled.ask("POST", "/flags/one/snooze", { days: "1" });
  const answer = await ask("/flags", { "tower-refresh": "1", "if-none-match": etag });
  expect(answer.status).toBe(200);
  expect(answer.headers.get("etag")).not.toBe(etag);
});

test("whoever is signed out is led to the door, and back to the page afterwards", async () => {
  const { service } = filled;
  const request = new Request(`${service.origin}/flags`, {
    headers: {
      host: new URL(service.origin).host,
      "hx-request": "true",
      "hx-current-url": `${service.origin}/flags?status=snoozed`,
      "tower-refresh": "1",
    },
  });
  const answer = await service.tower(request, () => "192.0.2.7");
  expect(answer.status).toBe(401);
  expect(answer.headers.get("hx-redirect")).toBe("/sign-in?to=%2Fflags%3Fstatus%3Dsnoozed");
});
