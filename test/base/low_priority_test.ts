import { expect, test } from "bun:test";
import { getPriority } from "node:os";
import { askWorker } from "../../src/base/worker.ts";

test.if(process.platform === "linux")(
  "a worker that gives way does so with its own thread alone",
  async () => {
    const way = new URL("../../src/base/low_priority.ts", import.meta.url).href;
    const source = `import "${way}"; import { getPriority } from "node:os"; self.onmessage = () => self.postMessage(getPriority());`;
    const before = getPriority();
    const script = new URL(URL.createObjectURL(new Blob([source], { type: "application/typescript" })));
    expect(await askWorker<number>(script, null)).toBe(Math.min(19, before + 5));
    expect(getPriority()).toBe(before);
  },
);
