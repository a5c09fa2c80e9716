import { expect, test } from "bun:test";
import { commandWord } from "../../src/base/command_line.ts";

test("a command to copy runs where Tower was started through npx and no shell finds Bun", () => {
  expect(commandWord("/home/ada/.npm/_npx/7d2fe39c03b1fcc1/node_modules/@oven/bun-linux-x64/bin/bun")).toBe(
    `npx -y bun@${Bun.version} run tower`,
  );
  for (const bun of ["/usr/local/bin/bun", "/home/ada/.bun/bin/bun", "/home/ada/my_npx/bun"]) {
    expect(commandWord(bun)).toBe("bun run tower");
  }
});
