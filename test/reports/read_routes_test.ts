import { describe, expect, test } from "bun:test";
import { shared } from "../support/fresh.ts";
import { testIngest } from "../support/ingest.ts";
import { codebaseReport, fullCodebaseReport } from "../support/make/codebase_report.ts";

const ingest = shared(testIngest);

interface Row {
  readonly date: string;
  readonly revision: number;
  readonly receivedAt: string;
  readonly measures: Readonly<Record<string, number>>;
}

async function read(search = ""): Promise<{ items: Row[]; next: string | null }> {
  const response = await ingest.read(`/api/assets/harbor/codebase-reports${search}`);
  return (await response.json()) as { items: Row[]; next: string | null };
}

describe("reading codebase reports over the API (decisions 3)", () => {
  test("a report comes back as it was sent, plus date, revision and receivedAt", async () => {
    const sent = fullCodebaseReport({ generatedAt: "2026-01-01T03:30:00+02:00" });
    await ingest.post(`  ${JSON.stringify(sent, null, 2)}\n`);
    const { items } = await read("?to=2026-01-01");
    expect(items as unknown[]).toEqual([
      { ...sent, date: "2026-01-01", revision: 1, receivedAt: "2026-03-01T12:00:00.000Z" },
    ]);
  });

  test("fields that the contract does not know are not stored", async () => {
    await ingest.post({
      ...codebaseReport({ generatedAt: "2026-01-02T00:00:00Z" }),
      secret: 1,
      date: "1999-01-01",
      measures: { code_line: 5 },
    });
    const { items } = await read("?from=2026-01-02&to=2026-01-02");
    expect(items[0]).toMatchObject({ date: "2026-01-02", measures: {} });
    expect(items[0]).not.toHaveProperty("secret");
    expect(items[0]?.measures).toEqual({});
  });

  test("superseded revisions are shown only when asked for", async () => {
    for (const files of [1, 2, 3])
      await ingest.post(codebaseReport({ generatedAt: "2026-01-05T00:00:00Z", measures: { files } }));
    const day = "?from=2026-01-05&to=2026-01-05";
    expect((await read(day)).items.map(({ revision }) => revision)).toEqual([3]);
    expect((await read(`${day}&revisions=all`)).items.map(({ revision }) => revision)).toEqual([3, 2, 1]);
  });

  test("pages join to the whole list, newest first by date then revision", async () => {
    const whole = (await read("?revisions=all&limit=500")).items.map(
      ({ date, revision }) => `${date} ${revision}`,
    );
    const sorted = [...whole].sort().reverse();
    const joined: string[] = [];
    let cursor = "";
    for (let page = 0; page < 100; page++) {
      const { items, next } = await read(`?revisions=all&limit=7${cursor}`);
      joined.push(...items.map(({ date, revision }) => `${date} ${revision}`));
      if (next === null) break;
      cursor = `&cursor=${next}`;
    }
    expect(whole).toEqual(sorted);
    expect(joined).toEqual(whole);
  });
});
