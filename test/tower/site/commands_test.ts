import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { TOWER_COMMAND } from "../../../src/base/command_line.ts";
import { readConfig } from "../../../src/base/config.ts";
import { readDockerfile } from "../../../src/measure/action/parcel.ts";
import {
  destinationsOf,
  localCommand,
  nightlyCommand,
  shellWord,
  workflowText,
} from "../../../src/tower/site/ways.tsx";
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
      `INGEST_URL=http://127.0.0.1:4610 \\\nASSET=kiln-and-clay \\\nASSET_TOKEN=tw_site_x \\\n  ${TOWER_COMMAND} measure path/to/checkout --post`,
    );
    expect(localCommand({ ...TO, token: null })).toContain("ASSET_TOKEN=your-site-token");
  });

  test("in a container the image measures in its network; the token's name alone is among the words", () => {
    const command = localCommand({ ...TO, container: "tower" });
    const given = words(command.slice(command.indexOf("docker run")));
    expect(command).toStartWith(
      "ASSET_TOKEN=tw_site_x \\\n  docker run --rm --network container:tower --read-only",
    );
    expect(given.filter((word) => word.includes("tw_site_x"))).toEqual([]);
    expect(given.filter((_, at) => given[at - 1] === "-e")).toEqual([
      "INGEST_URL=http://127.0.0.1:4610",
      "ASSET=kiln-and-clay",
      "ASSET_TOKEN",
    ]);
    expect(given.slice(-3)).toEqual(["tower-measure", "/repo", "--post"]);
  });

  test("a published ingest is for the sites; the local command goes to this computer's own", () => {
    const to = destinationsOf(
      readConfig({ INGEST_PUBLIC_URL: "https://in.example", INGEST_HOST: "0.0.0.0" }),
      () => 4610,
    )("kiln");
    expect(to).toMatchObject({
      ingest: "https://in.example",
      here: "http://127.0.0.1:4610",
      loopback: false,
    });
    expect(localCommand(to)).toStartWith("INGEST_URL=http://127.0.0.1:4610 ");
  });

  test("the image's own setting says that Tower runs in a container, and is a name or refused", () => {
    const ports = () => 4610;
    expect(destinationsOf(readConfig({ TOWER_CONTAINER: "tower" }), ports)("kiln").container).toBe("tower");
    expect(destinationsOf(readConfig({}), ports)("kiln").container).toBeNull();
    expect(() => readConfig({ TOWER_CONTAINER: "x; touch y" })).toThrow("TOWER_CONTAINER");
    const image = readDockerfile(readFileSync(join(import.meta.dir, "../../../Dockerfile"), "utf8"));
    const own = image.find(({ name }) => name === "tower")?.instructions ?? [];
    expect(own.find(({ word }) => word === "ENV")?.text).toContain("TOWER_CONTAINER=tower");
  });

  test("the workflow never holds the token, only the name of its secret", () => {
    const job = workflowText(TO);
    expect(job).not.toContain("tw_site_x");
    expect(job).toContain("token: $" + "{{ secrets.ASSET_TOKEN }}");
    expect(job).toContain("ingest-url: $" + "{{ secrets.INGEST_URL }}");
    expect(job).toContain('asset: "kiln-and-clay"');
  });

  test("the nightly command sends one JSON body that names the site, with the time and the free disk space filled in by the shell", () => {
    const [header, ...sent] = ran(
      `curl() { cat | tr '\\n' '\\0'; printf '%s\\0' "$@"; }\n${nightlyCommand(TO)}`,
    );
    expect(header).toBe("Authorization: Bearer tw_site_x");
    expect(sent).toContain("http://127.0.0.1:4610/api/pulse");
    expect(sent.join(" ")).not.toContain("tw_site_x");
    const body = JSON.parse(sent.at(-1) ?? "") as {
      asset: string;
      generatedAt: string;
      metrics: { free_disk_mb: { last24h: number } };
    };
    const free = Number(ran("df -Pk / | awk 'NR==2{print $4}' | tr '\\n' '\\0'")[0]) / 1_024;
    expect(Math.abs(body.metrics.free_disk_mb.last24h - free)).toBeLessThan(1_024);
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
