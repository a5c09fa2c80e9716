import { expect, test } from "bun:test";
import * as v from "valibot";
import { receive } from "../../src/base/receive.ts";

const post = (text: string) =>
  new Request("http://localhost/", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: text,
  });
const options = { schema: v.looseObject({ note: v.string() }), maxBytes: 256 * 1024 };

test("of many long bodies that arrive together everybody else gets a turn in between", async () => {
  const order: string[] = [];
  let isOver = false;
  const other = () => {
    order.push("other");
    if (!isOver) setImmediate(other);
  };
  setImmediate(other);
  const long = JSON.stringify({ note: "n".repeat(100_000) });
  await Promise.all(
    Array.from({ length: 200 }, async () => {
      const { value } = await receive(post(long), options);
      expect(value.note).toHaveLength(100_000);
      order.push("long");
    }),
  );
  isOver = true;
  expect(order.slice(order.indexOf("long"), order.lastIndexOf("long"))).toContain("other");
});
