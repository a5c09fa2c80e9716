/** Dead files planted in small applications are found, and nothing else is. */

import { describe, expect, test } from "bun:test";
import { measureFiles } from "../run.ts";

async function unused(files: Readonly<Record<string, string>>) {
  const { report } = await measureFiles(files);
  const found = report.findings?.unused ?? [];
  const of = (kind: string) => found.filter((one) => one.kind === kind);
  return {
    files: of("file").map(({ path }) => path),
    exports: of("export").map(({ path, name, line }) => `${path} ${name} ${line}`),
    report,
  };
}

test("a React application: components, hooks, circles, names of packages", async () => {
  const dead = [
    "src/components/Badge.tsx",
    "src/hooks/useHeight.ts",
    "src/lib/format.ts",
    "src/lib/react.ts",
    "src/ring/a.ts",
    "src/ring/b.ts",
    "packages/ui/src/ghost.ts",
  ];
  const { files, exports } = await unused({
    "package.json": JSON.stringify({
      workspaces: ["packages/*"],
      dependencies: { next: "1", react: "1", "date-fns": "1" },
    }),
    "tsconfig.json": '{ "compilerOptions": { "paths": { "@/*": ["./src/*"] } } }',
    "src/app/page.tsx":
      'import { Used, taken } from "@/components/Used";\nimport { ui } from "@x/ui";\nimport { format } from "date-fns/format";\nexport default function Page() { return <Used a={taken + ui + format} />; }\n',
    "src/components/Used.tsx":
      'import * as React from "react";\nexport const Used = () => <i />;\nexport const taken = 1;\nexport const spare = 2;\n',
    "packages/ui/package.json": JSON.stringify({ name: "@x/ui", main: "dist/index.js" }),
    "packages/ui/src/index.ts": 'export { ui } from "./ui";\n',
    "packages/ui/src/ui.ts": "export const ui = 1;\n",
    "src/ring/a.ts": 'import { b } from "./b";\nexport const a = () => b;\n',
    "src/ring/b.ts": 'import { a } from "./a";\nexport const b = () => a;\n',
    ...Object.fromEntries(
      dead.filter((path) => !path.includes("ring")).map((path) => [path, "export const x = 1;\n"]),
    ),
  });
  expect(files.sort()).toEqual(dead.sort());
  expect(exports).toEqual(["src/components/Used.tsx spare 4"]);
});

test("a Nuxt application: what a name uses is imported by the framework", async () => {
  const component = "<template><i /></template>\n";
  const { files, exports } = await unused({
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
  expect(files.sort()).toEqual(["components/base/Ghost.vue", "composables/useGhost.ts", "utils/format.ts"]);
  expect(exports).toEqual(["composables/useCount.ts useSpare 2"]);
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
    const { report } = await unused({ ...script, ...java });
    expect(report.measures.unused_files).toBeUndefined();
    expect(report.unmeasured?.unused_files).toBe(
      "Only 2 of 7 code files are JavaScript, TypeScript or Python.",
    );
  });

  test("a larger part is said beside the figure, and the tool is named", async () => {
    const { report } = await unused({ ...script, "A.java": "class A {}\n" });
    expect(report.measures.unused_files).toBe(0);
    expect(report.notes?.unused_files).toBe("of 2 covered files");
    expect(report.tools?.["unused"]).toMatch(/^codemodules \d+\.\d+\.\d+$/);
  });

  test("a finding that the repository dismisses is in no list and no count", async () => {
    const ignore = '[[ignore]]\nkind = "unused-file"\npath = "old.js"\nreason = "loaded by hand"\n';
    const { report } = await unused({
      ...script,
      "old.js": "export const x = 1\n",
      ".tower-measure": ignore,
    });
    expect(report.measures.unused_files).toBe(0);
    expect(report.dismissed?.[0]?.count).toBe(1);
  });
});
