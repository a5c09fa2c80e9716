import { describe, expect, test } from "bun:test";
import { postAnnotation } from "../../src/sites/annotations.ts";
import { fresh } from "../support/fresh.ts";
import { recordEach } from "../support/mixtures.ts";
import { expectBroken, expectProblem } from "../support/problem.ts";
import { annotation, annotationListener } from "./listener.ts";

const listener = fresh(annotationListener);

interface Row {
  readonly id: string;
  readonly at: string;
  readonly note: string | null;
  readonly receivedAt: string;
  readonly ignored?: readonly string[];
}

async function posted(body: unknown, status: 200 | 201): Promise<Row> {
  const response = await listener.post(body);
  const row = (await response.json()) as Row;
  expect({ status: response.status, row }).toMatchObject({ status });
  return row;
}

describe("POST /api/annotations stores (spec, Endpoints 3)", () => {
  test("201 answers the stored row as it was sent, with what the service adds", async () => {
    const sent = annotation({ at: "2026-03-01T10:30:00.5+02:00", note: "Image pipeline\nmoved" });
    expect((await posted(sent, 201)) as unknown).toMatchSnapshot();
  });

  test("an absent note is null, never an empty text, and what was answered can be sent again", async () => {
    const row = await posted(annotation(), 201);
    expect(row.note).toBeNull();
    const again = await posted(row, 200);
    expect(again).toEqual({ ...row, ignored: ["/id", "/receivedAt", "/postedBy"] });
    expect((await posted(annotation({ ref: "v2", note: "" }), 201)).note).toBe("");
  });

  test("at exactly now is allowed; one millisecond ahead is rejected with its pointer and rule", async () => {
    await posted(annotation({ at: "2026-03-01T09:00:00.000Z" }), 201);
    await posted(annotation({ at: "2026-03-01T11:00:00+02:00", ref: "v2" }), 201);
    expect(await expectBroken(await listener.post(annotation({ at: "2026-03-01T09:00:00.001Z" })))).toEqual([
      "/at not-in-future",
    ]);
    expect(await expectBroken(await listener.post(annotation({ at: "2026-03-01T10:00:00+00:59" })))).toEqual([
      "/at not-in-future",
    ]);
    expect(listener.stored()).toBe(2);
    listener.clock.advance(1);
    await posted(annotation({ at: "2026-03-01T09:00:00.001Z" }), 201);
  });

  test("a body may have 16 KiB and not a byte more", async () => {
    const padded = (bytes: number) => JSON.stringify(annotation()).padEnd(bytes);
    expect((await listener.post(padded(16_384))).status).toBe(201);
    await expectProblem(await listener.post(padded(16_385)), "body-too-large");
  });

  test("a field that the contract does not know is named in ignored, and the row is stored", async () => {
    const row = await posted(annotation({ link: "https://ci.example/1", "a/b": 1 }), 201);
    expect(row.ignored).toEqual(["/link", "/a~1b"]);
  });

  test("text comes back to the last character: evil, two-byte, four-byte, NUL", async () => {
    const note = "<script>alert(1)</script> \u202E Kéz 日本 👩‍🚀 \u0000 end";
    const ref = `${"é".repeat(255)}${"👍".repeat(257)}`;
    expect(await posted(annotation({ note, ref }), 201)).toMatchObject({ note, ref });
    expect(await posted(annotation({ note: "another", ref }), 200)).toMatchObject({ note, ref });
  });
});

describe("repeating (asset, at, kind, ref) is not an error (spec, Errors)", () => {
  test("200 with the existing row as it was first stored, note, spelling and time included", async () => {
    const first = await posted(annotation({ note: "first" }), 201);
    listener.clock.advance(60_000);
    expect(await posted(annotation({ note: "second" }), 200)).toEqual(first);
    expect(await posted(annotation(), 200)).toEqual(first);
    expect(listener.stored()).toBe(1);
  });

  test("+02:00 and Z forms of one moment are the same, and so are fractions that differ in zeros", async () => {
    const first = await posted(annotation(), 201);
    for (const at of [
      "2026-03-01T10:30:00+02:00",
      "2026-03-01T08:30:00.000Z",
      "2026-02-28T20:30:00.0-12:00",
    ]) {
      expect(await posted(annotation({ at }), 200)).toEqual(first);
    }
  });

  test("moments that differ in the ninth digit are two", async () => {
    await posted(annotation({ at: "2026-03-01T08:30:00.000000001Z" }), 201);
    await posted(annotation({ at: "2026-03-01T08:30:00.000000002Z" }), 201);
    await posted(annotation({ at: "2026-03-01T09:30:00.000000002+01:00" }), 200);
    expect(listener.stored()).toBe(2);
  });

  test("another asset, kind or ref is another annotation; * is no site's", async () => {
    await posted(annotation(), 201);
    await posted(annotation({ asset: "orchard" }), 201);
    await posted(annotation({ asset: "*" }), 201);
    await posted(annotation({ kind: "config" }), 201);
    await posted(annotation({ ref: "V1.0.0" }), 201);
    expect(listener.stored()).toBe(5);
  });

  test("identical posts in one group commit give one row and one 201", async () => {
    const value = { asset: "harbor", at: "2026-03-01T08:30:00Z", kind: "deploy", ref: "v1" } as const;
    const results = await Promise.all(
      Array.from({ length: 40 }, (_, index) =>
        postAnnotation(listener, { ...value, note: String(index) }, "ci"),
      ),
    );
    expect(results.filter(({ created }) => created)).toHaveLength(1);
    expect(new Set(results.map(({ stored }) => stored.id)).size).toBe(1);
    expect(new Set(results.map(({ stored }) => stored.note))).toEqual(new Set(["0"]));
    expect(listener.stored()).toBe(1);
  });
});

describe("the contract of an annotation (decisions 3, Names and lengths)", () => {
  test("broken rules are named, all at once; recorded", async () => {
    const changed = [
      ...[{ asset: "" }, { asset: "**" }, { asset: "a".repeat(129) }, { asset: null }],
      ...[{ at: "2026-03-01" }, { at: 1_772_000_000_000 }, { at: "2026-02-30T00:00:00Z" }],
      ...[{ at: "2026-02-20T00:00:00.0000000001Z" }, { kind: "Deploy" }, { kind: null }],
      ...[{ ref: "" }, { ref: "x".repeat(513) }, { ref: "a\u0000" }, { ref: "a\u0085" }, { ref: null }],
      ...[{ note: "n".repeat(2_001) }, { note: "👍".repeat(2_001) }, { note: ["x"] }],
      { asset: "-x", at: "2027-01-01T00:00:00Z", kind: "release", ref: "a\nb", note: 5 },
    ];
    const sent = [...changed.map((change) => annotation(change)), {}];
    const broken: unknown[] = [];
    for (const one of sent) broken.push(await expectBroken(await listener.post(one)));
    recordEach([...changed.entries(), [changed.length, {}] as const], ([place]) => broken[place]);
    expect(listener.stored()).toBe(0);
  });

  test("lengths count code points", async () => {
    await posted(annotation({ asset: "a".repeat(128), ref: "👍".repeat(512), note: "👍".repeat(2000) }), 201);
  });
});
