/** Whatever a site, a repository, an operator or a provider writes, it stays text on every page. */

import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { UtcDay } from "../../src/base/time.ts";
import { codebaseView } from "../../src/reports/codebase_view.ts";
import { ErrorFragment, ErrorPage } from "../../src/tower/error_page.tsx";
import { render } from "../../src/tower/jsx/jsx-runtime.ts";
import type { Safe } from "../../src/tower/jsx/safe.ts";
import { pagingOf } from "../../src/tower/kit/pager.tsx";
import { SignInPage } from "../../src/tower/settings/sign_in.tsx";
import { CodebasePage } from "../../src/tower/site/codebase_page.tsx";
import { OverviewPage } from "../../src/tower/site/overview_page.tsx";
import { AddSitePage } from "../../src/tower/sites/add_site_routes.tsx";
import { FirstReport, FirstReportPage } from "../../src/tower/sites/first_report_page.tsx";
import { EVERYTHING, portfolioView } from "../../src/tower/sites/portfolio.ts";
import { PortfolioPage } from "../../src/tower/sites/portfolio_page.tsx";
import { SetupForm } from "../../src/tower/sites/setup_page.tsx";
import { attribute, elements, parsed, shapeOf, textNodes } from "../support/html.ts";
import { overviewOf } from "../support/nightly_data.ts";
import {
  CALM,
  DESTINATION,
  FLAGS,
  FRESH,
  inPage,
  NOW,
  refusedReport,
  richInput,
  SITE,
  sentReport,
  siteRows,
} from "../support/tower_data.ts";

const EVIL: readonly string[] = [
  `<script>alert("1")</script>`,
  `"><img src=x onerror=alert(1)>`,
  `' onmouseover='alert(1)`,
  `</title><svg/onload=alert(1)>`,
  `</textarea><form hx-get="/x" hx-trigger="load">`,
  `<div hx-get="/steal" hx-trigger="load" hx-on:click="x()">`,
  `javascript:alert(1)`,
  `\u202Egnp.exe\u202C`,
  `{{constructor.constructor('x')()}} \${7*7} <%= 7 %> #{7}`,
  `<!--`,
  `]]><![CDATA[`,
  `&lt;b&gt;&amp;&#60;`,
  `${"a/".repeat(255)}b`,
  "\u{1F600}\u0301\u200D",
];

const DAY = "2026-11-18" as UtcDay;

/** The codebase tab with the text in every place a report can write to. */
function codebase(text: string): Safe {
  const body = sentReport({
    repository: { remote: text, ref: text, commit: "a".repeat(40) },
    paths: [text],
    tools: { image: text, [text]: text },
    unmeasured: { test_ratio: text, build_passed: text, files: text },
    byLanguage: [{ language: text, files: 1, code_lines: 1 }],
    findings: {
      duplicates: [{ lines: 1, files: [{ path: text, startLine: 1 }] }],
      complexFunctions: [{ path: text, name: text, line: 1, complexity: 20, length: 1 }],
      unused: [{ kind: text, path: text }],
      largestFiles: [{ path: text, code_lines: 1 }],
    },
  });
  const input = richInput();
  const reports = input.reports.slice(-4).map((report) => ({
    ...report,
    tools: report.date === DAY ? { [text]: text } : report.tools,
    measures: report.date === DAY ? { code_lines: 10 } : report.measures,
  }));
  const flags = FLAGS.map((flag) => ({
    ...flag,
    message: text,
    ruleInputs: { [text]: text, group: { [text]: 1 } },
  }));
  const before = input.comparison;
  const view = codebaseView({
    ...input,
    reports,
    flags,
    latestBody: body,
    comparison:
      before === null
        ? null
        : { ...before, body: sentReport({ findings: { duplicates: [], complexFunctions: [] } }) },
    visitors: { notMeasured: text },
  });
  return inPage(
    () => (
      <CodebasePage
        site={{ ...SITE, url: text }}
        view={view}
        annotations={{ marks: [{ date: DAY, kind: "deploy", words: text }], newest: null }}
        destination={DESTINATION}
      />
    ),
    { operator: text, notice: { tone: "failing", words: text } },
  );
}

/** Every page, with the text wherever somebody else than Tower writes. */
const PAGES: Readonly<Record<string, (text: string) => Safe>> = {
  codebase,
  portfolio: (text) => {
    const query = { ...EVERYTHING, q: text };
    const rows = siteRows(3).map((row) => ({ ...row, url: `https://h.example/${text}` }));
    const none = text.length === 0 ? query : { ...query };
    return inPage(
      () => (
        <PortfolioPage
          {...CALM}
          view={{ ...portfolioView(rows, EVERYTHING), paging: pagingOf(300, 2, 100) }}
          query={none}
        />
      ),
      { here: `/?q=${text}`, operator: text },
    );
  },
  asset: (text) =>
    inPage(
      () => (
        <OverviewPage
          site={{
            ...SITE,
            url: `https://h.example/${text}`,
            refused: [refusedReport(text)],
            entries: [
              {
                cause: text,
                severity: "warn",
                acts: "person",
                trouble: "numbers",
                title: text,
                also: [text],
                since: NOW,
                assets: [SITE.asset],
                flags: ["1"],
                series: null,
                targets: [],
                action: { verb: "Review flag", text, href: "/flags/1" },
                nextRetryAt: null,
                isPressing: true,
              },
            ],
          }}
          codebase={codebaseView(richInput())}
          {...overviewOf()}
          destination={{ ...DESTINATION, token: text, ingest: text }}
        />
      ),
      { operator: text },
    ),
  "add a site": (text) =>
    inPage(() => (
      <AddSitePage
        filled={{
          values: { id: text, url: text, group: text, lifecycle: text, families: text, storage: text },
          errors: { id: text, url: text, group: text, lifecycle: text, families: text, storage: text },
        }}
        groups={[{ name: text, sites: 1 }]}
        better={{ id: text, url: text, group: text, lifecycle: text, families: text, storage: text }}
      />
    )),
  "site added": (text) =>
    inPage(() => (
      <FirstReportPage
        site={{ lifecycle: "live" }}
        destination={DESTINATION}
        fresh={{ ...FRESH, name: text, token: text }}
        tokens={1}
        heard={{ state: "waiting", rejected: refusedReport(text) }}
      />
    )),
  "first report": (text) =>
    inPage(() => <FirstReport asset="x" heard={{ state: "waiting", rejected: refusedReport(text) }} />),
  "sign in": (text) =>
    inPage(() => <SignInPage name={text} refusal={text} keep={false} to={`/${text}`} />, { operator: null }),
  "set up": (text) =>
    inPage(
      () => (
        <SetupForm
          code={text}
          keep={false}
          filled={{ values: { name: text }, errors: { name: text, password: text } }}
        />
      ),
      { operator: null },
    ),
  error: (text) =>
    inPage(() => <ErrorPage status={500} title={text} detail={text} requestId={text} />, { operator: text }),
  "error part": (text) => <ErrorFragment status={500} title={text} detail={text} requestId={text} />,
};

/** A text as a parser gives it back from an attribute or an element. */
const ACTIVE = /^(?:on|style$|srcdoc$|hx-)/;

/** What an address holds as it is: a text of nothing else stands in a link as it was written, and could do nothing there. */
const AS_IT_IS = /^[\w*.-]*$/;

/** A character of an address, percent-encoded: "%2" becomes "%252", which holds the text again by chance. */
const ENCODED = /%[0-9A-F]{2}/g;

const PLAIN = new Map(
  Object.entries(PAGES).map(([name, make]) => [name, shapeOf(parsed(render(make("x"))))]),
);

function check(name: string, make: (text: string) => Safe, text: string): void {
  const html = parsed(render(make(text)));
  expect({ name, text, same: shapeOf(html) === PLAIN.get(name) }).toEqual({ name, text, same: true });
  const live = elements(html).flatMap((element) =>
    element.attrs.filter(
      ({ name: held, value }) =>
        (ACTIVE.test(held) &&
          !AS_IT_IS.test(text) &&
          text.length > 3 &&
          value.replaceAll(ENCODED, "").includes(text)) ||
        (/^(?:href|action|src)$/.test(held) && /^\s*(?:javascript|data|vbscript):/i.test(value)),
    ),
  );
  expect({ name, text, live }).toEqual({ name, text, live: [] });
  // A parser drops U+0000 and turns U+000D; every other text must be there, character for character.
  const written = [
    ...textNodes(html).map((node) => node.text),
    ...elements(html).flatMap((element) => element.attrs.map(({ value }) => value)),
  ];
  const verbatim = /[\0\r]/.test(text) || written.some((held) => held.includes(text));
  expect({ name, text, verbatim }).toEqual({ name, text, verbatim: true });
}

describe("foreign text stays text", () => {
  for (const [name, make] of Object.entries(PAGES)) {
    test(`on the page: ${name}`, () => {
      for (const text of [...EVIL, "a*%2", "a*--"]) check(name, make, text);
    });
  }

  test("on every page, for any text", () => {
    const names = fc.constantFrom(...Object.keys(PAGES));
    const piece = fc.oneof(
      fc.constantFrom(...EVIL),
      fc.string({ unit: "grapheme", minLength: 1 }),
      fc.constantFrom("<", '"', "'", "&"),
    );
    const text = fc.array(piece, { minLength: 1, maxLength: 4 }).map((parts) => `a${parts.join("")}`);
    fc.assert(
      fc.property(names, text, (name, value) => {
        const make = PAGES[name];
        if (make !== undefined) check(name, make, value);
      }),
      { numRuns: 40 },
    );
  });

  test("a site's own text lies where htmx does not look, and keeps its writing direction to itself", () => {
    const text = "\u202Efrom a report";
    for (const { text: held, above } of textNodes(parsed(render(codebase(text))))) {
      if (!held.includes(text)) continue;
      const titled = above[0]?.tagName === "title";
      expect(titled || above.some((element) => attribute(element, "hx-ignore") !== undefined)).toBe(true);
    }
  });
});
