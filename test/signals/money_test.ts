/** Money under every way in which a question can end: the ledger is never below what was charged, the budget is never passed. */

import { expect, test } from "bun:test";
import { seedOf, uniform } from "../../src/demo/simulator/figures.ts";
import { runPanels, settleUnanswered } from "../../src/signals/panel_runs.ts";
import { writerWith } from "../support/deps.ts";
import { dyingWriter } from "../support/dying.ts";
import { HOUR_MS, panelledTower } from "../support/panelled.ts";
import { pulledWorld } from "../support/pulled.ts";

const NANO_OF_CENT = 10_000_000;
const BUDGET_CENTS = 4;
const never = new Promise<never>(() => undefined);

test("over 400 runs with lost answers, timeouts and kills the ledger is never below what was charged, above it only by named unknowns, and no day passes the budget", async () => {
  const at = await panelledTower({ world: pulledWorld(["harbor.example", "lake.example"]) });
  const { clock, simulators, tower } = at;
  const { deps } = tower;
  const { raw } = deps.store;
  const constants = { current: () => withBudget(deps.constants.current(), BUDGET_CENTS) };
  for (const [place, asset] of [
    "harbor.example",
    "harbor.example",
    "lake.example",
    "lake.example",
  ].entries()) {
    await at.add({ asset, keyword: `words ${place}`, depth: 10 + 30 * place, every: 1 });
  }
  const rows = <Row>(text: string) => raw.query<Row, []>(text).all();
  const ledger = () =>
    (rows<{ cents: number | null }>(
      "SELECT sum(amount) AS cents FROM ledger_entry e WHERE NOT EXISTS (SELECT 1 FROM ledger_entry l WHERE l.corrects = e.id)",
    )[0]?.cents ?? 0) * NANO_OF_CENT;
  const counts: Record<string, number> = {};
  for (let run = 1; run <= 400; run++) {
    const draw = (place: number) => uniform(seedOf(run, "money"), place);
    clock.advance(Math.floor(draw(0) * 30) * HOUR_MS);
    const kind = KINDS[Math.floor(draw(1) * KINDS.length)] ?? "right";
    counts[kind] = (counts[kind] ?? 0) + 1;
    simulators.calm();
    if (kind === "hang" || kind === "reset" || kind === "cut-body" || kind === "cut-json") {
      simulators.script({ kind }, { server: "serp", times: 2 });
    } else if (/^\d/.test(kind)) simulators.script({ kind: "error", error: kind }, { server: "serp" });
    const dying = dyingWriter(
      deps.writer,
      kind === "killed-before-result" ? 1 : kind === "killed-before-intent" ? 0 : 100,
    );
    const died = Promise.withResolvers<void>();
    void dying.died.then(() => died.resolve());
    const http = {
      request: (asked: Parameters<typeof deps.http.request>[0]) => {
        if (kind !== "killed-before-sending") return deps.http.request({ ...asked, timeoutMs: 25 });
        died.resolve();
        return never;
      },
    };
    const process = {
      ...deps,
      http,
      constants,
      writer: writerWith(deps.writer, {
        write: dying.writer.write,
        writeOrDefer: deps.writer.writeOrDefer.bind(deps.writer),
      }),
      pulls: { queue: { run: <T>(_lane: unknown, _place: unknown, work: () => Promise<T>) => work() } },
    };
    await Promise.race([runPanels(process, handle(run)), died.promise]);
    const charged = simulators.serpCharges.reduce((sum, { nano }) => sum + nano, 0);
    expect(ledger()).toBeGreaterThanOrEqual(charged);
    if (kind.startsWith("killed")) await settleUnanswered(deps, 0);
    // A question without an exact cost is a named unknown, at its price; and each of two sites is rounded up to its cent.
    const [named] = rows<{ nano: number }>(
      "SELECT sum(coalesce(e.charged, r.price)) AS nano FROM panel_run r LEFT JOIN panel_result e ON e.id = r.id",
    );
    expect(ledger()).toBeLessThan((named?.nano ?? 0) + 2 * NANO_OF_CENT);
  }
  await settleUnanswered(deps, 0);
  expect(
    rows("SELECT r.id FROM panel_run r LEFT JOIN panel_result e ON e.id = r.id WHERE e.id IS NULL"),
  ).toStrictEqual([]);
  // By the day on which a question was asked: what a killed process sent may be served on the next.
  const days = rows<{ nano: number }>(
    `SELECT sum(coalesce(e.charged, r.price)) AS nano FROM panel_run r LEFT JOIN panel_result e ON e.id = r.id
     GROUP BY r.asked_at / 86400000`,
  );
  expect(Math.max(...days.map(({ nano }) => nano))).toBeLessThanOrEqual(BUDGET_CENTS * NANO_OF_CENT);
  const asked = new Set(
    rows<{ tag: string }>("SELECT 'panel-' || id AS tag FROM panel_run").map(({ tag }) => tag),
  );
  expect(simulators.serpCharges.filter(({ tag }) => !asked.has(tag))).toStrictEqual([]);
  expect(simulators.serpCharges.length).toBeGreaterThan(200);
  expect(new Set(simulators.serpCharges.map(({ tag }) => tag)).size).toBe(simulators.serpCharges.length);
  expect(days.length).toBeGreaterThan(120);
  expect(Object.keys(counts).length).toBe(new Set(KINDS).size);
  await at.close();
});

const KINDS = [
  ..."right right right right right hang reset cut-body cut-json 40101 40102 40202 40501 40210-top".split(
    " ",
  ),
  ..."killed-before-intent killed-before-sending killed-before-result killed-before-result".split(" "),
];

function withBudget<T extends { readonly constants: object }>(inEffect: T, daily_budget: number): T {
  return { ...inEffect, constants: { ...inEffect.constants, panels: { daily_budget } } };
}

const handle = (id: number) => ({
  id,
  askedBy: "schedule" as const,
  signal: new AbortController().signal,
  progress: () => undefined,
  count: () => undefined,
  unmonitored: () => undefined,
});
