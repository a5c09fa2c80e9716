import { expect, test } from "bun:test";
import { join } from "node:path";

interface Bom {
  readonly specVersion: string;
  readonly components: readonly {
    readonly purl: string;
    readonly scope: string;
    readonly hashes?: unknown[];
  }[];
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn: readonly string[] }[];
}

test("the bill of materials names each locked package once, with its digest, whether it runs, and what it needs", async () => {
  const root = join(import.meta.dir, "..");
  const made = Bun.spawnSync([process.execPath, "run", "--silent", "sbom"], { cwd: root });
  const bom = JSON.parse(made.stdout.toString()) as Bom;
  expect(bom.specVersion).toBe("1.6");
  const locked = [
    ...(await Bun.file(join(root, "bun.lock")).text()).matchAll(/": \["([^"]+)@([^@"]+)", "",/g),
  ];
  const due = locked.map(([, name = "", version]) => `pkg:npm/${name.replace("@", "%40")}@${version}`);
  const [bun, ...packages] = bom.components;
  expect(bun).toMatchObject({ purl: "pkg:github/oven-sh/bun@bun-v1.4.5", scope: "required" });
  expect(packages.map(({ purl }) => purl)).toEqual([...new Set(due)].sort());
  expect(packages.filter(({ hashes }) => hashes?.length !== 1)).toStrictEqual([]);
  const scopeOf = new Map(packages.map(({ purl, scope }) => [purl.replace(/@[^@]+$/, ""), scope]));
  expect(["elysia", "csstype", "fast-check", "parse5"].map((name) => scopeOf.get(`pkg:npm/${name}`))).toEqual(
    ["required", "required", "excluded", "excluded"],
  );
  const refs = new Set(bom.dependencies.map(({ ref }) => ref).concat(bun?.purl ?? ""));
  expect(
    bom.dependencies.flatMap(({ dependsOn }) => dependsOn).filter((ref) => !refs.has(ref)),
  ).toStrictEqual([]);
});
