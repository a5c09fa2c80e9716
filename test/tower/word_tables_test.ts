/** Tables of words that no page shows as a whole, recorded: what an act came to, what a job asks for, countries, marks and their meaning. */

import { test } from "bun:test";
import { JOBS } from "../../src/app/schedule.ts";
import { GLOSSARY, INPUT_WORDS } from "../../src/sites/glossary.ts";
import { DONE_WORDS, takeNotice, UNDONE_WORDS, withNotice } from "../../src/tower/keyboard.tsx";
import { STATE_WORDS as DAY_STATE_WORDS } from "../../src/tower/kit/chart.tsx";
import * as glyph from "../../src/tower/kit/glyph.tsx";
import { FAULT_WORDS, jobSentence, jobTitle, timesInWords } from "../../src/tower/kit/job_words.ts";
import { NOT_TESTED_WORDS } from "../../src/tower/kit/links.tsx";
import { KIND_WORDS } from "../../src/tower/settings/credentials.tsx";
import { FIGURE_NAMES, figureWords } from "../../src/tower/site/family_words.ts";
import { countryName } from "../../src/tower/site/key_cell.tsx";
import { recordEach } from "../support/mixtures.ts";

test("what an address says was done, and was not", () => {
  recordEach(Object.keys({ ...DONE_WORDS, ...UNDONE_WORDS, "no-code": "" }), (code) =>
    takeNotice(new Request(new URL(withNotice("/settings?a=b", code as never), "http://localhost"))),
  );
});

test("jobs, how often they come, and why a run ended", () => {
  const others = ["backup", "restore", "setup-link", "connection-test", "site-discovery", "unheard-of"];
  recordEach([...JOBS.map(({ name }) => name), ...others, "analysis", "sense", "webmaster-tools"], (job) => [
    jobTitle(job),
    jobSentence(job),
  ]);
  recordEach([...JOBS.map(({ at }) => at), "*/10 * * * * *", "5 4 * * *", "5 4 1 * *"], timesInWords);
  recordEach([FAULT_WORDS], (words) => words);
});

test("countries by the three letters of search console", () => {
  const letters = [..."abcdefghijklmnopqrstuvwxyz"];
  const codes = letters.flatMap((a) => letters.flatMap((b) => letters.map((c) => a + b + c)));
  recordEach(
    [...codes.filter((code) => countryName(code) !== undefined), "DEU", "de", ""],
    (code) => countryName(code) ?? null,
  );
});

test("marks, figures, inputs of rules, terms and why nothing was tested", () => {
  const { STATE_WORDS, OUTCOME_LOOKS, ARCHIVE_OUTCOME_WORDS, ARCHIVE_NOTE_WORDS } = glyph;
  const outcomes = Object.keys(OUTCOME_LOOKS) as (keyof typeof OUTCOME_LOOKS)[];
  recordEach(outcomes, (outcome) => [
    OUTCOME_LOOKS[outcome],
    glyph.outcomeWords(outcome),
    glyph.outcomeCounted(outcome),
  ]);
  const tables = [STATE_WORDS, DAY_STATE_WORDS, ARCHIVE_OUTCOME_WORDS, ARCHIVE_NOTE_WORDS, NOT_TESTED_WORDS];
  const entries = [...tables, KIND_WORDS, INPUT_WORDS].flatMap((table) => Object.entries(table));
  recordEach(entries, (entry) => entry);
  recordEach([...FIGURE_NAMES, "unheard_of"], figureWords);
  recordEach(Object.entries(GLOSSARY), ([, { says, name, sentence }]) => [String(says), name, sentence]);
});
