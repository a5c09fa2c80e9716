/** A lasting thing on the pages: one line, one count, one flag to act on, with its earlier readings behind it. */

import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { performAct } from "../../../src/flags/acts.ts";
import type { Severity } from "../../../src/flags/flags.ts";
import { findFlag } from "../../../src/flags/queries.ts";
import { type JudgedRule, reconcileFlags, type Verdict } from "../../../src/flags/reconcile.ts";
import { attribute, byId, elements, parsed, textOf } from "../../support/html.ts";
import { CLEAR } from "../../support/make/flag.ts";
import { expectProblem } from "../../support/problem.ts";
import { flagFaults } from "../../support/read_models.ts";
import { type World, world } from "../../support/world.ts";

const DAY = 86_400_000;
const HTMX = { "hx-request": "true" };
const ADA = { name: "ada", id: "operator:ada" };

let site: World;
let nights: number;
beforeEach(async () => {
  site = await world();
  nights = 0;
});
afterEach(async () => {
  expect(flagFaults(site.store.db)).toEqual([]);
  await site.close();
});

function judge(judged: Pick<JudgedRule, "rule" | "source" | "metric">, verdict: Verdict): Promise<unknown> {
  return site.writer.write((tx) =>
    reconcileFlags(tx, {
      asset: "harbor",
      origin: "rule",
      judged: [{ ...judged, subject: judged.metric ?? "", verdict }],
      now: site.clock.now(),
      actor: "rule",
      newId: () => `n${nights}`,
    }),
  );
}

/** A night on which the site's report is judged; the flag it raises is `n1`, `n2` and so on. */
async function night(severity: Severity | null = "warn"): Promise<void> {
  site.clock.advance(DAY);
  nights++;
  const fires = { state: "fires", kind: "anomaly", message: `Reading ${nights}.`, inputs: {} } as const;
  await judge(
    { rule: "flow-drop", source: "pulse", metric: "signups" },
    severity === null ? CLEAR : { ...fires, severity },
  );
}

const linesOf = (tree: ReturnType<typeof parsed>) =>
  elements(tree, (element) => attribute(element, "data-row") !== undefined).map((row) =>
    (attribute(row, "id") ?? "").slice("open-".length),
  );

describe("five dead nights", () => {
  beforeEach(async () => {
    for (let count = 0; count < 5; count++) await night();
  });

  test("are one line with the night it began, and one in every count", async () => {
    const inbox = await site.open("/flags");
    expect(linesOf(inbox)).toEqual(["n5"]);
    expect(textOf(byId(inbox, "open-n5"))).toContain("first raised 2 Mar, 5 reports");
    expect(textOf(byId(inbox, "flags-head"))).toContain("1 open on 1 site: 1 warn.");
    expect(textOf(byId(inbox, "flags-head"))).toContain("Resolved 0");
    expect(linesOf(await site.open("/sites/harbor/flags"))).toEqual(["n5"]);
  });

  test("are one line when they are over: the last reading", async () => {
    await night(null);
    expect(linesOf(await site.open("/flags"))).toEqual([]);
    const over = await site.open("/flags?status=resolved");
    expect(linesOf(over)).toEqual(["n5"]);
    expect(textOf(byId(over, "flags-head"))).toContain("Resolved 1");
  });

  test("stand behind the flag as its earlier readings, with everything that was done since it began", async () => {
    await site.writer.write((tx) =>
      performAct(tx, "incident", { id: "n5", by: ADA, now: site.clock.now(), text: "INC-7" }),
    );
    await night();
    const text = textOf(byId(await site.open("/flags/n6"), "flag"));
    expect(text).toContain("first raised 2 Mar 12:00, 6 reports");
    expect(text).toContain("Earlier reports");
    for (let one = 1; one <= 5; one++) expect(text).toContain(`Reading ${one}.`);
    expect(text).toContain("ada linked an incident: INC-7");
    expect(text).not.toContain("raised it anew");
  });
});

test("a worse one has no acknowledgement any more, and its history says that it was raised again", async () => {
  await night("warn");
  await site.writer.write((tx) =>
    performAct(tx, "acknowledge", { id: "n1", by: ADA, now: site.clock.now() }),
  );
  await night("warn");
  expect(textOf(byId(await site.open("/flags/n2"), "flag"))).toContain("Acknowledged by ada");
  await night("error");
  const text = textOf(byId(await site.open("/flags/n3"), "flag"));
  expect(text).toContain("Raised again.");
  expect(text).toContain("ada acknowledged it");
  expect(text).not.toContain("Acknowledged by ada");
});

describe("an earlier reading", () => {
  beforeEach(async () => {
    await night();
    await night();
  });

  test("takes no act and leads to the flag as it stands now", async () => {
    const tree = byId(await site.open("/flags/n1?severity=warn"), "flag");
    expect(textOf(tree)).toContain("An earlier report raised this flag.");
    const hrefs = elements(tree, (element) => attribute(element, "href") !== undefined).map((element) =>
      attribute(element, "href"),
    );
    expect(hrefs).toContain("/flags/n2?severity=warn");
    expect(elements(tree, (element) => attribute(element, "hx-put") !== undefined)).toEqual([]);
  });

  for (const [what, headers] of [
    ["htmx", HTMX],
    ["a plain form", {}],
  ] as const) {
    test(`an act on it gets 409 with the current flag and what was written, by ${what}`, async () => {
      const late = await site.ask("/flags/n1/incident", { form: { text: "INC-7" }, headers });
      expect(late.status).toBe(409);
      const tree = parsed(await late.text());
      expect(textOf(byId(tree, "flag-told"))).toContain("Nothing was changed");
      expect(textOf(byId(tree, "flag"))).toContain("Reading 2.");
      expect(textOf(byId(tree, "incident-text"))).toBe("INC-7");
      const [form] = elements(tree, (element) => (attribute(element, "action") ?? "").includes("/incident"));
      expect(form === undefined ? "no form" : attribute(form, "action")).toBe("/flags/n2/incident");
      for (const id of ["n1", "n2"]) expect(findFlag(site.store.db, id)?.incident).toBeNull();
    });
  }

  test("among ticked ones it stays as it was", async () => {
    const body = new URLSearchParams([
      ["act", "acknowledge"],
      ["flag", "n1"],
      ["flag", "n2"],
    ]);
    const answer = await site.ask("/flags/dispositions", { form: body, headers: HTMX });
    expect(textOf(byId(parsed(await answer.text()), "flags-told"))).toContain(
      "1 flag acknowledged. 1 flag had changed meanwhile",
    );
  });
});

test("the API names source and renews, and nothing more than the contract's fields", async () => {
  await night();
  await night();
  await judge({ rule: "codebase-unused", source: null, metric: null }, CLEAR);
  await site.raise("plain");
  const read = async (path: string) => (await site.ask(path)).json();
  const { items } = (await read("/api/flags?source=pulse")) as { items: Record<string, unknown>[] };
  expect(items.map(({ id, source, renews }) => [id, source, renews])).toEqual([
    ["n2", "pulse", "n1"],
    ["n1", "pulse", null],
  ]);
  expect(Object.keys(items[0] ?? {})).toEqual(
    "id asset rule subject origin severity kind metric message status rule_inputs raised_at resolved_at resolution acked_at acked_by snoozed_until tuned_at incident hypothesis source renews".split(
      " ",
    ),
  );
  expect(await read("/api/flags/plain")).toMatchObject({ source: null, renews: null, record: [{}] });
  expect(await read("/api/flags/n2")).toMatchObject({
    record: [
      { type: "raised", data: { set: { renews: "n1", reports: 2, since: "2026-03-02T12:00:00.000Z" } } },
    ],
  });
  const wrong = await expectProblem(await site.ask("/api/flags?source=elsewhere"), "malformed-query");
  expect(wrong.detail).toContain("source must be one of pulse");
});
