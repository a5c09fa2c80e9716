import { expect, test } from "bun:test";
import fc from "fast-check";
import { setOverride, unsetOverride } from "../../src/sites/constants_edit.ts";
import { parseConstants } from "../../src/sites/constants_parse.ts";
import { DEFAULT_DOCUMENT } from "../../src/sites/constants_schema.ts";
import { flowThresholds } from "../../src/sites/constants_store.ts";
import { readToml } from "../../src/sites/toml.ts";

type Table = { [key: string]: unknown };

function set(text: string, path: readonly string[], value: number | string) {
  const result = setOverride(text, path, value);
  if (!result.ok) throw new Error(`${JSON.stringify(result.problems)} in\n${text}`);
  return result.text;
}

function unset(text: string, path: readonly string[]) {
  const result = unsetOverride(text, path);
  if (!result.ok) throw new Error(`${JSON.stringify(result.problems)} in\n${text}`);
  return result.text;
}

function valuesOf(text: string): Table {
  const result = readToml(text);
  if (!result.ok) throw new Error(JSON.stringify(result.problems));
  return structuredClone(result.document.value);
}

function withKey(values: Table, path: readonly string[], value: unknown): Table {
  const [name = "", ...rest] = path;
  const below = (values[name] ?? {}) as Table;
  return { ...values, [name]: rest.length === 0 ? value : withKey(below, rest, value) };
}

function withoutKey(values: Table, path: readonly string[]): Table {
  const [name = "", ...rest] = path;
  if (!(name in values)) return values;
  const { [name]: below, ...others } = values;
  return rest.length === 0 ? others : { ...others, [name]: withoutKey(below as Table, rest) };
}

/** An override table without keys says nothing, so it counts as absent. */
function pruned(values: Table): Table {
  return Object.fromEntries(
    Object.entries(values).flatMap(([key, value]) => {
      if (typeof value !== "object" || value === null || Array.isArray(value)) return [[key, value]];
      const inside = pruned(value as Table);
      return Object.keys(inside).length === 0 ? [] : [[key, inside]];
    }),
  );
}

const commentsOf = (text: string) => [...text.matchAll(/# c\d+/g)].map((match) => match[0]);

test("tuning a metric appends its table to the default document and changes nothing else (decisions 6)", () => {
  const after = set(DEFAULT_DOCUMENT, ["assets", "trail", "flow_rules", "signups", "alpha"], 0.001);
  expect(after).toBe(`${DEFAULT_DOCUMENT}\n[assets."trail".flow_rules."signups"]\nalpha = 0.001\n`);
  const parsed = parseConstants(after);
  expect(parsed.ok && flowThresholds(parsed.constants, "trail", "pulse", "signups").alpha).toBe(0.001);
});

test("the table of another metric lies after the last of its site", () => {
  const table = (site: string, metric: string) => `[assets."${site}".flow_rules."${metric}"]\nalpha = 0.1\n`;
  const after = set(
    [table("a", "m"), table("a", "n"), table("b", "m")].join("\n"),
    ["assets", "a", "flow_rules", "o", "alpha"],
    0.1,
  );
  expect(after).toBe([table("a", "m"), table("a", "n"), table("a", "o"), table("b", "m")].join("\n"));
});

test("an empty text, a last line without its end and CRLF are all edited", () => {
  expect(set("", ["freshness", "silent_hours"], 2)).toBe("[freshness]\nsilent_hours = 2\n");
  expect(set("[freshness]", ["freshness", "silent_hours"], 2)).toBe("[freshness]\nsilent_hours = 2\n");
  expect(set("[freshness]\r\n# c1\r\n", ["freshness", "silent_hours"], 2)).toBe(
    "[freshness]\r\nsilent_hours = 2\r\n# c1\r\n",
  );
});

test("names that are data are quoted and escaped", () => {
  const metric = 'a.b "c" \\ \u007f é';
  const after = set("", ["assets", "t.1", "flow_rules", metric, "alpha"], 0.1);
  const parsed = parseConstants(after);
  expect(parsed.ok && parsed.constants.assets["t.1"]?.flow_rules?.metrics[metric]).toEqual({ alpha: 0.1 });
});

test("an edit that would not take effect is refused and says why", () => {
  expect(setOverride("", ["freshness", "silent_hours"], 0)).toMatchObject({
    ok: false,
    problems: [{ rule: "range" }],
  });
  expect(setOverride("", ["freshness", "silent_hour"], 1)).toMatchObject({
    ok: false,
    problems: [{ rule: "unknown-key" }],
  });
  expect(setOverride("", ["freshness", "silent_hours"], Number.NaN)).toMatchObject({ ok: false });
  expect(setOverride("= broken", ["freshness", "silent_hours"], 1)).toMatchObject({
    ok: false,
    problems: [{ rule: "syntax", line: 1 }],
  });
  expect(setOverride("", [], 1).ok).toBe(false);
});

test("unsetting takes the key's line, and its header when nothing stands under it", () => {
  const tuned = '[assets."a".flow_rules."m"]\nalpha = 0.1\n';
  expect(unset(tuned, ["assets", "a", "flow_rules", "m", "alpha"])).toBe(
    "# Every threshold has its default.\n",
  );
  const kept = '[assets."a".flow_rules."m"]\n# c1\nalpha = 0.1\n';
  expect(unset(kept, ["assets", "a", "flow_rules", "m", "alpha"])).toBe(
    '[assets."a".flow_rules."m"]\n# c1\n',
  );
  expect(
    unset("assets.a.flow_rules = { alpha = 0.1, dispersion = 1 }", ["assets", "a", "flow_rules", "alpha"]),
  ).toBe("assets.a.flow_rules = { dispersion = 1 }");
});

const SITES = ["a", "b.c"];
const METRICS = ["m", "x y"];
const LEAVES: readonly (readonly [readonly string[], number | string])[] = [
  [["alpha"], 0.02],
  [["max_window_days"], 7],
  [["dispersion"], "measured"],
  [["percent_drop", "percent"], 55],
];

const target = fc.oneof(
  fc
    .record({
      site: fc.constantFrom(...SITES),
      metric: fc.constantFrom(undefined, ...METRICS),
      leaf: fc.constantFrom(...LEAVES),
    })
    .map(({ site, metric, leaf }) => ({
      path: ["assets", site, "flow_rules", ...(metric === undefined ? [] : [metric]), ...leaf[0]],
      value: leaf[1],
    })),
  fc
    .constantFrom(...SITES)
    .map((site) => ({ path: ["assets", site, "freshness", "silent_hours"], value: 40 })),
  fc.constant({ path: ["freshness", "silent_hours"], value: 30 }),
);

const key = (path: readonly string[]) =>
  path.map((name) => (/^\w+$/.test(name) ? name : JSON.stringify(name))).join(".");

/** A statement for each target, written under a header, dotted, inline or half and half; those that clash are left out. */
const layout = fc
  .array(fc.tuple(target, fc.constantFrom("header", "dotted", "inline", "half"), fc.boolean()), {
    maxLength: 6,
  })
  .map((parts) => {
    let text = "";
    for (const [i, [{ path, value }, form, blank]] of parts.entries()) {
      const end = ` # c${i}\n${blank ? "\n" : ""}`;
      const own = key(path.slice(-1));
      const written = JSON.stringify(value);
      const level = form === "half" ? Math.max(1, path.length - 2) : path.length - 1;
      const next =
        form === "header" || form === "half"
          ? `${text}[${key(path.slice(0, level))}]\n${key(path.slice(level))} = ${written}${end}`
          : form === "dotted"
            ? `${key(path)} = ${written}${end}${text}`
            : `${key(path.slice(0, -1))} = { ${own} = ${written} }${end}${text}`;
      if (parseConstants(next).ok) text = next;
    }
    return text;
  });

test("setting a key gives the values of before with that key, and keeps every comment (property)", () => {
  fc.assert(
    fc.property(layout, target, (text, { path, value }) => {
      const after = set(text, path, value);
      expect(valuesOf(after)).toEqual(withKey(valuesOf(text), path, value));
      expect(commentsOf(after)).toEqual(commentsOf(text));
    }),
    { numRuns: 150 },
  );
});

test("unsetting a key gives the values of before without it (property)", () => {
  fc.assert(
    fc.property(layout, target, (text, { path }) => {
      const after = unset(text, path);
      expect(pruned(valuesOf(after))).toEqual(pruned(withoutKey(valuesOf(text), path)));
    }),
    { numRuns: 150 },
  );
});

test("unsetting what was just set gives the text of before (property)", () => {
  fc.assert(
    fc.property(layout, target, (text, { path, value }) => {
      fc.pre(unset(text, path) === text);
      expect(unset(set(text, path, value), path)).toBe(text);
    }),
    { numRuns: 150 },
  );
});
