/** Tables of words that no page shows as a whole, recorded: what an act came to, what a job asks for, countries, marks and their meaning. */

import { test } from "bun:test";
import { JOBS } from "../../src/app/schedule.ts";
import { endedWords } from "../../src/notices/notice_text.ts";
import { CREDENTIAL_NAMES } from "../../src/providers/credentials.ts";
import { GLOSSARY, INPUT_WORDS } from "../../src/sites/glossary.ts";
import { ISSUE_TYPES } from "../../src/sites/rule_catalogue.ts";
import { conflictWords, resolutionWords } from "../../src/tower/flags/outcome.ts";
import { retryReason, untimedRetry } from "../../src/tower/integrations/target_words.tsx";
import { DONE_WORDS, takeNotice, UNDONE_WORDS, withNotice } from "../../src/tower/keyboard.tsx";
import { STATE_WORDS as DAY_STATE_WORDS } from "../../src/tower/kit/chart.tsx";
import * as glyph from "../../src/tower/kit/glyph.tsx";
import { NOT_TESTED_WORDS } from "../../src/tower/kit/links.tsx";
import {
  FAULT_WORDS,
  jobSentence,
  jobTitle,
  monitoringWords,
  timesInWords,
} from "../../src/tower/kit/words.tsx";
import { FAMILY_NAMES, FIGURE_NAMES, familyWords, figureWords } from "../../src/tower/site/family_words.ts";
import { countryName, isAssistantReferral } from "../../src/tower/site/key_cell.tsx";
import { whyWords } from "../../src/tower/site/latest_nightly.tsx";
import { recordEach } from "../support/mixtures.ts";
import { words } from "../support/words.ts";

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
    monitoringWords({ kind: "job", asset: "", source: "", subject: job, since: 0, reason: "" }).link.href,
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
  const entries = [...tables, CREDENTIAL_NAMES, INPUT_WORDS].flatMap((table) => Object.entries(table));
  recordEach(entries, (entry) => entry);
  recordEach([...FIGURE_NAMES, "unheard_of"], figureWords);
  recordEach(Object.entries(GLOSSARY), ([, { says, name, sentence }]) => [String(says), name, sentence]);
});

test("families of reports, visits that an assistant sent, and when something is tried again", () => {
  recordEach([...FAMILY_NAMES, "unheard-of"], familyWords);
  const sources = words(
    "chatgpt.com openai.com perplexity.ai perplexity gemini.google.com bard.google.com copilot.microsoft.com copilot.com claude.ai deepseek.com grok.com mistral.ai meta.ai poe.com you.com",
  );
  const visits = [
    ...sources.flatMap((host) => [
      ["source", host],
      ["source", `www.${host} `],
      ["source", `not${host}`],
    ]),
    ...["AI Assistant", "ai assistants", "Assistant"].map((one) => ["channel", one]),
    ...["ai-assistant", "referral"].map((one) => ["medium", one]),
  ];
  recordEach(visits, ([of, key = ""]) =>
    (["channel", "medium", "page"] as const).flatMap((beside) =>
      (["analytics", "search-console"] as const).map((provider) =>
        isAssistantReferral(
          { provider, dimensions: of === beside ? [beside] : ([of, beside] as never) },
          of === beside ? [key] : [key, ""],
        ),
      ),
    ),
  );
  recordEach(
    ["slow_probe", "rate_limit", "exhausted_budget", "provider_asked", "back_off", "schedule", null],
    (nextRetryReason) => retryReason({ nextRetryReason } as never),
  );
  recordEach(["ingest", "on_demand", "connection_test", "discovery", "production_read"], (kind) =>
    (["working", "disconnected"] as const).map((state) => untimedRetry({ state } as never, kind as never)),
  );
});

test("why a flag is resolved, why an act on it was refused, and what an issue is called", () => {
  const resolutions = words(
    "cleared renewed operator superseded not_repeated older_report milestone reporting_again pulled_again retired no_longer_reported attached_elsewhere paused not_live went_live clock_set_back threshold_changed next_reading of_another_release",
  );
  recordEach([...resolutions, null], resolutionWords);
  const at = "2026-11-20T12:00:00Z";
  const flag = {
    rule: "flow-drop",
    raised_at: at,
    resolved_at: at,
    acked_at: at,
    acked_by: "ada",
    resolution: "cleared",
  };
  recordEach(words("renewed resolved acknowledged raised retired changed"), (reason) =>
    conflictWords({ state: "conflict", reason, flag } as never, Date.parse(at) + 60_000),
  );
  recordEach(ISSUE_TYPES, (type) => type);
  recordEach([{ rule: "stale-ingest" }], (flag) => endedWords(flag as never, 0));
  for (const asset of ["", "harbor"]) {
    const failing = { asset, source: "analytics", subject: "", since: 0, reason: "" } as const;
    recordEach(["rule", "recorder"] as const, (kind) => monitoringWords({ ...failing, kind }));
  }
  recordEach([[], [{ pointer: "", message: "must be an object", rule: "type" }]], (faults) =>
    words("broken-contract too-many-requests").map((code) => whyWords({ code, faults } as never)),
  );
});
