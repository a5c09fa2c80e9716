/** What a shell passes to curl, with the header lines it gets by standard input first; curl, git and date are played by functions. */

import { expect, test } from "bun:test";
import { annotationCommand } from "../../../src/tower/timeline/timeline.tsx";

function argumentsOf(command: string, env: Readonly<Record<string, string>> = {}): string[] {
  const players = [
    "curl() { while read -r line; do printf '%s\\0' \"$line\"; done; printf '%s\\0' \"$@\"; }",
    "git() { echo 4be1c07d2a9f40c38d1b6f5e7a8c9b0d1e2f3a4b; }",
    "date() { echo 2026-03-01T02:30:00Z; }",
  ];
  const run = Bun.spawnSync(["sh", "-euc", [...players, command].join("\n")], {
    env: { TOWER_TOKEN: "secret", ...env },
  });
  expect(run.stderr.toString()).toBe("");
  return run.stdout.toString().split("\0").slice(0, -1);
}

function bodyOf(args: readonly string[]): unknown {
  return JSON.parse(args[args.indexOf("-d") + 1] ?? "");
}

test("an address or asset with a shell's own characters stays one word", () => {
  const args = argumentsOf(annotationCommand({ asset: "*", ingest: "https://x.example/a'b;$(id)" }));
  expect(args).toContain("https://x.example/a'b;$(id)/api/annotations");
  expect(bodyOf(args)).toMatchObject({ asset: "*" });
});
