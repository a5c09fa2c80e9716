import { describe, test } from "bun:test";
import { cleanRemote } from "../../../src/measure/git/checkout.ts";
import { recordEach } from "../../support/mixtures.ts";
import { texts } from "../../support/words.ts";

describe("the remote's address holds nothing secret (measure.md 3.1)", () => {
  test("nor is what is nothing, or nothing usable, one: recorded", () => {
    const remotes = texts(
      "https://user:token@host.test/a/b.git?x=1#y|https://x-access-token:abc@host.test:8443/a/b|ssh://git@host.test/a/b.git",
      "git@host.test:a/b.git|host.test:a/b.git|git@host.test:a/b?token=x|/home/ada/secret/b|../b/.git|file:///home/ada/b.git",
      "C:\\Users\\ada\\b|  https://host.test/a\n||\u0000|/|https://",
    );
    recordEach([...remotes, `https://host.test/${"a".repeat(3000)}`], cleanRemote);
  });
});
