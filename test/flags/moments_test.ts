import { expect, test } from "bun:test";
import { listFlagMoments } from "../../src/flags/queries.ts";
import { insertOpenFlag } from "../../src/flags/store.ts";
import { testGround } from "../support/deps.ts";
import { newFlag } from "../support/make/flag.ts";

test("the flags of a span are those from its start to before its end", async () => {
  const { store, writer, clock } = await testGround();
  const at = clock.now();
  await writer.write((tx): void => insertOpenFlag(tx, "f", newFlag(), at, "rule"));
  const listed = (from: number, to: number) => {
    const span = { turn: "raised", from, to } as const;
    return listFlagMoments(store.db, span, "newest", 9).length;
  };
  expect([listed(at, at + 1), listed(at - 9, at), listed(at + 1, at + 9)]).toEqual([1, 0, 0]);
  store.close();
});
