import { describe, expect, test } from "bun:test";
import { listNewest as listAudit } from "../../../src/access/audit.ts";
import { DEFAULT_DOCUMENT, listVersions } from "../../../src/sites/constants_document.ts";
import { shownDigest } from "../../../src/tower/settings/constants.tsx";
import { attribute, byId, parsed, rawTextOf, tagged, textOf } from "../../support/html.ts";
import { SettingsWalk } from "../../support/settings_walk.ts";

const PATH = "/settings/constants";
const LOOSER = DEFAULT_DOCUMENT.replace("alpha = 0.01 ", "alpha = 0.05 ");
const WIDER = DEFAULT_DOCUMENT.replace("silent_hours = 26 ", "silent_hours = 50 ");
const BROKEN = DEFAULT_DOCUMENT.replace("alpha = 0.01 ", "alpha = 7 ");

/** What the form would send: the hidden digest, and the text in the editor. */
function form(html: string): { digest: string; text: string; shown: string | undefined } {
  const page = parsed(html);
  const hidden = (name: string) => tagged(page, "input").find((input) => attribute(input, "name") === name);
  const digest = hidden("digest");
  const shown = hidden("shown");
  return {
    digest: digest === undefined ? "" : (attribute(digest, "value") ?? ""),
    shown: shown === undefined ? undefined : attribute(shown, "value"),
    text: rawTextOf(byId(page, "text")),
  };
}

const has = (html: string, id: string) => html.includes(`id="${id}"`);
const changes = (html: string) =>
  tagged(parsed(html), "tr")
    .filter((row) => ["added", "removed"].includes(attribute(row, "data-d") ?? ""))
    .map((row) => `${attribute(row, "data-d")}: ${textOf(tagged(row, "bdi")[0] ?? row)}`);
const saves = (walk: SettingsWalk) =>
  listAudit(walk.deps.store.db, { limit: 50 }).filter(({ act }) => act === "constants.save");

describe("the constants editor", () => {
  test("shows the text on disk exactly, the version in effect, since when and by whom", async () => {
    using walk = await SettingsWalk.start();
    const html = await walk.page(PATH);
    expect(form(html).text).toBe(DEFAULT_DOCUMENT);
    expect(form(html).digest).toBe(walk.constants.document().digest);
    expect(textOf(parsed(html))).toContain("version 1 in effect since 1 Mar 12:00, by Tower itself");
    expect(has(html, "file-problem")).toBe(false);
  });

  test("a changed text is not saved but shown as a difference first (DESIGN: the pending difference is shown before saving)", async () => {
    using walk = await SettingsWalk.start();
    const { digest } = form(await walk.page(PATH));
    const response = await walk.post(PATH, { text: LOOSER, digest, act: "show" });
    expect(response.status).toBe(200);
    const html = await response.text();
    expect(changes(html)).toEqual([
      expect.stringContaining("removed: alpha = 0.01"),
      expect.stringContaining("added: alpha = 0.05"),
    ]);
    expect(form(html).text).toBe(LOOSER);
    expect(walk.file).toBe(DEFAULT_DOCUMENT);
    expect(listVersions(walk.deps.store.db, 10)).toHaveLength(1);
  });

  test("confirming saves what was shown, under the operator's name, with an audit row", async () => {
    using walk = await SettingsWalk.start();
    const first = form(await walk.page(PATH));
    const shown = form(await (await walk.post(PATH, { text: LOOSER, digest: first.digest })).text());
    const fields = { text: LOOSER, digest: shown.digest, shown: shown.shown ?? "", act: "save" };
    const response = await walk.post(PATH, fields);
    expect(response.status).toBe(303);
    expect(response.headers.get("location")).toBe("/settings/constants?done=constants-saved");
    expect(walk.file).toBe(LOOSER);
    expect(walk.constants.current()).toMatchObject({ author: "operator:ada", version: 2 });
    expect(saves(walk).map(({ actor, target, detail }) => ({ actor, target, detail }))).toEqual([
      { actor: "operator:ada", target: "constants", detail: '{"version":2}' },
    ]);
    const after = await walk.page(PATH);
    expect(textOf(parsed(after))).toContain("version 2 in effect since 1 Mar 12:00, by ada");
  });

  test("a save that is answered 503 saved nothing and takes no effect later; sent again it does", async () => {
    using walk = await SettingsWalk.start();
    const { digest } = form(await walk.page(PATH));
    const fields = { text: LOOSER, digest, shown: shownDigest(LOOSER), act: "save" };
    const { raw } = walk.deps.store;
    raw.run("PRAGMA query_only = ON");
    expect((await walk.post(PATH, fields)).status).toBe(503);
    raw.run("PRAGMA query_only = OFF");
    walk.deps.clock.advance(12_000);
    await walk.constants.refresh();
    expect(walk.file).toBe(DEFAULT_DOCUMENT);
    expect(walk.constants.current().version).toBe(1);
    expect(saves(walk)).toEqual([]);
    expect((await walk.post(PATH, fields)).status).toBe(303);
    expect(walk.file).toBe(LOOSER);
    expect(saves(walk)).toHaveLength(1);
  });

  test("an empty text is refused with its reason", async () => {
    using walk = await SettingsWalk.start();
    const { digest } = form(await walk.page(PATH));
    const response = await walk.post(PATH, { text: " ", digest, shown: shownDigest(" "), act: "save" });
    expect(response.status).toBe(422);
    expect(textOf(byId(parsed(await response.text()), "refused"))).toContain("must not be empty");
    expect(walk.file).toBe(DEFAULT_DOCUMENT);
  });

  test("a text that was edited after it was shown is shown again and not saved", async () => {
    using walk = await SettingsWalk.start();
    const { digest } = form(await walk.page(PATH));
    const fields = { text: WIDER, digest, shown: shownDigest(LOOSER), act: "save" };
    const response = await walk.post(PATH, fields);
    expect(response.status).toBe(200);
    expect(await response.text()).toContain("edited after the preview");
    expect(walk.file).toBe(DEFAULT_DOCUMENT);
  });

  test("an invalid text names each mistake at its line, keeps the text, and never takes effect (decided, 6)", async () => {
    using walk = await SettingsWalk.start();
    const { digest } = form(await walk.page(PATH));
    const text = BROKEN.replace("growth_lines = 500 ", "growth_lnes = 500 ");
    for (const act of ["show", "save"]) {
      const response = await walk.post(PATH, { text, digest, shown: shownDigest(text), act });
      expect(response.status).toBe(422);
      const html = await response.text();
      const told = textOf(byId(parsed(html), "refused"));
      const lineOf = (start: string) => text.split("\n").findIndex((line) => line.startsWith(start)) + 1;
      expect(told).toContain("2 mistakes");
      expect(told).toContain(`Line ${lineOf("alpha = 7")}, flow_rules.alpha: must be`);
      expect(told).toContain(`Line ${lineOf("growth_lnes")}, codebase_rules.growth_lnes:`);
      expect(form(html).text).toBe(text);
    }
    expect(walk.file).toBe(DEFAULT_DOCUMENT);
    expect(saves(walk)).toEqual([]);
  });

  test("when the file changed meanwhile nothing is lost: the other change is shown, the text kept, a second confirmation saves", async () => {
    using walk = await SettingsWalk.start();
    const { digest } = form(await walk.page(PATH));
    walk.file = WIDER;
    const fields = { text: LOOSER, digest, shown: shownDigest(LOOSER), act: "save" };
    const response = await walk.post(PATH, fields);
    expect(response.status).toBe(409);
    const html = await response.text();
    expect(textOf(byId(parsed(html), "conflict"))).toContain("silent_hours = 50");
    expect(form(html).text).toBe(LOOSER);
    expect(walk.file).toBe(WIDER);
    const again = form(html);
    expect(again.digest).not.toBe(digest);
    const saved = await walk.post(PATH, { ...fields, digest: again.digest, shown: again.shown ?? "" });
    expect(saved.status).toBe(303);
    expect(walk.file).toBe(LOOSER);
  });

  test("a mistake on disk is told with its line while the last good version stays in effect, and can be mended here", async () => {
    using walk = await SettingsWalk.start();
    walk.file = BROKEN;
    const html = await walk.page(PATH);
    const told = textOf(byId(parsed(html), "file-problem"));
    expect(told).toContain("The last good version is in effect: version 1");
    expect(told).toContain("flow_rules.alpha: must be");
    expect(form(html).text).toBe(BROKEN);
    const { digest } = form(html);
    const shown = form(await (await walk.post(PATH, { text: DEFAULT_DOCUMENT, digest })).text());
    const saved = await walk.post(PATH, {
      text: DEFAULT_DOCUMENT,
      digest,
      shown: shown.shown ?? "",
      act: "save",
    });
    expect(saved.status).toBe(303);
    expect(walk.file).toBe(DEFAULT_DOCUMENT);
    expect(walk.constants.problem).toBeUndefined();
    expect(saves(walk)).toHaveLength(1);
  });

  test("a text without a change offers nothing to save", async () => {
    using walk = await SettingsWalk.start();
    const { digest } = form(await walk.page(PATH));
    const html = await (await walk.post(PATH, { text: DEFAULT_DOCUMENT, digest })).text();
    expect(has(html, "unchanged")).toBe(true);
    expect(has(html, "pending")).toBe(false);
  });
});

describe("kept versions", () => {
  async function withThree() {
    const walk = await SettingsWalk.start();
    walk.file = LOOSER;
    await walk.constants.refresh();
    walk.file = WIDER;
    await walk.constants.refresh();
    return walk;
  }

  test("are listed newest first with their authors; each shows what it changed against the one before", async () => {
    using walk = await withThree();
    const list = textOf(parsed(await walk.page(`${PATH}/versions`)));
    expect(list).toMatch(/Version 3.*a text editor.*Version 2.*Version 1.*Tower itself/);
    expect(changes(await walk.page(`${PATH}/versions/2`))).toEqual([
      expect.stringContaining("alpha = 0.01"),
      expect.stringContaining("alpha = 0.05"),
    ]);
    expect(await walk.page(`${PATH}/versions/1`)).toContain("It is the first document.");
  });

  test("restoring puts the old text into the editor and saves nothing by itself", async () => {
    using walk = await withThree();
    const html = await walk.page(`${PATH}?from=1`);
    expect(form(html).text).toBe(DEFAULT_DOCUMENT);
    expect(textOf(byId(parsed(html), "pending"))).toContain("Changes by restoring version 1");
    expect(walk.file).toBe(WIDER);
    expect(listVersions(walk.deps.store.db, 10)).toHaveLength(3);
  });

  test("a version that is not there is 404", async () => {
    using walk = await SettingsWalk.start();
    for (const path of [`${PATH}/versions/9`, `${PATH}/versions/x`, `${PATH}/versions/0`, `${PATH}?from=9`])
      expect((await walk.get(path)).status).toBe(404);
  });
});
