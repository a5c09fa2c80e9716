import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { readContract } from "../../src/base/contract.ts";
import { readJsonText } from "../../src/base/receive.ts";
import { revisionFaults } from "../../src/reports/codebase.ts";
import { CodebaseReportSchema } from "../../src/reports/measures.ts";
import { HARBOR_TOKEN } from "../support/deps.ts";
import { shared } from "../support/fresh.ts";
import { testIngest } from "../support/ingest.ts";
import { flagFaults } from "../support/read_models.ts";
import { anyJson, changedReport, damagedReport } from "../support/wrong_json.ts";

const ingest = shared(testIngest);

/** Bodies of each family; `BAD_INPUT=5` takes five times as many. */
const RUNS = 7_000 * Number(Bun.env["BAD_INPUT"] ?? 1);

function isAcceptable(body: string | Uint8Array): boolean {
  let text: string;
  try {
    text =
      typeof body === "string"
        ? body
        : new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(body);
  } catch {
    return false;
  }
  const json = readJsonText(text);
  return json.ok && readContract(CodebaseReportSchema, json.value).ok;
}

/** Posts a body; a refusal must be a problem document with a 4xx status and store nothing. */
async function judge(body: string | Uint8Array): Promise<void> {
  const before = ingest.stored();
  const request = new Request(`http://127.0.0.1:${ingest.port}/api/codebase-report`, {
    method: "POST",
    headers: {
      host: `127.0.0.1:${ingest.port}`,
      authorization: `Bearer ${HARBOR_TOKEN}`,
      "content-type": "application/json",
    },
    body: body as BodyInit,
  });
  const response = await ingest.edge(request);
  const text = await response.text();
  if (response.status === 201) {
    expect(isAcceptable(body)).toBe(true);
    expect(ingest.stored()).toBe(before + 1);
  } else {
    expect([400, 403, 413, 422]).toContain(response.status);
    expect(JSON.parse(text)).toMatchObject({
      status: response.status,
      type: expect.stringMatching(/^\/problems\//),
    });
    expect(ingest.stored()).toBe(before);
  }
}

describe("bad input of our own making (reliability 3.5): never 500 or above, never a row of a refused body", () => {
  const families: readonly (readonly [string, fc.Arbitrary<string | Uint8Array>])[] = [
    ["valid bodies with nodes deleted, swapped, repeated and retyped", changedReport],
    ["valid bodies with bytes cut, repeated, spliced and flipped", damagedReport],
    ["any JSON value", anyJson],
  ];
  for (const [name, bodies] of families) {
    test(`${name}: ${RUNS}`, async () => {
      await fc.assert(fc.asyncProperty(bodies, judge), { numRuns: RUNS });
      expect(ingest.lines).toEqual([]);
    }, 600_000);
  }

  test("what was accepted on the way is whole", () => {
    expect(revisionFaults(ingest.store.db)).toEqual([]);
    expect(flagFaults(ingest.store.db)).toEqual([]);
  });
});
