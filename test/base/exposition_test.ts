import { expect, test } from "bun:test";
import { expositionOf } from "../../src/base/metrics.ts";

test("a figure is its help, its type and its samples; what would end a line or a label is escaped", () => {
  const text = expositionOf([
    {
      name: "a",
      type: "gauge",
      help: "One \\ line\nor two.",
      samples: [[1.5], [2, { x: 'q"u\\o\nte', y: "" }]],
    },
    { name: "b_total", type: "counter", help: "None yet.", samples: [] },
  ]);
  expect(text).toBe(
    `${[
      "# HELP a One \\\\ line\\nor two.",
      "# TYPE a gauge",
      "a 1.5",
      'a{x="q\\"u\\\\o\\nte",y=""} 2',
      "# HELP b_total None yet.",
      "# TYPE b_total counter",
    ].join("\n")}\n`,
  );
});
