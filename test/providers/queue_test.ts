import { expect, test } from "bun:test";
import { CredentialQueue, type Priority } from "../../src/providers/queued_request.ts";

const PACES = {
  analytics: { atOnce: 4, gapMs: 0 },
  "search-console": { atOnce: 1, gapMs: 250 },
  "webmaster-tools": { atOnce: 1, gapMs: 500 },
  serp: { atOnce: 1, gapMs: 500 },
} as const;

function queueOf() {
  const gaps: number[] = [];
  const sleep = async (ms: number) => void gaps.push(ms);
  return { queue: new CredentialQueue({ paces: PACES, sleep }), gaps };
}

const { signal } = new AbortController();
const hasAsked = () => true;
const turns = () => new Promise((resolve) => setImmediate(resolve));

test("as many questions are under way at once as a provider takes, for each credential", async () => {
  const { queue } = queueOf();
  const gate = Promise.withResolvers<void>();
  const under = new Map<string, number>();
  const most = new Map<string, number>();
  const ask = (credential: string, provider: keyof typeof PACES) =>
    queue.run({ credential, provider }, { priority: "sense", signal, hasAsked }, async () => {
      const name = `${credential} ${provider}`;
      under.set(name, (under.get(name) ?? 0) + 1);
      most.set(name, Math.max(most.get(name) ?? 0, under.get(name) ?? 0));
      await gate.promise;
      under.set(name, (under.get(name) ?? 0) - 1);
    });
  const all = Array.from({ length: 9 }, () => [
    ask("a", "analytics"),
    ask("b", "analytics"),
    ask("a", "search-console"),
  ]);
  await turns();
  gate.resolve();
  await Promise.all(all.flat());
  expect(Object.fromEntries(most)).toEqual({ "a analytics": 4, "b analytics": 4, "a search-console": 1 });
});

test("between two questions that are asked one at a time there is a gap, and what is for charts goes first", async () => {
  const { queue, gaps } = queueOf();
  const order: string[] = [];
  const ask = (name: string, priority: Priority) =>
    queue.run({ credential: "a", provider: "search-console" }, { priority, signal, hasAsked }, async () => {
      order.push(name);
      await turns();
    });
  await Promise.all([
    ask("archive 1", "archive"),
    ask("archive 2", "archive"),
    ask("sense 1", "sense"),
    ask("sense 2", "sense"),
  ]);
  expect(order).toEqual(["archive 1", "sense 1", "sense 2", "archive 2"]);
  expect(gaps.slice(0, 3)).toEqual([250, 250, 250]);
});

test("one that fails keeps no other from its turn, and after an abort nothing waits for a gap", async () => {
  const { queue, gaps } = queueOf();
  const abort = new AbortController();
  const of = { credential: "a", provider: "webmaster-tools" } as const;
  const failing = queue.run(of, { priority: "sense", signal: abort.signal, hasAsked }, () =>
    Promise.reject(new Error("no")),
  );
  const next = queue.run(of, { priority: "sense", signal: abort.signal, hasAsked }, () =>
    Promise.resolve("asked"),
  );
  abort.abort();
  expect(failing).rejects.toThrow("no");
  expect(await next).toBe("asked");
  expect(gaps).toStrictEqual([]);
});

for (const [what, provider, came] of [
  ["what asks nobody", "webmaster-tools", "held"],
  ["an answer that came at once, of a provider without a gap,", "analytics", "asked"],
] as const) {
  test(`${what} leaves no gap behind it, and the event loop a turn`, async () => {
    const { queue, gaps } = queueOf();
    const of = { credential: "a", provider };
    let seen = 0;
    let turned = 0;
    const watch = (): void => {
      turned++;
      if (seen < 100) setImmediate(watch);
    };
    setImmediate(watch);
    await Promise.all(
      Array.from({ length: 100 }, () =>
        queue.run(of, { priority: "sense", signal, hasAsked: (result) => result === "asked" }, async () => {
          seen++;
          return came;
        }),
      ),
    );
    expect(gaps).toStrictEqual([]);
    expect(turned).toBeGreaterThan(90 / PACES[provider].atOnce);
  });
}
