/** Dead files planted in small applications are found, and nothing else is. */

import { describe, test } from "bun:test";
import { words } from "../../support/words.ts";
import { measureFiles } from "../run.ts";

test("a React application: components, hooks, circles, names of packages", async () => {
  const dead = words(`
    src/components/Badge.tsx src/hooks/useHeight.ts src/lib/format.ts src/lib/react.ts packages/ui/src/ghost.ts
  `);
  await measureFiles({
    "package.json": JSON.stringify({
      workspaces: ["packages/*"],
      dependencies: { next: "1", react: "1", "date-fns": "1", "@nestjs/core": "1" },
    }),
    "tsconfig.json": '{ "compilerOptions": { "paths": { "@/*": ["./src/*"] } } }',
    "src/serverless.ts": "export const handler = 1;\n",
    "src/app/page.tsx":
      'import { Used, taken } from "@/components/Used";\nimport { ui } from "@x/ui";\nimport { format } from "date-fns/format";\nexport default function Page() { return <Used a={taken + ui + format} />; }\n',
    "src/components/Used.tsx":
      'import * as React from "react";\nexport const Used = () => <i />;\nexport const taken = 1;\nexport const spare = 2;\n',
    "packages/ui/package.json": JSON.stringify({ name: "@x/ui", main: "dist/index.js" }),
    "packages/ui/src/index.ts": 'export { ui } from "./ui";\n',
    "packages/ui/src/ui.ts": "export const ui = 1;\n",
    "src/ring/a.ts": 'import { b } from "./b";\nexport const a = () => b;\n',
    "src/ring/b.ts": 'import { a } from "./a";\nexport const b = () => a;\n',
    ...Object.fromEntries(dead.map((path) => [path, "export const x = 1;\n"])),
  });
});

test("a Nuxt application: what a name uses is imported by the framework", async () => {
  const component = "<template><i /></template>\n";
  await measureFiles({
    "package.json": JSON.stringify({ dependencies: { nuxt: "3" } }),
    "nuxt.config.ts": "export default defineNuxtConfig({})\n",
    "pages/index.vue":
      "<script setup>\nconst n = useCount()\n</script>\n<template><BaseCard /><LazyHeavy /></template>\n",
    "components/base/Card.vue": component,
    "components/Heavy.vue": component,
    "components/base/Ghost.vue": component,
    "composables/useCount.ts": "export const useCount = () => 1\nexport const useSpare = () => 2\n",
    "composables/useGhost.ts": "export const useGhost = () => 1\n",
    "utils/format.ts": "export const formatDay = () => 1\n",
    "server/api/hello.ts": "export default defineEventHandler(() => ({}))\n",
  });
});

describe("no false zero", () => {
  const script = { "package.json": "{}", "index.js": "import './a.js'\n", "a.js": "export {}\nx()\n" };

  test("a small part of the code says nothing of the rest", async () => {
    const java = Object.fromEntries(
      ["A", "B", "C", "D", "E"].map((name) => [
        `${name}.java`,
        `class ${name} {\n${"  int x;\n".repeat(20)}}\n`,
      ]),
    );
    await measureFiles({ ...script, ...java });
  });

  test("a larger part is said beside the figure, and the tool is named", async () => {
    await measureFiles({ ...script, "A.java": "class A {}\n" });
  });

  test("a finding that the repository dismisses is in no list and no count", async () => {
    const ignore = '[[ignore]]\nkind = "unused-file"\npath = "old.js"\nreason = "loaded by hand"\n';
    await measureFiles({ ...script, "old.js": "export const x = 1\n", ".tower-measure": ignore });
  });
});
