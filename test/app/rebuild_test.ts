import { describe, expect, test } from "bun:test";
import { acceptNow, openFolder } from "../support/data_folder.ts";
import { packLater } from "../support/filled_folder.ts";
import { temporaryFolder } from "../support/folder.ts";
import { plantDay } from "../support/series.ts";
import { run } from "./run.ts";

describe("rebuild (decisions 2 and 4)", () => {
  test("--check names what differs and changes nothing; without it that is put right", async () => {
    using folder = temporaryFolder();
    const opened = await openFolder(folder.path);
    await acceptNow(opened, {
      asset: "harbor",
      generatedAt: "2026-03-01T03:00:00Z",
      metrics: { signups: { last24h: 3 } },
    });
    await opened.deps.follower.settle();
    expect(await run(opened, "rebuild --check")).toMatchObject({ exitCode: 0, stderr: "" });
    plantDay(opened.deps.store, { asset: "harbor", metric: "signups", date: "2026-03-01" }, { last24h: 4 });
    for (let time = 0; time < 2; time++) {
      const { exitCode, stdout } = await run(opened, "rebuild --check");
      expect(exitCode).toBe(1);
      expect(stdout).toContain(
        "DIFFERS  readings\n         harbor, pulse: signups in the days from 2026-01-27 is not what its reports lead to: days",
      );
    }
    const rebuilt = await run(opened, "rebuild");
    expect(rebuilt.exitCode).toBe(0);
    expect(rebuilt.stdout).toContain("REBUILT  readings");
    expect((await run(opened, "rebuild --check")).exitCode).toBe(0);
    expect((await run(opened, "rebuild --chekc")).exitCode).toBe(2);
    opened.close();
  });

  test("what a model is made of may be damaged: that is named, and every other model is looked at", async () => {
    using folder = temporaryFolder();
    const opened = await openFolder(folder.path);
    const { raw } = opened.deps.store;
    await acceptNow(opened, {
      asset: "harbor",
      generatedAt: "2026-03-01T03:00:00Z",
      metrics: { signups: { last24h: 3 } },
    });
    await opened.deps.follower.settle();
    await packLater(opened);
    raw.run("DROP TRIGGER pulse_pack_stays");
    raw.run("UPDATE pulse_pack SET data = zeroblob(length(data))");
    for (const words of ["rebuild --check", "rebuild"]) {
      const { exitCode, stdout } = await run(opened, words);
      expect(exitCode).toBe(1);
      expect(stdout).toContain(
        "FAULT    readings cannot be compared with their source\n         pulse_pack, row 1: it is not as it was written",
      );
      expect(stdout).toContain("ok       monitoring");
    }
    opened.close();
  });
});
