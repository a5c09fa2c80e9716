import { describe, test } from "bun:test";
import { acceptNow, openNewFolder } from "../support/data_folder.ts";
import { packLater } from "../support/filled_folder.ts";
import { plantDay } from "../support/series.ts";
import { run } from "./run.ts";

/** What the command says is recorded (`run.ts`). */
describe("rebuild (decisions 2 and 4)", () => {
  test("--check names what differs and changes nothing; without it that is put right", async () => {
    using opened = await openNewFolder();
    await acceptNow(opened, {
      asset: "harbor",
      generatedAt: "2026-03-01T03:00:00Z",
      metrics: { signups: { last24h: 3 } },
    });
    await opened.deps.follower.settle();
    await run(opened, "rebuild --check");
    plantDay(opened.deps.store, { asset: "harbor", metric: "signups", date: "2026-03-01" }, { last24h: 4 });
    for (const words of ["--check", "--check", "", "--check", "--chekc"])
      await run(opened, `rebuild ${words}`.trim());
  });

  test("what a model is made of may be damaged: that is named, and every other model is looked at", async () => {
    using opened = await openNewFolder();
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
    for (const words of ["rebuild --check", "rebuild"]) await run(opened, words);
  });
});
