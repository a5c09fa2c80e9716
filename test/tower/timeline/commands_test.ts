/** What a shell passes to curl, with the header lines it gets by standard input first; curl, git and date are played by functions. */

import { describe, expect, test } from "bun:test";
import { readContract } from "../../../src/base/contract.ts";
import { annotationSchema } from "../../../src/sites/annotations.ts";
import { annotationCommand, annotationStep } from "../../../src/tower/timeline/timeline.tsx";

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

const DESTINATION = { asset: "harbor", ingest: "https://ingest.example:8443" };

describe("the ready-made commands", () => {
  test("the line of curl posts a valid deploy to the real address, with the token from the environment", () => {
    const command = annotationCommand(DESTINATION);
    expect(command).not.toContain("secret");
    const [header, ...args] = argumentsOf(command);
    expect(header).toBe("Authorization: Bearer secret");
    expect(args.join(" ")).not.toContain("secret");
    expect(args).toContain("https://ingest.example:8443/api/annotations");
    expect(args).toContain("Content-Type: application/json");
    const body = bodyOf(args);
    expect(body).toEqual({
      asset: "harbor",
      at: "2026-03-01T02:30:00Z",
      kind: "deploy",
      ref: "4be1c07d2a9f40c38d1b6f5e7a8c9b0d1e2f3a4b",
    });
    expect(
      readContract(
        annotationSchema(() => Date.UTC(2026, 2, 1, 9)),
        body,
      ),
    ).toMatchObject({ ok: true, ignored: [] });
  });

  test("the step is YAML with the token as a secret, and its run posts the workflow's commit", () => {
    const [step] = Bun.YAML.parse(annotationStep(DESTINATION)) as [
      { name: string; env: Record<string, string>; run: string },
    ];
    expect(step.env).toEqual({ TOWER_TOKEN: ["$", "{{ secrets.TOWER_TOKEN }}"].join("") });
    expect(bodyOf(argumentsOf(step.run, { GITHUB_SHA: "c0ffee" }))).toMatchObject({
      asset: "harbor",
      ref: "c0ffee",
    });
  });

  test("an address or asset with a shell's own characters stays one word", () => {
    const args = argumentsOf(annotationCommand({ asset: "*", ingest: "https://x.example/a'b;$(id)" }));
    expect(args).toContain("https://x.example/a'b;$(id)/api/annotations");
    expect(bodyOf(args)).toMatchObject({ asset: "*" });
  });
});
