/** Processes from the service (1) up: what each runs, and which group it is of where not the service's. */

import { describe, expect, test } from "bun:test";
import { areStill, type ProcessLook, startersOf } from "../../src/base/starters.ts";

const lookInto =
  (...line: readonly (readonly [program: string, group?: number])[]) =>
  (pid: number): ProcessLook | undefined => {
    const [program, group = 7] = line[pid - 1] ?? [];
    return program === undefined ? undefined : { parent: pid + 1, group, program };
  };

describe("who started the service and stays until it ends", () => {
  test.each([
    ["npx, the shell that it runs, and bun run", ["bun", "bun", "dash", "node", "bash"], [2, 3, 4]],
    ["bun run alone, called by a script", ["bun", "bun", "bash"], [2]],
    ["a script of npm, whose shell stays", ["bun", "sh", "node"], [2, 3]],
    ["a script of npm by the name that Debian gives Node", ["bun", "sh", "nodejs"], [2, 3]],
    ["nobody, where a shell started the service itself", ["bun", "bash", "sshd"], []],
    ["nobody, where systemd did", ["bun", "systemd"], []],
  ])("%s", (_, programs, starters) => {
    expect(startersOf(1, lookInto(...programs.map((program) => [program] as const)))).toEqual(starters);
  });

  test("not who started it in a group of its own, as one does who lets it be", () => {
    expect(startersOf(1, lookInto(["bun"], ["bun"], ["node", 3]))).toEqual([2]);
  });

  test("one of them has gone as soon as the one below has another parent", () => {
    const before = lookInto(["bun"], ["bun"], ["sh"], ["node"]);
    expect(areStill(1, [2, 3, 4], before)).toBe(true);
    for (const orphan of [1, 2, 3]) {
      const after = (pid: number) => {
        const seen = before(pid);
        return seen !== undefined && pid === orphan ? { ...seen, parent: 99 } : seen;
      };
      expect(areStill(1, [2, 3, 4], after)).toBe(false);
    }
    expect(areStill(1, [2, 3, 4], (pid) => (pid === 3 ? undefined : before(pid)))).toBe(false);
  });
});
