import { beforeEach, describe, expect, test } from "bun:test";
import { listNewest as listAudit } from "../../src/access/audit.ts";
import { listBetween, putRetraction } from "../../src/sites/annotations.ts";
import { ensureAssets } from "../../src/sites/site_changes.ts";
import { fresh } from "../support/fresh.ts";
import { annotation, annotationListener } from "./listener.ts";

const listener = fresh(annotationListener);

interface Row {
  readonly id: string;
  readonly struck?: unknown;
  readonly warnings?: readonly unknown[];
}
const posted = async (body: unknown) => (await listener.post(body)).json() as Promise<Row>;
const listed = async () => ((await (await listener.list()).json()) as { items: readonly Row[] }).items;
const by = { name: "ada", actor: "operator:ada", now: Date.UTC(2026, 2, 1, 9) };
const strike = (id: string, reason: string | null = null) =>
  listener.writer.write((tx) => putRetraction(tx, id, { struck: 1, reason }, by));
const unstrike = (id: string) =>
  listener.writer.write((tx) => putRetraction(tx, id, { struck: 0, reason: null }, by));

describe("an annotation of a site that nobody added", () => {
  beforeEach(async () => {
    await listener.writer.write((tx) => {
      ensureAssets(tx, ["harbor.example", "orchard"], { actor: "test", now: 1 });
    });
  });

  test("is kept, and its answer says so and names the sites near it, also when it is sent again", async () => {
    const warnings = [
      {
        code: "unknown-site",
        message: expect.stringContaining("Near it: harbor.example."),
        nearest: ["harbor.example"],
      },
    ];
    for (const status of [201, 200]) {
      const response = await listener.post(annotation({ asset: "habror.example" }));
      expect(response.status).toBe(status);
      expect(await response.json()).toMatchObject({ asset: "habror.example", warnings });
    }
    expect((await posted(annotation({ asset: "zzz" }))).warnings).toEqual([
      { code: "unknown-site", message: expect.not.stringContaining("Near"), nearest: [] },
    ]);
    for (const row of await listed()) expect(row.warnings).toBeUndefined();
  });

  test("one of a known site, or of every site, has nothing said of it", async () => {
    expect(await posted(annotation({ asset: "orchard" }))).not.toHaveProperty("warnings");
    expect(await posted(annotation({ asset: "*" }))).not.toHaveProperty("warnings");
  });
});

describe("a struck entry", () => {
  const STRUCK = { at: "2026-03-01T09:00:00.000Z", by: "ada", reason: "the wrong site" };

  test("stays, and says when, by whom and why; posting it again does not bring it back", async () => {
    const { id } = await posted(annotation({ asset: "*" }));
    expect(await strike(id, "the wrong site")).toBe("done");
    expect(await listed()).toMatchObject([{ id, struck: STRUCK }]);
    const again = await posted(annotation({ asset: "*" }));
    expect(again).toMatchObject({ id, struck: STRUCK, warnings: [{ code: "struck" }] });
    const said = "This entry was struck by ada on 1 Mar 09:00 UTC, and stays so.";
    expect(again).toMatchObject({ warnings: [{ message: said }] });
    expect(listener.stored()).toBe(1);
  });

  test("is on no chart; put back it is again, and every act is kept and in the audit", async () => {
    const at = Date.UTC(2026, 2, 1, 8, 30);
    const drawn = () => listBetween(listener.store.db, "harbor", at, at + 1, 10).length;
    const { id } = await posted(annotation());
    expect(drawn()).toBe(1);
    await strike(id);
    expect(drawn()).toBe(0);
    await unstrike(id);
    expect(drawn()).toBe(1);
    expect((await listed())[0]).not.toHaveProperty("struck");
    await strike(id, "after all");
    expect(drawn()).toBe(0);
    const acts = listAudit(listener.store.db, { limit: 9, target: "harbor" }).map(({ act, actor }) => [
      act,
      actor,
    ]);
    expect(acts.slice(0, 3)).toMatchSnapshot();
    const kept = listener.store.raw.query<{ struck: number }, []>(
      "SELECT struck FROM annotation_strike ORDER BY id",
    );
    expect(kept.all().map(({ struck }) => struck)).toEqual([1, 0, 1]);
  });

  test("is struck once: what is as asked writes nothing, and what is not there is missing", async () => {
    const { id } = await posted(annotation());
    expect([await unstrike(id), await strike(id), await strike(id, "again")]).toMatchSnapshot();
    expect([await strike("nope"), await unstrike("nope")]).toEqual(["missing", "missing"]);
    expect(await listed()).toMatchObject([{ struck: { reason: null } }]);
  });
});
