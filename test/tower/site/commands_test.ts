/** Of the commands to copy what no run of them shows (`process_list_test.ts`): where they go, when, and what a shell and cron make of their words. */

import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { readConfig } from "../../../src/base/config.ts";
import { shellWord } from "../../../src/base/text.ts";
import { readDockerfile } from "../../../src/measure/action/parcel.ts";
import {
  destinationsOf,
  localCommand,
  minuteText,
  nightlyCrontab,
  nightlyMinute,
  tokenFileCommand,
  workflowText,
} from "../../../src/tower/site/ways.tsx";
import { DESTINATION } from "../../support/tower_data.ts";

const TO = { ...DESTINATION, asset: "kiln-and-clay", token: "tw_site_x" };

/** What a shell makes of the text: the words it passes on. */
function words(text: string): string[] {
  const ran = Bun.spawnSync(["sh", "-c", `printf '%s\\0' ${text}`], {
    env: { PATH: "/usr/bin:/bin", HOME: "/home/kiln" },
  });
  return ran.stdout.toString().split("\0").slice(0, -1);
}

test("a published ingest is for the sites; the local command goes to this computer's own", () => {
  const config = readConfig({ INGEST_PUBLIC_URL: "https://in.example", INGEST_HOST: "0.0.0.0" });
  const to = destinationsOf(config, () => 4610)("kiln");
  expect(to).toMatchObject({ ingest: "https://in.example", here: "http://127.0.0.1:4610", loopback: false });
  expect(localCommand(to)).toStartWith("INGEST_URL=http://127.0.0.1:4610 ");
});

test("the image's own setting says that Tower runs in a container, and is a name or refused", () => {
  const container = (settings: Record<string, string>) =>
    destinationsOf(readConfig(settings), () => 4610)("kiln").container;
  expect([container({ TOWER_CONTAINER: "tower" }), container({})]).toEqual(["tower", null]);
  expect(() => readConfig({ TOWER_CONTAINER: "x; touch y" })).toThrow("TOWER_CONTAINER");
  const image = readDockerfile(readFileSync(join(import.meta.dir, "../../../Dockerfile"), "utf8"));
  const own = image.find(({ name }) => name === "tower")?.instructions ?? [];
  expect(own.find(({ word }) => word === "ENV")?.text).toContain("TOWER_CONTAINER=tower");
});

test("neither the workflow nor the crontab holds the token; the file of it has a place for one that is not known", () => {
  for (const text of [workflowText(TO), nightlyCrontab(TO)]) expect(text).not.toContain("tw_site_x");
  expect(tokenFileCommand({ ...TO, token: null })).toStartWith("ASSET_TOKEN=your-site-token\n");
});

test("a quoted value reaches the command as one word, whatever it holds", () => {
  const text = fc
    .string({ unit: "grapheme", minLength: 1, maxLength: 20 })
    .filter((value) => !value.includes("\0"));
  const isOneWord = (value: string) => expect(words(shellWord(value))).toEqual([value]);
  fc.assert(
    fc.property(text, (value) => void isOneWord(value)),
    { numRuns: 15 },
  );
});

test("every percent sign of the crontab is escaped, since cron ends a command at a bare one", () => {
  const line =
    nightlyCrontab({ ...TO, ingest: "https://ingest.example/a%20b" })
      .split("\n")
      .at(-1) ?? "";
  expect(line.replaceAll("\\%", "")).not.toContain("%");
  const command = line.split(" ").slice(6).join(" ").replaceAll("\\%", "%");
  expect(words(command)).toContain("https://ingest.example/a%20b/api/pulse");
});

test("the minute of a site lies from 01:00 to 04:59 UTC, and 1,000 sites crowd none", () => {
  const counts = new Map<string, number>();
  for (let site = 0; site < 1_000; site++) {
    const at = nightlyMinute(`site-${site}`);
    expect([at.hour >= 1 && at.hour < 5, at.minute >= 0 && at.minute < 60]).toEqual([true, true]);
    counts.set(minuteText(at), (counts.get(minuteText(at)) ?? 0) + 1);
  }
  expect(counts.size).toBeGreaterThan(220);
  expect(Math.max(...counts.values())).toBeLessThan(16);
  expect(minuteText({ hour: 3, minute: 7 })).toBe("03:07");
});
