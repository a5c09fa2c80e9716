/** Settings, Wall: a link is made after the password was given lately, shown to who made it, listed, revoked. */

import { expect, test } from "bun:test";
import { parsed, tagged, textOf } from "../../support/html.ts";
import { GOOD_PASSWORD } from "../../support/operators.ts";
import { ORIGIN, Walk } from "../../support/tower.ts";

const MINUTE = 60_000;
const linkOn = async (page: Response) => /(https?:[^\s"<]+\/wall\?link=smw_\w+)/.exec(await page.text())?.[1];

test("a link is shown to who made it until it is said to be kept, and opens the Wall", async () => {
  const ada = await new Walk().signedIn();
  const made = await ada.post("/settings/wall", { name: " TV in the hall " });
  expect([made.status, made.headers.get("location")]).toEqual([303, "/settings/wall"]);
  const page = await ada.get("/settings/wall");
  expect(page.headers.get("cache-control")).toBe("no-store");
  const link = (await linkOn(page)) ?? "";
  expect(link).toStartWith(`${ORIGIN}/wall?link=smw_`);
  expect(await linkOn(await ada.get("/settings/tokens"))).toBeUndefined();
  const opened = await ada.send("GET", link.slice(ORIGIN.length), {});
  expect([opened.status, opened.headers.get("location")]).toEqual([303, "/wall"]);
  await ada.post("/settings/tokens/receipt", { kind: "wall", name: "TV in the hall", to: "/settings/wall" });
  const after = await (await ada.get("/settings/wall")).text();
  expect(after).toContain("TV in the hall");
  expect(after).not.toContain("link=smw_");
});

test("it leads to the address under which Tower is published", async () => {
  const ada = await new Walk({ published: "https://tower.example/" }).signedIn();
  await ada.post("/settings/wall", { name: "TV" });
  expect(await linkOn(await ada.get("/settings/wall"))).toStartWith("https://tower.example/wall?link=smw_");
});

test("the password is asked for again when it was last given long ago: to make one, and to revoke one", async () => {
  const ada = await new Walk().signedIn();
  await ada.post("/settings/wall", { name: "TV" });
  const { deps } = ada;
  const page = await (await ada.get("/settings/wall")).text();
  const id = /smw_([a-z2-7]{8})_/.exec(page)?.[1] ?? "";
  for (let visit = 0; visit < 2; visit++) {
    deps.clock.advance(16 * MINUTE);
    await ada.get("/");
    await deps.writer.settled();
  }
  for (const [path, fields] of [
    ["/settings/wall", { name: "another" }],
    [`/settings/wall/${id}/revocation`, {}],
  ] as const) {
    expect((await ada.post(path, fields)).status).toBe(403);
  }
  const revoked = await ada.post(`/settings/wall/${id}/revocation`, { confirm_password: GOOD_PASSWORD });
  expect(revoked.headers.get("location")).toBe("/settings/wall?done=wall-link-revoked");
  expect(tagged(parsed(await (await ada.get("/settings/wall")).text()), "h3").map(textOf)).toContain(
    "No link yet",
  );
  expect((await ada.post(`/settings/wall/${id}/revocation`)).status).toBe(404);
});

test.each([
  ["", "Use 1 to 64 characters on one line, for example TV in the hall."],
  ["two\nlines", "Use 1 to 64 characters on one line, for example TV in the hall."],
  ["TV", "Another link has this name. Revoke that one, or choose another name."],
])("the name %j is refused at its field, and what was typed is kept", async (name, sentence) => {
  const ada = await new Walk().signedIn();
  await ada.post("/settings/wall", { name: "TV" });
  const answer = await ada.post("/settings/wall", { name });
  expect(answer.status).toBe(422);
  expect(await answer.text()).toContain(sentence);
});
