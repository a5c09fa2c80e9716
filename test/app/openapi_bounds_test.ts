/**
 * The bounds that the API's description gives, against the service: for every place of every body, values at its bounds, just beyond
 * them and of other kinds. What the description allows is accepted, and what it does not is refused with 422 at that place.
 */

import { beforeAll, describe, expect, test } from "bun:test";
import { issueServiceToken } from "../../src/access/api_tokens.ts";
import { ENDPOINTS, openApiDocument } from "../../src/app/openapi.ts";
import { type Endpoint, type Json, ref } from "../../src/base/api_description.ts";
import { formatInstant } from "../../src/base/time.ts";
import { changed, type Path, valueAt } from "../support/changed_json.ts";
import { HARBOR_TOKEN, testGround } from "../support/deps.ts";
import { dereferenced, refusedBy } from "../support/described.ts";
import { shared } from "../support/fresh.ts";
import { fullCodebaseReport } from "../support/make/codebase_report.ts";
import { fullPulse } from "../support/make/pulse.ts";
import { PORTS, testTower } from "../support/test_tower.ts";
import { words } from "../support/words.ts";

type Body = Readonly<Record<string, unknown>>;

const document = openApiDocument({ ingest: "http://localhost:4610", tower: "http://localhost:4611" });
let operator = "";
const service = shared(async () => testTower({ ground: await testGround() }));
beforeAll(async () => {
  operator = (
    await issueServiceToken(service.deps, "ci", ["annotations", "ledger", "read"], { actor: "test", now: 0 })
  ).token;
});

/** A body of each contract that has something in every place. */
const WHOLE: Readonly<Record<string, () => Body>> = {
  Pulse: () => ({ ...fullPulse({ generatedAt: past() }) }),
  CodebaseReport: () => ({
    ...fullCodebaseReport({ generatedAt: past(), unmeasured: { files: "Not asked." } }),
  }),
  Annotation: () => ({ asset: "harbor", at: past(), kind: "deploy", ref: "v1", note: "A note." }),
  Revenue: () => ({
    amount: 1,
    asset: "harbor",
    period: "2026-02",
    source: "adsense",
    status: "booked",
    currency: "EUR",
    ref: "a",
    legacy: false,
  }),
  Cost: () => ({
    kind: "inference",
    ref: "a",
    amount: 1,
    asset: "harbor",
    period: "2026-02",
    source: "model",
    change: "v42",
    currency: "EUR",
  }),
};

/** What the kind of a cost asks for, which its description says in words. */
const ASKED_BY_KIND = ["amount", "change"];

function past(): string {
  return formatInstant(service.deps.clock.now() - 60_000);
}

interface Refused {
  readonly errors?: readonly { readonly pointer: string }[];
}

async function send(listener: "ingest" | "tower", path: string, token: string, body?: Body) {
  const response = await service[listener](
    new Request(`http://localhost:${PORTS[listener]}${path}`, {
      method: body === undefined ? "GET" : "POST",
      headers: {
        host: `localhost:${PORTS[listener]}`,
        authorization: `Bearer ${token}`,
        "content-type": "application/json",
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    }),
  );
  const { errors = [] } = (await response.json()) as Refused;
  return { status: response.status, pointers: errors.map(({ pointer }) => pointer) };
}

/** A place of a body: where it is, and what the description says of it. */
interface Place {
  readonly path: Path;
  readonly schema: Json;
  readonly isRequired: boolean;
}

/** Every place of a value; of fields with one and the same description, the first stands for all. */
function placesOf(schema: Json, value: unknown, path: Path = [], isRequired = true): Place[] {
  const named = dereferenced(document, schema);
  const here = { path, schema: named, isRequired };
  if (Array.isArray(value)) {
    return [here, ...placesOf((named["items"] as Json | undefined) ?? {}, value[0], [...path, 0])];
  }
  if (typeof value !== "object" || value === null) return [here];
  const { properties = {}, additionalProperties, required = [] } = named;
  const seen = new Set<string>();
  const below = Object.entries(value).flatMap(([name, part]) => {
    const own = (properties as Record<string, Json>)[name] ?? (additionalProperties as Json);
    const isNeeded = (required as readonly string[]).includes(name);
    const words = JSON.stringify([own, isNeeded]);
    if (seen.has(words)) return [];
    seen.add(words);
    return placesOf(own, part, [...path, name], isNeeded);
  });
  return [here, ...below];
}

const NUMBERS = [-1, 0, 0.5, 1, 100, 100.5, Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER + 1];
const TEXTS = ["", "\n", ...words("a /a a/../b a\\b C:a ..a *"), "f".repeat(40), "2026-02-30T00:00:00Z"];
const OTHERS = [null, true, "1", [], {}, 7];
/** A character that JavaScript counts twice. */
const WIDE = "😀";

/** What is tried at a place: its bounds and just beyond, and what is of another kind. */
function triedAt(schema: Json, value: unknown): unknown[] {
  const { type, maxLength, maxItems, maxProperties, propertyNames, anyOf } = schema;
  if (anyOf !== undefined) return (anyOf as Json[]).flatMap((choice) => triedAt(choice, value));
  if (typeof maxLength === "number") {
    return [
      ...OTHERS,
      ...TEXTS,
      WIDE.repeat(maxLength),
      "a".repeat(maxLength + 1),
      `${WIDE.repeat(maxLength)}a`,
    ];
  }
  if (typeof maxItems === "number" && Array.isArray(value)) {
    const items = (count: number) => Array.from({ length: count }, () => value[0]);
    return [...OTHERS, items(maxItems), items(maxItems + 1)];
  }
  if (propertyNames !== undefined) {
    const { maxLength: longest = 0 } = propertyNames as { maxLength?: number };
    const [first] = Object.values(value as object);
    const named = [...TEXTS, WIDE.repeat(longest), `${WIDE.repeat(longest)}a`].map((name) => ({
      [name]: first,
    }));
    return [...named, ...triedAt({ ...schema, propertyNames: undefined }, value)];
  }
  if (typeof maxProperties === "number") {
    const fields = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, at) => [`m${at}`, {}]));
    return [...OTHERS, fields(maxProperties), fields(maxProperties + 1)];
  }
  if (type === "string") return [...OTHERS, ...TEXTS];
  return type === "number" || type === "integer" ? [...OTHERS, ...NUMBERS] : OTHERS;
}

/** The body with another value at a place; undefined takes the place away. */
function withAt(body: unknown, path: Path, value: unknown): unknown {
  if (path.length === 0) return value;
  return changed(body, path, value === undefined ? { kind: "lost" } : { kind: "other", value });
}

const TAKING = ENDPOINTS.filter(({ takes }) => takes !== undefined);

/** The bodies to try, each with the place that is tried. */
function* triesOf({ takes }: Endpoint): Generator<{ readonly pointer: string; readonly body: unknown }> {
  const { name } = takes ?? { name: "" };
  const whole = WHOLE[name]?.() ?? {};
  for (const { path, schema, isRequired } of placesOf(ref(name), whole)) {
    // Another site's name is another refusal.
    if (path[0] === "asset" && name !== "Annotation") continue;
    if (name === "Cost" && ASKED_BY_KIND.includes(String(path[0]))) continue;
    const pointer = path.map((key) => `/${key}`).join("");
    const tried = [...triedAt(schema, valueAt(whole, path)), ...(path.length > 0 ? [undefined] : [])];
    for (const value of tried) {
      if (value === undefined && typeof path.at(-1) === "number") continue;
      yield { pointer, body: withAt(whole, path, value) };
    }
    if (!isRequired) yield { pointer, body: withAt(whole, path, valueAt(whole, path)) };
  }
}

describe.each(TAKING.map((endpoint) => [endpoint.id, endpoint] as const))("%s", (_, endpoint) => {
  test("accepts what its description allows, and refuses the rest at its place", async () => {
    const [listener = "ingest"] = endpoint.listeners;
    const token = endpoint.open === "site" ? HARBOR_TOKEN : operator;
    const wrong: string[] = [];
    let [accepted, refused] = [0, 0];
    for (const { pointer, body } of triesOf(endpoint)) {
      const allowed = refusedBy(document, ref(endpoint.takes?.name ?? ""), body).length === 0;
      const { status, pointers } = await send(listener, endpoint.path, token, body as Body);
      const isInPlace = status === 422 && pointers.some((at) => at.startsWith(pointer));
      if (allowed ? status <= 201 : isInPlace) allowed ? accepted++ : refused++;
      else wrong.push(`${pointer} ${JSON.stringify(body).length} ${status} ${pointers} allowed: ${allowed}`);
    }
    expect(wrong).toStrictEqual([]);
    expect(accepted).toBeGreaterThan(20);
    expect(refused).toBeGreaterThan(20);
  });
});

const LISTS = ENDPOINTS.filter(({ filters }) => filters !== undefined);

describe.each(LISTS.map((endpoint) => [endpoint.id, endpoint] as const))("%s", (_, endpoint) => {
  test("takes every value that its parameters name, and refuses another by the parameter's name", async () => {
    const path = endpoint.path.replace(":asset", "harbor");
    const ask = (name: string, value: string) =>
      send("tower", `${path}?${name}=${encodeURIComponent(value)}`, operator);
    for (const good of ["1", "500"]) expect((await ask("limit", good)).status).toBe(200);
    for (const bad of ["0", "-1", "1.5", "many"]) {
      expect(await ask("limit", bad)).toEqual({ status: 400, pointers: ["/limit"] });
    }
    expect(await ask("cursor", "nonsense")).toEqual({ status: 400, pointers: ["/cursor"] });
    for (const [name, { schema }] of Object.entries(endpoint.filters ?? {})) {
      const { enum: values, format, pattern } = schema as Readonly<Record<string, string & string[]>>;
      for (const value of values ?? []) expect((await ask(name, value)).status).toBe(200);
      if (format === "date") expect((await ask(name, "2026-03-01")).status).toBe(200);
      if ((values ?? format ?? pattern) === undefined) continue;
      const bad = pattern === undefined ? "2026-02-30" : "no/name";
      expect(await ask(name, bad)).toEqual({ status: 400, pointers: [`/${name}`] });
    }
  });
});
