import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { readContract } from "../../../src/base/contract.ts";
import { readJsonText } from "../../../src/base/receive.ts";
import { PulseSchema } from "../../../src/reports/pulse.ts";
import {
  minuteText,
  nightlyCrontab,
  nightlyMinute,
  tokenFileCommand,
} from "../../../src/tower/site/ways.tsx";
import { DESTINATION } from "../../support/tower_data.ts";

const TO = { ...DESTINATION, asset: "kiln-and-clay", token: "tw_site_x" };

const assetId = fc.stringMatching(/^[A-Za-z0-9][A-Za-z0-9._-]{0,40}$/);

/** What cron hands to the shell: everything after the five fields, with its own escapes undone. */
function commandOf(crontab: string): string {
  const line = crontab.split("\n").at(-1) ?? "";
  return line.split(" ").slice(5).join(" ").replaceAll("\\%", "%");
}

/** The words a command is called with. */
function words(command: string): string[] {
  const ran = Bun.spawnSync(["sh", "-c", `printf '%s\\0' ${command.replace(/^curl /, "")}`], {
    env: { PATH: process.env["PATH"] ?? "", HOME: "/home/kiln" },
  });
  return ran.stdout.toString().split("\0").slice(0, -1);
}

describe("the minute of a site", () => {
  test("lies from 01:00 to 04:59 UTC and is the same each time", () => {
    fc.assert(
      fc.property(assetId, (asset) => {
        const { hour, minute } = nightlyMinute(asset);
        expect(hour >= 1 && hour < 5 && minute >= 0 && minute < 60).toBe(true);
        expect(nightlyMinute(asset)).toEqual({ hour, minute });
      }),
    );
    expect(minuteText({ hour: 3, minute: 7 })).toBe("03:07");
  });

  test("1,000 sites spread over the four hours, so that no minute is crowded", () => {
    const counts = new Map<string, number>();
    for (let site = 0; site < 1_000; site++) {
      const at = minuteText(nightlyMinute(`site-${site}`));
      counts.set(at, (counts.get(at) ?? 0) + 1);
    }
    expect(counts.size).toBeGreaterThan(220);
    expect(Math.max(...counts.values())).toBeLessThan(16);
  });
});

describe("the crontab", () => {
  test("sends a report that the contract takes, to the real ingest, with the token from its file", () => {
    const crontab = nightlyCrontab(TO);
    const { hour, minute } = nightlyMinute(TO.asset);
    expect(crontab).toStartWith(`CRON_TZ=UTC\n${minute} ${hour} * * * curl `);
    const sent = words(commandOf(crontab));
    expect(sent).toContain("http://127.0.0.1:4610/api/pulse");
    expect(sent).toContain("@/home/kiln/.config/tower/kiln-and-clay.header");
    const json = readJsonText(sent.at(-1) ?? "");
    const judged = readContract(PulseSchema, json.ok ? json.value : undefined);
    expect(judged).toMatchObject({ ok: true, value: { asset: "kiln-and-clay" }, ignored: [] });
    expect(judged).toMatchObject({ value: { metrics: { free_disk_mb: { last24h: expect.any(Number) } } } });
  });

  test("never holds the token, and the command that keeps it has a place for it while it is not known", () => {
    expect(nightlyCrontab(TO)).not.toContain("tw_site_x");
    expect(tokenFileCommand(TO).split("tw_site_x")).toHaveLength(2);
    expect(tokenFileCommand({ ...TO, token: null })).toStartWith("ASSET_TOKEN=your-site-token\n");
  });

  test("every percent sign is escaped, since cron ends a command at a bare one", () => {
    const line =
      nightlyCrontab({ ...TO, ingest: "https://ingest.example/a%20b" })
        .split("\n")
        .at(-1) ?? "";
    expect(line.replaceAll("\\%", "")).not.toContain("%");
    expect(words(commandOf(line))).toContain("https://ingest.example/a%20b/api/pulse");
  });
});
