import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import {
  localCommand,
  nightlyCommand,
  shellWord,
  workflowText,
} from "../../../src/tower/sending/commands.ts";
import { DESTINATION } from "../../support/tower_data.ts";

const TO = { ...DESTINATION, asset: "kiln-and-clay", token: "tw_site_x" };

/** What a script printed, cut at each NUL. */
function ran(script: string): string[] {
  return Bun.spawnSync(["sh", "-c", script]).stdout.toString().split("\0").slice(0, -1);
}

/** What a shell makes of the text: the words it passes on. */
function words(text: string): string[] {
  return ran(`printf '%s\\0' ${text}`);
}

describe("the commands to copy", () => {
  test("the local command names the ingest, the site and the token, and posts", () => {
    expect(localCommand(TO)).toBe(
      "INGEST_URL=http://127.0.0.1:4610 \\\nASSET=kiln-and-clay \\\nASSET_TOKEN=tw_site_x \\\n  bun run tower measure path/to/checkout --post",
    );
    expect(localCommand({ ...TO, token: null })).toContain("ASSET_TOKEN=your-site-token");
  });

  test("the workflow never holds the token, only the name of its secret", () => {
    const job = workflowText(TO);
    expect(job).not.toContain("tw_site_x");
    expect(job).toContain("token: $" + "{{ secrets.ASSET_TOKEN }}");
    expect(job).toContain("ingest-url: $" + "{{ secrets.INGEST_URL }}");
    expect(job).toContain('asset: "kiln-and-clay"');
  });

  test("the nightly command sends one JSON body that names the site, with the time filled in by the shell", () => {
    const [header, ...sent] = ran(
      `curl() { cat | tr '\\n' '\\0'; printf '%s\\0' "$@"; }\n${nightlyCommand(TO)}`,
    );
    expect(header).toBe("Authorization: Bearer tw_site_x");
    expect(sent).toContain("http://127.0.0.1:4610/api/pulse");
    expect(sent.join(" ")).not.toContain("tw_site_x");
    const body = JSON.parse(sent.at(-1) ?? "") as { asset: string; generatedAt: string };
    expect(body.asset).toBe("kiln-and-clay");
    expect(body.generatedAt).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
  });

  test("a quoted value reaches the command as one word, whatever it holds", () => {
    const text = fc
      .string({ unit: "grapheme", minLength: 1, maxLength: 20 })
      .filter((value) => !value.includes("\0"));
    fc.assert(
      fc.property(text, (value) => {
        expect(words(shellWord(value))).toEqual([value]);
      }),
      { numRuns: 15 },
    );
  });
});
