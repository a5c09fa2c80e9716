import { describe, expect, test } from "bun:test";
import { listen } from "../../src/base/http_handler.ts";
import { PROBLEMS, Problem, type ProblemCode, problemResponse } from "../../src/base/problem.ts";
import { HARBOR_TOKEN, ORCHARD_TOKEN } from "../support/deps.ts";
import { shared } from "../support/fresh.ts";
import { testIngest } from "../support/ingest.ts";
import { codebaseReport, fullCodebaseReport } from "../support/make/codebase_report.ts";
import { recordEach } from "../support/mixtures.ts";
import { expectProblem, type ProblemBody } from "../support/problem.ts";
import { texts, words } from "../support/words.ts";

const ingest = shared(testIngest);

const VALID = JSON.stringify(codebaseReport());
const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

/** A valid report of exactly so many bytes: white space is part of the body. */
const sized = (bytes: number) => VALID.padEnd(bytes, " ");

/** A body that is sent in chunks, without a length. */
function chunked(text: string, size = 16_384): ReadableStream<Uint8Array> {
  const bytes = new TextEncoder().encode(text);
  let at = 0;
  return new ReadableStream({
    pull(controller) {
      if (at >= bytes.byteLength) controller.close();
      else controller.enqueue(bytes.slice(at, at + size));
      at += size;
    },
  });
}

const postStream = (text: string, headers: Record<string, string> = {}) =>
  fetch(ingest.url, {
    method: "POST",
    headers: { ...bearer(HARBOR_TOKEN), "content-type": "application/json", ...headers },
    body: chunked(text),
  });

describe("POST /api/codebase-report (decisions 3)", () => {
  test("a report is answered 201 with its place, and every answer carries a request id", async () => {
    const response = await ingest.post(fullCodebaseReport({ generatedAt: "2026-02-11T02:30:00Z" }));
    expect(response.status).toBe(201);
    expect(response.headers.get("x-request-id")).toMatch(/^[0-9a-f-]{36}$/);
    expect(await response.json()).toMatchSnapshot();
  });

  test("raised and resolved flags are named by id and rule, unmeasured keys and ignored fields are listed", async () => {
    const send = async (percent: number, extra: object = {}) =>
      (await (
        await ingest.post({
          ...codebaseReport({
            generatedAt: "2026-02-12T00:00:00Z",
            measures: { duplication_percent: percent },
          }),
          ...extra,
        })
      ).json()) as {
        alerts: { raised: { id: string; rule: string }[]; resolved: { id: string; rule: string }[] };
        unmeasured: string[];
        ignored: string[];
      };
    const first = await send(9, { gernated: 1, repository: { branch: "x" } });
    expect(first.alerts).toEqual({
      raised: [{ id: expect.any(String), rule: "codebase-duplication" }],
      resolved: [],
    });
    expect(first.unmeasured).toHaveLength(22);
    expect(first.ignored.sort()).toEqual(["/gernated", "/repository/branch"]);
    expect((await send(1)).alerts).toEqual({ raised: [], resolved: first.alerts.raised });
  });
});

/** Each header in its forms beside a report that is right; which check comes first is claimed by check_order_test. */
const VARIED: Readonly<Record<string, readonly string[]>> = {
  "sec-fetch-site": texts("cross-site|same-site|same-origin|none|"),
  origin: ["null", "http://127.0.0.1"],
  authorization: texts(
    `|Bearer|Bearer |Bearer${HARBOR_TOKEN}|Basic ${HARBOR_TOKEN}|${HARBOR_TOKEN}|Bearer unknown-token-0123|Bearer ${HARBOR_TOKEN}x`,
    `Bearer ${HARBOR_TOKEN.toUpperCase()}|Bearer ${HARBOR_TOKEN} x|Bearer ${HARBOR_TOKEN},${ORCHARD_TOKEN}|bearer ${HARBOR_TOKEN}`,
  ),
  "content-type": texts(
    "text/plain|application/xml|application/x-www-form-urlencoded|multipart/form-data; boundary=x|application/jsonx",
    "application/json; charset=latin1|application/json, text/plain|application/json|APPLICATION/JSON",
    'application/json; charset=utf-8|application/json;charset="UTF-8"',
  ),
  "content-encoding": texts("gzip|br|zstd|deflate|identity, gzip|x|identity"),
};

/** Bytes that are no report, each character one of them; what is no JSON as a text is json_test's. */
const NO_JSON = texts(
  '| |{"asset":|{"asset":"\xff"}|{"asset":"\xc0\xaf"}|{"asset":"\xed\xa0\x80"}|{"asset":"\xe2\x82|\xff\xfe{\x00|\xef\xbb\xbf{}|{}{}',
);

describe("what is checked, and nothing is stored unless all of it passes (decisions 3)", () => {
  /** What a request is answered, with what it was told to send instead; "stored" where a report was. */
  async function told(sent: Promise<Response>): Promise<string> {
    const before = ingest.stored();
    const response = await sent;
    const wanted = ["www-authenticate", "accept-post", "allow"].map(
      (name) => response.headers.get(name) ?? "",
    );
    const isStored = ingest.stored() > before;
    if (response.status === 201) return isStored ? "stored" : "not stored";
    const { type, errors = [] } = (await response.json()) as ProblemBody;
    const broken = errors.map(({ pointer, rule }) => `${pointer} ${rule}`);
    return [type, ...wanted, ...broken, isStored ? "STORED" : ""].filter((word) => word !== "").join(" ");
  }

  test("each header in its forms, other methods, and bytes that are no JSON: recorded", async () => {
    const answers = new Map<string, string>();
    for (const [header, values] of Object.entries(VARIED)) {
      for (const value of values)
        answers.set(`${header}: ${value}`, await told(ingest.post(VALID, { [header]: value })));
    }
    answers.set("no authorization", await told(fetch(ingest.url, { method: "POST", body: VALID })));
    for (const method of words("GET PUT DELETE PATCH OPTIONS"))
      answers.set(method, await told(fetch(ingest.url, { method })));
    for (const body of NO_JSON) answers.set(body, await told(ingest.post(Buffer.from(body, "latin1"))));
    recordEach([...answers.keys()], (asked) => answers.get(asked));
  });

  test("262,144 bytes pass and 262,145 do not, with a length and in chunks without one; characters are not counted", async () => {
    for (const send of [ingest.post, postStream]) {
      expect(await told(send(sized(262_144)))).toBe("stored");
      for (const bytes of [262_145, 2_000_000])
        expect(await told(send(sized(bytes)))).toBe("/problems/body-too-large");
    }
    const report = (letters: number) => JSON.stringify({ ...codebaseReport(), x: "ä".repeat(letters) });
    const room = Math.floor((262_144 - Buffer.byteLength(report(0))) / 2);
    expect(await told(ingest.post(report(room)))).toBe("stored");
    expect(await told(ingest.post(report(room + 1)))).toBe("/problems/body-too-large");
  });

  test("generatedAt may be 5 minutes ahead of the service's clock and not a millisecond more (decisions 3)", async () => {
    const at = (generatedAt: string) => told(ingest.post(codebaseReport({ generatedAt })));
    expect(await at("2026-03-01T12:05:00Z")).toBe("stored");
    for (const ahead of ["2026-03-01T12:05:00.001Z", "2026-03-01T14:05:00.001+02:00", "9999-12-31T23:59:59Z"])
      expect(await at(ahead)).toBe("/problems/broken-contract /generatedAt not-in-future");
  });
});

test("a renewed listener answers on the same address, and connections whose request never came whole are closed", async () => {
  const listening = listen(async () => new Response("here"), "127.0.0.1", 0);
  const { promise: closed, resolve } = Promise.withResolvers<void>();
  await Bun.connect({
    hostname: "127.0.0.1",
    port: listening.port,
    socket: {
      open: (socket) => void socket.write("GET / HT"),
      data: () => undefined,
      close: () => resolve(),
    },
  });
  // A request of its own comes back only when the half one has arrived, too.
  await fetch(listening.url);
  await listening.renew(1_000);
  await closed;
  expect(await (await fetch(listening.url)).text()).toBe("here");
  await listening.stop(0);
});

test("a request under way when the listener is renewed is answered within the grace", async () => {
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const { promise: came, resolve: arrived } = Promise.withResolvers<void>();
  const listening = listen(
    async () => {
      arrived();
      await released;
      return new Response("late");
    },
    "127.0.0.1",
    0,
  );
  const asked = fetch(listening.url);
  await came;
  const renewed = listening.renew(10_000);
  release();
  expect(await (await asked).text()).toBe("late");
  await renewed;
  await listening.stop(0);
});

test("a problem is an RFC 9457 document: type, title, status, detail, and the request id as instance; broken rules are listed, and how many more there are only where there are more (decisions 3)", async () => {
  const detail = "What happened.";
  for (const code of Object.keys(PROBLEMS) as ProblemCode[]) {
    const response = problemResponse(new Problem(code, detail), "the-id");
    response.headers.set("x-request-id", "the-id");
    const document = { type: `/problems/${code}`, ...PROBLEMS[code], detail, instance: "the-id" };
    expect(await expectProblem(response, code)).toEqual(document);
    expect(response.headers.get("cache-control")).toBe("no-store");
  }
  const errors = [{ pointer: "/a", rule: "type", message: "must be a string" }];
  for (const more of [0, 3]) {
    const body = await problemResponse(new Problem("broken-contract", "x", { errors, more }), "id").json();
    expect(body).toMatchObject({ errors });
    expect((body as ProblemBody).more).toBe(more === 0 ? undefined : more);
  }
});
