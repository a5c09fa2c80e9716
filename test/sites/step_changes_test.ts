import { expect, test } from "bun:test";
import {
  appendAnnotation,
  findStepMark,
  listStepChanges,
  putRetraction,
} from "../../src/sites/annotations.ts";
import { testGround } from "../support/deps.ts";

test("a consent step that was stored is told as one change, and as another once it is retracted", async () => {
  const { writer, store, ids, clock } = await testGround();
  const now = clock.now();
  const step = {
    asset: "harbor",
    at: "2026-02-28T00:00:00Z",
    kind: "config",
    ref: "consent-mode-v2",
  } as const;
  const before = findStepMark(store.db);
  const { stored } = await writer.write((tx) =>
    appendAnnotation(tx, step, { name: "ci", newId: ids.uuid, now }),
  );
  const change = { asset: "harbor", changedAt: now };
  expect(listStepChanges(store.db, before, 0)).toEqual([change]);
  await writer.write((tx) =>
    putRetraction(tx, stored.id, { struck: 1, reason: null }, { actor: "operator:ada", name: "ada", now }),
  );
  expect(listStepChanges(store.db, before, 0)).toEqual([change, change]);
  expect(listStepChanges(store.db, before, stored.atMs + 1)).toStrictEqual([]);
  expect(listStepChanges(store.db, findStepMark(store.db), 0)).toStrictEqual([]);
  store.close();
});
