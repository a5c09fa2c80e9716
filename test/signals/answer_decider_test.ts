import { expect, spyOn, test } from "bun:test";
import { join } from "node:path";
import { AnswerDecider } from "../../src/signals/pull.ts";
import { migrateStore } from "../../src/store/migrations.ts";
import { openStore } from "../../src/store/store.ts";
import { temporaryFolder } from "../support/folder.ts";

const ANSWER = {
  asset: "harbor",
  raw: {
    provider: "webmaster-tools",
    property: "https://harbor.example/",
    asked: { from: 0, to: 20_500, timeZone: undefined },
    askedAt: Date.parse("2026-02-17T02:30:00Z"),
    body: '{"d":[]}',
  },
} as const;

test("answers are held against what is stored off the event loop, by one worker that ends with the work", async () => {
  using folder = temporaryFolder();
  const store = openStore(join(folder.path, "tower.db"));
  migrateStore(store);
  const untouched = new Proxy(store.db, {
    get: () => {
      throw new Error("judged on the event loop");
    },
  });
  const judge = new AnswerDecider({ ...store, db: untouched });
  const ended = spyOn(Worker.prototype, "terminate");
  try {
    await judge.during(async () => {
      const judged = await Promise.all([judge.judge(ANSWER), judge.judge(ANSWER)]);
      expect(judged).toMatchObject([
        { ok: true, newest: 0 },
        { ok: true, newest: 0 },
      ]);
      expect(ended).toHaveBeenCalledTimes(0);
    });
    expect(ended).toHaveBeenCalledTimes(1);
  } finally {
    ended.mockRestore();
    store.close();
  }
});
