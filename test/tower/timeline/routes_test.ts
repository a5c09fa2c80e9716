import { describe, expect, test } from "bun:test";
import { formatInstant } from "../../../src/base/time.ts";
import type { Annotation } from "../../../src/sites/annotation_schema.ts";
import { listAnnotations } from "../../../src/sites/annotations.ts";
import { judgeEntry } from "../../../src/tower/timeline/add_form.tsx";
import { fresh } from "../../support/fresh.ts";
import { attribute, byId, elements, parsed, tagged, textOf as wordsOf } from "../../support/html.ts";
import { timelineTower } from "./tower.ts";

const tower = fresh(timelineTower);

/** Elements after which the eye sees a gap. */
const APART = /<\/(?:li|div|p|h\d|time|section|small|b|span|pre|option|button)>/g;
const textOf = (html: string) => wordsOf(parsed(html.replaceAll(APART, "$& ")));
const entriesOf = (html: string) =>
  elements(parsed(html))
    .map((element) => attribute(element, "id"))
    .filter((id) => id?.startsWith("entry-") === true);
const page = async (path = "/timeline") => (await tower.ask(path)).text();

const deploy = (at: string, changes: Partial<Annotation> = {}): Annotation => ({
  asset: "harbor",
  at,
  kind: "deploy",
  ref: "v1",
  ...changes,
});

const FORM = { kind: "config", asset: "harbor", at: "2026-11-19T10:30", ref: "dns", note: "Two\r\nlines" };

describe("the Timeline's log", () => {
  test("groups by UTC day, newest first, global entries on each site's, and names sites outside the portfolio", async () => {
    await tower.keep([
      deploy("2026-11-19T01:00:00+02:00", { ref: "late-on-the-18th" }),
      deploy("2026-11-19T00:00:00Z", { asset: "*", kind: "external", ref: "core" }),
      deploy("2026-11-17T00:00:00Z", { asset: "ghost", ref: "ghost-ref" }),
      deploy("2026-11-16T00:00:00Z", { asset: "orchard", ref: "orchard-ref" }),
    ]);
    const all = textOf(await page());
    expect(all.indexOf("Thu 19 Nov")).toBeLessThan(all.indexOf("Wed 18 Nov"));
    expect(all).toContain("Wed 18 Nov 23:00 D harbor late-on-the-18th");
    expect(all).toContain("ghost not in the portfolio ghost-ref");
    const site = textOf(await page("/sites/harbor/timeline"));
    expect(site).toContain("All sites core");
    expect(site).toContain("This site late-on-the-18th");
    expect(site).not.toContain("orchard-ref");
  });

  test("an annotation of a site outside the portfolio joins it when it is added", async () => {
    await tower.keep([deploy("2026-11-17T00:00:00Z", { asset: "ghost", ref: "early" })]);
    expect((await tower.ask("/sites/ghost/timeline")).status).toBe(404);
    expect(textOf(await page("/timeline?asset=ghost"))).toContain("not in the portfolio");
    await tower.addSites(["ghost"]);
    expect(textOf(await page())).not.toContain("not in the portfolio");
    expect(textOf(await page("/sites/ghost/timeline"))).toContain("This site early");
  });

  test("filters by kind, site and range from the address", async () => {
    const ids = await tower.keep([
      deploy("2026-11-19T00:00:00Z"),
      deploy("2026-11-10T00:00:00Z", { kind: "incident" }),
      deploy("2026-11-09T00:00:00Z", { asset: "orchard" }),
      deploy("2025-01-01T00:00:00Z", { asset: "*" }),
    ]);
    const [deployed, incident, orchard, old] = ids.map((id) => `entry-${id}`);
    expect(entriesOf(await page())).toEqual([deployed, incident, orchard]);
    expect(entriesOf(await page("/timeline?kind=incident"))).toEqual([incident]);
    expect(entriesOf(await page("/timeline?range=7"))).toEqual([deployed]);
    expect(entriesOf(await page("/timeline?range=7&to=2026-11-11"))).toEqual([incident, orchard]);
    expect(entriesOf(await page("/timeline?range=all&asset=orchard"))).toEqual([orchard, old]);
    expect(entriesOf(await page("/timeline?range=all&asset=*"))).toEqual([old]);
  });

  test("a search finds entries by every word of site, reference, note and poster, and counts what it found", async () => {
    const ids = await tower.keep([
      deploy("2026-11-19T00:00:00Z", { ref: "Checkout-7", note: "New Cart" }),
      deploy("2026-11-18T00:00:00Z", { kind: "config", note: "cart removed" }),
      deploy("2025-01-01T00:00:00Z", { asset: "*", ref: "cart-old" }),
    ]);
    const [checkout, removed, old] = ids.map((id) => `entry-${id}`);
    expect(entriesOf(await page("/timeline?q=CART"))).toEqual([checkout, removed]);
    expect(entriesOf(await page("/timeline?q=cart+checkout"))).toEqual([checkout]);
    expect(entriesOf(await page("/timeline?q=harbor+cart&kind=config"))).toEqual([removed]);
    expect(entriesOf(await page("/timeline?q=cart-old&range=all"))).toEqual([old]);
    const found = textOf(await page("/timeline?q=cart"));
    expect(found).toContain("All 2 D Deploy 1 M Model change 0 C Config 1");
    expect(found).not.toContain("Flags raised");
    expect(textOf(await page("/timeline?q=nowhere"))).toContain("No matching entries");
  });

  test("pages visit each of many entries once", async () => {
    const end = Date.UTC(2026, 10, 20, 13);
    await tower.keep(
      Array.from({ length: 250 }, (_, i) =>
        deploy(formatInstant(end - Math.floor(i / 3) * 1_000), { ref: `r${i}` }),
      ),
    );
    const seen: (string | undefined)[] = [];
    let path: string | undefined = "/timeline";
    for (let pages = 0; path !== undefined && pages < 5; pages++) {
      const html = await page(path);
      seen.push(...entriesOf(html));
      const [next] = tagged(parsed(html), "a").filter(
        (link) => attribute(link, "rel") === "next" && attribute(link, "class") === "btn",
      );
      path = next && attribute(next, "href");
    }
    expect(seen).toHaveLength(250);
    expect(seen).toEqual(listAnnotations(tower.store.db, {}, 300).map(({ id }) => `entry-${id}`));
  });

  test("each empty log says what is missing and the next step", async () => {
    expect(textOf(await page())).toContain("Nothing noted yet");
    await tower.keep([deploy("2025-05-03T08:00:00Z", { ref: "long-ago" })]);
    const older = textOf(await page());
    expect(older).toContain("The newest entry before them is of 3 May 2025 08:00: D long-ago.");
    expect(older).toContain("Show all days");
    await tower.keep([deploy("2026-11-19T00:00:00Z")]);
    expect(textOf(await page("/timeline?kind=incident"))).toContain("No entry of the kind Incident");
    expect(textOf(await page("/timeline?to=2024-01-01"))).toContain("Nothing noted in these days or before");
  });

  test("the commands carry the published address and the site", async () => {
    expect(textOf(await page("/sites/orchard/timeline"))).toContain(
      `"$TOWER_TOKEN" | curl -sS --fail-with-body --retry 3 --retry-connrefused https://ingest.example/api/annotations -H @-`,
    );
    expect(textOf(await page("/sites/orchard/timeline"))).toContain(`"asset":"orchard"`);
    expect(textOf(await page())).toContain(`"asset":"harbor"`);
  });
});

describe("adding by the form", () => {
  test("reads the time as UTC, stores once, and comes back with what it did", async () => {
    const response = await tower.send("/timeline", FORM);
    expect(response.status).toBe(303);
    const [row] = listAnnotations(tower.store.db, {}, 1);
    expect(row).toMatchObject({
      asset: "harbor",
      at: "2026-11-19T10:30:00Z",
      kind: "config",
      ref: "dns",
      note: "Two\nlines",
      postedBy: "ada",
    });
    expect(response.headers.get("location")).toBe(`/timeline?added=${row?.id}`);
    expect(textOf(await page(response.headers.get("location") ?? ""))).toContain(
      "Added: C Config dns, harbor, 19 Nov 10:30 UTC.",
    );
    const again = await tower.send("/timeline", { ...FORM, note: "other" });
    expect(again.headers.get("location")).toBe(`/timeline?there=${row?.id}`);
    expect(textOf(await page(again.headers.get("location") ?? ""))).toContain(
      "It was there already, and nothing was added",
    );
    expect(tower.stored()).toBe(1);
  });

  test("a site's tab adds to that site or to all sites", async () => {
    const added = await tower.send("/sites/orchard/timeline", { ...FORM, asset: "*" });
    expect(added.headers.get("location")).toMatch(/^\/sites\/orchard\/timeline\?added=/);
    expect((await tower.send("/sites/orchard/timeline", FORM)).status).toBe(422);
    expect((await tower.send("/sites/nowhere/timeline", FORM)).status).toBe(404);
    expect(tower.stored()).toBe(1);
  });

  test("seconds and fractions are taken, and this very minute is not the future", async () => {
    for (const at of ["2026-11-20T14:02", "2026-11-20T14:02:10", "2026-11-20 14:02:10.000"]) {
      expect((await tower.send("/timeline", { ...FORM, at })).status).toBe(303);
    }
    expect(tower.stored()).toBe(2);
  });

  test.each([
    ["a future time", { at: "2026-11-20T14:03" }, "The time must not be ahead of the service's clock."],
    ["no time", { at: "" }, "The time must be a date and a time in UTC"],
    ["an unknown site", { asset: "typo" }, "Choose a site of the portfolio, or all sites."],
    ["no site", { asset: "" }, "Choose a site of the portfolio, or all sites."],
    ["no reference", { ref: " " }, "The reference must not be empty."],
    ["no kind", { kind: "" }, "Choose a kind."],
    ["a long note", { note: "n".repeat(2001) }, "The note must have at most 2000 characters."],
  ])("%s is refused at its field, and what was typed stays", async (_, changes, words) => {
    const response = await tower.send("/timeline", { ...FORM, ...changes });
    expect(response.status).toBe(422);
    const html = await response.text();
    expect(textOf(html)).toContain(words);
    expect(textOf(html)).toContain("Nothing was added.");
    expect(attribute(byId(parsed(html), "t-ref"), "value")).toBe("ref" in changes ? "" : "dns");
    expect(tower.stored()).toBe(0);
  });

  test("a field with two mistakes says the first", () => {
    const values = {
      kind: "deploy",
      asset: "*",
      at: "2026-11-20T14:02",
      ref: "a\u0007".repeat(300),
      note: "",
    };
    expect(judgeEntry(values, Date.UTC(2026, 10, 21), () => true)).toMatchObject({
      errors: { ref: expect.stringContaining("512") },
    });
  });
});
