import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { formatInstant } from "../../../src/base/time.ts";
import { holdOpen } from "../../../src/flags/lasting.ts";
import { findFlag } from "../../../src/flags/queries.ts";
import { appendRecord, resolveFlag } from "../../../src/flags/store.ts";
import { appendAnnotation } from "../../../src/sites/annotations.ts";
import { attribute, byId, elements, parsed, tagged, textOf } from "../../support/html.ts";
import { flagFaults } from "../../support/read_models.ts";
import { type World, world } from "../../support/world.ts";

let site: World;
beforeEach(async () => {
  site = await world();
  await site.raise("one", { severity: "error" });
  site.clock.advance(3_600_000);
});
afterEach(async () => {
  expect(flagFaults(site.store.db)).toEqual([]);
  await site.close();
});

const HTMX = { "hx-request": "true" };
const stored = (id = "one") => findFlag(site.store.db, id);
const page = (path: string, headers: Record<string, string> = {}) => site.open(path, { headers });
const rowsOf = (tree: ReturnType<typeof parsed>) =>
  elements(tree, (element) => attribute(element, "data-row") !== undefined).map((row) =>
    (attribute(row, "id") ?? "").slice("open-".length),
  );

describe("an act is a noun below the flag (decisions 2, Pages)", () => {
  test("PUT sets, DELETE takes back", async () => {
    expect((await site.ask("/flags/one/acknowledgement", { method: "PUT", headers: HTMX })).status).toBe(200);
    expect(stored()?.acked_by).toBe("ada");
    expect(
      (await site.ask("/flags/one/acknowledgement", { as: "ben", method: "DELETE", headers: HTMX })).status,
    ).toBe(200);
    expect(stored()?.acked_by).toBeNull();
  });

  test("a plain form posts, is led back to the flag in its list, and takes back with a field", async () => {
    const response = await site.ask("/flags/one/snooze?severity=error", { form: { days: "7" } });
    expect([response.status, response.headers.get("location")]).toEqual([
      303,
      "/flags/one?severity=error&told=snooze+1+0+one",
    ]);
    expect(stored()?.snoozed_until).toBe("2026-03-08T13:00:00.000Z");
    await site.ask("/flags/one/snooze", { form: { undo: "1" } });
    expect(stored()?.snoozed_until).toBeNull();
  });

  test("htmx gets the flag, and the list and the counts with it", async () => {
    const response = await site.ask("/flags/one/resolution", { method: "PUT", headers: HTMX });
    const tree = parsed(await response.text());
    expect(textOf(byId(tree, "flag"))).toContain("Resolved by hand.");
    expect(attribute(byId(tree, "flags-list"), "hx-swap-oob")).toBe("outerMorph");
    expect(textOf(byId(tree, "flags-head"))).toContain("Resolved 1");
    expect(textOf(tagged(tree, "title")[0] ?? tree)).toContain("No open flags");
    expect(tagged(tree, "html")).toEqual([]);
  });

  for (const [what, headers] of [
    ["htmx", HTMX],
    ["a plain form", {}],
  ] as const) {
    test(`the loser of a race gets 409 with the row as it is, by ${what}`, async () => {
      const opened = await page("/flags/one");
      const seen =
        elements(opened, (element) => attribute(element, "name") === "seen").map((e) =>
          attribute(e, "value"),
        )[0] ?? "";
      await site.ask("/flags/one/acknowledgement", { form: { seen } });
      const late = await site.ask("/flags/one/snooze", { as: "ben", form: { seen, days: "1" }, headers });
      expect(late.status).toBe(409);
      const tree = parsed(await late.text());
      expect(textOf(byId(tree, "flag-told"))).toContain("Nothing was changed");
      expect(textOf(byId(tree, "flag"))).toContain("Acknowledged by ada");
      expect(stored()?.snoozed_until).toBeNull();
    });

    test(`a note that is none gets 422 and stays in its field, by ${what}`, async () => {
      const response = await site.ask("/flags/one/incident", { form: { text: "x\u0000y" }, headers });
      expect(response.status).toBe(422);
      const field = byId(parsed(await response.text()), "incident-text");
      expect(attribute(field, "aria-invalid")).toBe("true");
      expect(stored()?.incident).toBeNull();
    });
  }

  test("a snooze that would be over gets 422, and its field has the focus", async () => {
    const response = await site.ask("/flags/one/snooze", { form: { until: "2020-01-01T00:00" } });
    expect(response.status).toBe(422);
    const field = byId(parsed(await response.text()), "snooze-until");
    expect([attribute(field, "aria-invalid"), attribute(field, "autofocus")]).toEqual(["true", ""]);
  });

  test("a note of 2,000 characters is kept whole, one more is refused", async () => {
    const text = "é".repeat(2_000);
    expect((await site.ask("/flags/one/hypothesis", { form: { text } })).status).toBe(303);
    expect(stored()?.hypothesis).toBe(text);
    expect((await site.ask("/flags/one/hypothesis", { form: { text: `${text}é` } })).status).toBe(422);
  });

  for (const [what, asked] of [
    ["a flag that is not there", () => site.ask("/flags/nothing/acknowledgement", { method: "PUT" })],
    ["an act that is none", () => site.ask("/flags/one/deletion", { method: "PUT" })],
    ["a page of a flag that is not there", () => site.ask("/flags/nothing")],
    ["the tab of a site that is not there", () => site.ask("/sites/nowhere/flags")],
  ] as const) {
    test(`${what} is 404`, async () => {
      expect((await asked()).status).toBe(404);
    });
  }
});

describe("every act has its opposite, which the page offers as long as the act holds", () => {
  const send = async (method: "POST" | "DELETE", noun: string, form: Record<string, string> = {}) => {
    const response = await site.ask(`/flags/one/${noun}`, { method, form });
    return page(response.headers.get("location") ?? "");
  };

  for (const [noun, form, words, button, opposite] of [
    ["acknowledgement", {}, "Acknowledged.", "Undo acknowledge u", "No longer acknowledged."],
    ["snooze", { days: "7" }, "Snoozed until 8 Mar 13:00 UTC.", "Unsnooze", "No longer snoozed."],
    ["incident", { text: "INC-7" }, "The incident is linked.", "Remove", "The incident is removed."],
    ["hypothesis", { text: "a bot" }, "The hypothesis is noted.", "Remove", "The hypothesis is removed."],
  ] as const) {
    test(`${noun} by a plain form: the page says what was done, and a day later takes it back`, async () => {
      const before = stored();
      const told = await send("POST", noun, form);
      expect(textOf(byId(told, "flags-told"))).toStartWith(words);
      site.clock.advance(86_400_000);
      const buttons = tagged(byId(await page("/flags/one"), "flag"), "button").map(textOf);
      expect(buttons).toContain(button);
      const back = await send("POST", noun, { undo: "1" });
      expect(textOf(byId(back, "flags-told"))).toStartWith(opposite);
      expect(stored()).toEqual(before as never);
    });
  }

  test("a flag that was resolved by hand is reopened: raised again, it is what the operator sees then", async () => {
    await site.writer.write((tx): void => {
      const reading = { reading: { failed: 1 } };
      appendRecord(tx, { flag: "one", at: site.clock.now(), type: "evidence", actor: "site", data: reading });
    });
    const told = await send("POST", "resolution");
    expect(tagged(byId(told, "flag"), "button").map(textOf)).toContain("Raise again");
    const response = await site.ask("/flags/one/resolution", { method: "DELETE", headers: HTMX });
    const address = response.headers.get("hx-redirect") ?? "";
    const tree = await page(address);
    expect(textOf(byId(tree, "flags-told"))).toStartWith("Raised again.");
    expect(textOf(byId(tree, "flag"))).toContain("ada raised it again.");
    expect(textOf(byId(tree, "flag"))).toContain("1 run, newest first");
    expect(textOf(byId(tree, "flag-heading"))).toBe(stored()?.message ?? "");
    expect(rowsOf(await page("/flags"))).toEqual([address.slice("/flags/".length).split("?")[0] ?? ""]);
    expect(rowsOf(await page("/flags?status=resolved"))).toEqual([]);
    expect(stored()?.status).toBe("resolved");
  });

  test("a flag that its rule resolved offers no reopening, and refuses it with what it is now", async () => {
    await site.writer.write((tx): void => resolveFlag(tx, "one", "cleared", site.clock.now(), "rule"));
    expect(tagged(byId(await page("/flags/one"), "flag"), "button").map(textOf)).not.toContain("Raise again");
    const response = await site.ask("/flags/one/resolution", { method: "DELETE" });
    expect(response.status).toBe(409);
    expect(textOf(byId(parsed(await response.text()), "flag-told"))).toContain("this flag was resolved");
  });

  test("nobody writes words onto a page by its address", async () => {
    for (const told of ["hacked 1 0", "undone x", "undo 1 0", "made <b>", "acknowledge 1 0 hacked"]) {
      const tree = await page(`/flags?told=${encodeURIComponent(told)}`);
      expect(textOf(byId(tree, "flags-told"))).toBe("");
    }
  });
});

describe("acts on several flags", () => {
  const bulk = (fields: readonly (readonly [string, string])[], headers: Record<string, string> = {}) =>
    site.ask("/flags/dispositions", { form: new URLSearchParams(fields.map(([k, v]) => [k, v])), headers });

  test("the key t on a row leads to its rule's thresholds, or to the flag where there are none", async () => {
    await site.raise("milestone", { rule: "stale-ingest", subject: "2" });
    const leadsTo = async (id: string) => {
      const response = await site.ask(`/flags/${id}?act=tune`);
      return [response.status, response.headers.get("location")];
    };
    expect(await leadsTo("one")).toEqual([303, "/flags/one/tune"]);
    expect(await leadsTo("milestone")).toEqual([200, null]);
  });

  test("one that changed meanwhile stays as it was and takes no other with it", async () => {
    await site.raise("two", { subject: "2" });
    await site.ask("/flags/one/resolution", { as: "ben", method: "POST" });
    const response = await bulk([
      ["act", "acknowledge"],
      ["flag", "one"],
      ["flag", "two"],
      ["flag", "gone"],
    ]);
    expect(response.status).toBe(303);
    const told = await page(response.headers.get("location") ?? "");
    expect(textOf(byId(told, "flags-told"))).toStartWith(
      "1 flag acknowledged. 2 flags had changed meanwhile and stayed as they were.",
    );
    expect([stored("one")?.acked_by, stored("two")?.acked_by]).toEqual([null, "ada"]);
  });

  test("an unknown act, and more flags than a page holds, are refused", async () => {
    expect(
      (
        await bulk([
          ["act", "delete"],
          ["flag", "one"],
        ])
      ).status,
    ).toBe(400);
    const many = Array.from({ length: 201 }, (_, i) => ["flag", `f${i}`] as const);
    expect((await bulk([["act", "acknowledge"], ...many])).status).toBe(400);
    expect((await bulk([["act", "acknowledge"], ...many.slice(1)])).status).toBe(303);
  });

  test("what is no act, needs words of its own or makes another flag is refused", async () => {
    for (const act of ["", "incident", "tune", "reopen"]) {
      const fields = [["act", act] as const, ["flag", "one"] as const];
      expect((await bulk(fields)).status).toBe(400);
    }
  });

  test("nothing ticked says so", async () => {
    const tree = parsed(
      await (
        await bulk(
          [
            ["act", "snooze"],
            ["days", "1"],
          ],
          HTMX,
        )
      ).text(),
    );
    expect(textOf(byId(tree, "flags-told"))).toBe("Select flags first.");
  });
});

describe("the inbox", () => {
  beforeEach(async () => {
    await site.raise("two", { severity: "warn", subject: "2", rule: "codebase-unused", kind: "opportunity" });
    await site.raise("three", {
      severity: "info",
      subject: "3",
      asset: "orchard",
      origin: "provider",
      rule: "crawl-issue",
    });
    site.clock.advance(1_000);
    await site.raise("four", { severity: "error", subject: "4" });
  });

  test("worst first, then newest; or newest first", async () => {
    expect(rowsOf(await page("/flags"))).toEqual(["four", "one", "two", "three"]);
    expect(rowsOf(await page("/flags?sort=newest"))).toEqual(["four", "two", "three", "one"]);
  });

  for (const [search, ids] of [
    ["severity=error", ["four", "one"]],
    ["kind=opportunity", ["two"]],
    ["rule=codebase-unused", ["two"]],
    ["asset=orchard", ["three"]],
    ["origin=provider", ["three"]],
    ["mark=acknowledged", ["one"]],
    ["mark=unread&severity=error", ["four"]],
    ["status=snoozed", ["five"]],
    ["status=resolved", ["six"]],
  ] as const) {
    test(`${search} shows ${ids.join(", ")}, with a chip that takes each filter off`, async () => {
      await site.ask("/flags/one/acknowledgement", { method: "POST" });
      await site.raise("five", { subject: "5" });
      await site.ask("/flags/five/snooze", { form: { days: "7" } });
      await site.raise("six", { subject: "6" });
      await site.ask("/flags/six/resolution", { method: "POST" });
      const tree = await page(`/flags?${search}`);
      expect(rowsOf(tree)).toEqual([...ids]);
      const chips = tagged(tree, "a").filter((link) =>
        attribute(link, "aria-label")?.startsWith("Remove the filter"),
      );
      expect(chips).toHaveLength(search.split("&").filter((part) => !part.startsWith("status")).length);
    });
  }

  test("a search finds what a flag says, names and notes alike, in every word and any case; its chip takes it off", async () => {
    await site.raise("tall", { asset: "quay", subject: "Sign_ups", severity: "warn" });
    await site.ask("/flags/tall/hypothesis", { form: { text: "A Slow Checkout" } });
    const found = async (q: string) => rowsOf(await page(`/flags?${new URLSearchParams({ q })}`));
    expect(await found("QUAY")).toEqual(["tall"]);
    expect(await found("sign_ups checkout")).toEqual(["tall"]);
    expect(await found("sign%ups")).toEqual([]);
    expect(await found("quay harbor")).toEqual([]);
    expect(await found("  ")).toHaveLength(5);
    const tree = await page("/flags?q=quay&severity=warn");
    expect(rowsOf(tree)).toEqual(["tall"]);
    const off = tagged(tree, "a").filter((a) => attribute(a, "aria-label")?.startsWith("Remove the filter"));
    expect(off.map((a) => attribute(a, "href"))).toEqual(["/flags?severity=warn", "/flags?q=quay"]);
  });

  test("a snoozed flag stays counted, and says when it returns", async () => {
    await site.ask("/flags/four/snooze", { form: { until: "2026-03-20" } });
    expect(textOf(byId(await page("/flags"), "flags-head"))).toContain("1 snoozed; the next returns 20 Mar.");
    expect(textOf(byId(await page("/flags?status=snoozed"), "row-four"))).toContain("returns 20 Mar");
    site.clock.at("2026-03-20T00:00:00Z");
    expect(rowsOf(await page("/flags"))).toContain("four");
  });

  test("the title counts the open errors", async () => {
    const title = async (path: string) => textOf(tagged(await page(path), "title")[0] ?? parsed(""));
    expect(await title("/flags")).toBe("2 error flags open – Tower");
    expect(await title("/flags/three")).toContain("2 error flags open");
  });

  test("pages hold fifty, and a page beyond the end is the last", async () => {
    for (let i = 0; i < 60; i++) await site.raise(`p${i}`, { subject: `p${i}` });
    expect(rowsOf(await page("/flags"))).toHaveLength(50);
    const seen = new Set([...rowsOf(await page("/flags")), ...rowsOf(await page("/flags?page=2"))]);
    expect(seen.size).toBe(64);
    expect(rowsOf(await page("/flags?page=99"))).toHaveLength(14);
  });

  test("a site's tab shows its own, and its acts lead back to it", async () => {
    const tree = await page("/sites/orchard/flags");
    expect(rowsOf(tree)).toEqual(["three"]);
    const action = attribute(byId(tree, "flags-bulk"), "action") ?? "";
    const response = await site.ask(action, { form: { act: "acknowledge", flag: "three" } });
    expect(response.headers.get("location")).toStartWith("/sites/orchard/flags?told=");
  });
});

describe("an empty list says why, and is an all-clear only when rules ran (anchors 4.3)", () => {
  const empty = async (path: string) => textOf(byId(await page(path), "flags-list"));

  test("no report has arrived", async () => {
    expect(await empty("/sites/orchard/flags")).toContain("Waiting for the first report");
    expect(await empty("/sites/orchard/flags")).toContain("This is not an all-clear.");
  });

  test("no flag matches the filters", async () => {
    expect(await empty("/flags?kind=milestone")).toContain("No matching flags");
  });

  test("none is snoozed, none is resolved", async () => {
    expect(await empty("/flags?status=snoozed")).toContain("No snoozed flags");
  });
});

describe("an opened flag carries its proof", () => {
  test("inputs are facts, not JSON; evidence, history and what was near in time are there", async () => {
    await site.writer.write((tx): void => {
      for (let failed = 1; failed <= 3; failed++) {
        holdOpen(tx, {
          rule: "asset-pull-failed",
          asset: "tower",
          subject: "",
          severity: "error",
          kind: "anomaly",
          message: "The pull failed.",
          inputs: {
            failed,
            report: { date: "2026-02-28", revision: 2 },
            comparison: null,
            nested: { deep: { x: [1] } },
          },
          reading: { failed },
          now: site.clock.now(),
          newId: () => "held",
        });
      }
    });
    for (const [daysAgo, ref] of [
      [1, "v9"],
      [30, "long ago"],
    ] as const) {
      const at = formatInstant(site.clock.now() - daysAgo * 86_400_000);
      const row = { asset: "tower", at, kind: "deploy", ref } as const;
      const by = { name: "ci", now: site.clock.now(), newId: site.ids.uuid };
      await site.writer.write((tx) => void appendAnnotation(tx, row, by));
    }
    await site.ask("/flags/held/acknowledgement", { method: "POST" });
    const text = textOf(byId(await page("/flags/held"), "flag"));
    expect(text).toContain("28 Feb, revision 2");
    expect(text).toContain("no report from a month before");
    expect(text).toContain("3 runs, newest first");
    expect(text).toContain("ada acknowledged it.");
    expect(text).toContain("Changes around that dateCorrelation only");
    expect(text).toContain("v9");
    expect(text).not.toContain("long ago");
    expect(text).not.toContain("{");
  });
});

describe("GET /api/flags/{id}", () => {
  const api = (path: string) => site.ask(path);

  test("is the row with its record, oldest first, times as ISO 8601", async () => {
    await site.ask("/flags/one/snooze", { form: { days: "1" } });
    const body = (await (await api("/api/flags/one")).json()) as { record: unknown[] };
    expect(body).toMatchObject({ ...stored(), record_more: 0 });
    expect(body.record).toMatchObject([
      { at: "2026-03-01T12:00:00.000Z", type: "raised", actor: "rule" },
      {
        at: "2026-03-01T13:00:00.000Z",
        type: "act",
        actor: "operator:ada",
        data: { act: "snooze", set: { snoozed_until: "2026-03-02T13:00:00.000Z" } },
      },
    ]);
  });
});
