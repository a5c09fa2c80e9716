/** Whatever a flag's inputs hold, no reader meets a machine's own word for it. */

import { expect, test } from "bun:test";
import fc from "fast-check";
import type { RuleInputs } from "../../../src/flags/flags.ts";
import { INPUT_WORDS } from "../../../src/sites/glossary.ts";
import { RULES } from "../../../src/sites/rule_catalogue.ts";
import { JudgedProof, judgedWords } from "../../../src/tower/flags/judged.tsx";
import { render } from "../../../src/tower/jsx/jsx-runtime.ts";
import { Facts, inputFacts } from "../../../src/tower/kit/proof.tsx";
import { instant } from "../../support/clock.ts";
import { parsed, textOf } from "../../support/html.ts";
import { inPage } from "../../support/tower_data.ts";

const NOW = instant("2026-11-20T14:00:00Z");
const MACHINE = /\[object|undefined|\bNaN\b|Infinity|[{}"]|\d{4}-\d\d-\d\d/;

const KEYS = [
  ...Object.keys(INPUT_WORDS),
  ...Object.values(RULES).flatMap((rule): readonly string[] => ("reads" in rule ? rule.reads.keys : [])),
  ..."alpha day direction expected from to count stands_out at_most at_least dispersion basis ratio days second state".split(
    " ",
  ),
  ..."level value events by_weekday sunday thresholds date revision milestone total silent_hours refused latest".split(
    " ",
  ),
  ..."last_received_at held_by above free_below since some_name".split(" "),
];
const leaf = fc.oneof(
  fc.double(),
  fc.integer(),
  fc.boolean(),
  fc.constant(null),
  fc.constantFrom("drop", "rise", "judged", "measured", "2026-11-18", "2026-11-18T03:00:00.000Z", "a word"),
);
const { value } = fc.letrec((tie) => ({
  value: fc.oneof({ depthSize: "small", maxDepth: 6 }, leaf, tie("list"), tie("object")),
  list: fc.array(tie("value"), { maxLength: 4 }),
  object: fc.dictionary(fc.constantFrom(...KEYS), tie("value"), { maxKeys: 8 }),
}));
const inputsOf = fc
  .dictionary(fc.constantFrom(...KEYS), value, { maxKeys: 14 })
  .map((inputs) => JSON.parse(JSON.stringify(inputs), processesNamed) as RuleInputs);

/** A process is named as it calls itself, whatever that looks like: here like one. */
function processesNamed(key: string, held: unknown): unknown {
  if (key !== "held_by" || !Array.isArray(held)) return held;
  return held.map((one: unknown) => (typeof one === "string" ? "python3 (process 12)" : one));
}

const shownText = (inputs: RuleInputs) =>
  textOf(parsed(inPage(() => render(<Facts facts={inputFacts(inputs, NOW)} marked />), { now: NOW })));

test("inputs of every rule, however nested, are shown in words (property)", () => {
  fc.assert(
    fc.property(fc.constantFrom(...Object.keys(RULES)), inputsOf, (rule, ruleInputs) => {
      expect(shownText(ruleInputs)).not.toMatch(MACHINE);
      expect(judgedWords({ rule, rule_inputs: ruleInputs }, NOW).join(" ")).not.toMatch(MACHINE);
      const proof = inPage(() => <JudgedProof sentences={[]} rule={rule} inputs={ruleInputs} />, {
        now: NOW,
      });
      expect(textOf(parsed(render(proof)))).not.toMatch(MACHINE);
    }),
    { numRuns: 400 },
  );
});
