/** Every page of the Tower with canned data, by name: rich, empty, with long names, with 1,000 rows. */

import type { UtcDay } from "../../src/base/time.ts";
import { type CodebaseViewInput, codebaseView } from "../../src/reports/codebase_view.ts";
import { ErrorPage } from "../../src/tower/error_page.tsx";
import type { FreshToken } from "../../src/tower/fresh_tokens.ts";
import type { Safe } from "../../src/tower/jsx/safe.ts";
import type { Shell } from "../../src/tower/keyboard.tsx";
import { ConfirmPage } from "../../src/tower/kit/confirmed_form.tsx";
import { SignInPage } from "../../src/tower/settings/sign_in.tsx";
import { CodebasePage } from "../../src/tower/site/codebase_page.tsx";
import { OverviewPage } from "../../src/tower/site/overview_page.tsx";
import { AddSitePage } from "../../src/tower/sites/add_site_routes.tsx";
import { FirstReportPage } from "../../src/tower/sites/first_report_page.tsx";
import { EVERYTHING, portfolioView } from "../../src/tower/sites/portfolio.ts";
import { PortfolioPage } from "../../src/tower/sites/portfolio_page.tsx";
import { SetupForm, SetupPage } from "../../src/tower/sites/setup_page.tsx";
import { EMPTY_SITE } from "../../src/tower/sites/typed_site.ts";
import { noNightly, overviewOf } from "./nightly_data.ts";
import { nightlyPages } from "./nightly_pages.tsx";
import {
  ANNOTATIONS,
  CALM,
  DESTINATION,
  inPage,
  NOW,
  refusedReport,
  reportsOf,
  richInput,
  SITE,
  sentReport,
  siteRows,
  TODAY,
  viewReport,
} from "./tower_data.ts";

const GROUPS = [{ name: "Northwind", sites: 3 }];

const LONG = `${"deeply/nested/".repeat(34)}segment.ts`;
const LONG_ID = `northumberland-borders-beekeepers-almanac-and-seed-exchange.${"x".repeat(68)}`;

function codebase(shell: Shell, input: CodebaseViewInput, asset = SITE.asset): Safe {
  return inPage(
    () => (
      <CodebasePage
        site={{ ...SITE, asset }}
        view={codebaseView(input)}
        annotations={{ marks: ANNOTATIONS, newest: null }}
        destination={{ ...DESTINATION, asset }}
      />
    ),
    shell,
  );
}

function newInput(): CodebaseViewInput {
  const report = viewReport("2026-11-19" as UtcDay, {
    code_lines: 4_120,
    comment_lines: 388,
    files: 52,
    languages: 3,
    duplication_percent: 0,
    duplicated_lines: 0,
    duplicate_blocks: 0,
    complex_functions: 0,
    functions: 402,
    max_function_complexity: 14,
    mean_function_complexity: 2.1,
    vulnerable_dependencies: 0,
  });
  const reason =
    "The project is written in Ruby; unused code is measured for JavaScript, TypeScript and Python.";
  return {
    reports: [report],
    latestBody: sentReport({ unmeasured: { unused_files: reason, unused_exports: reason } }),
    comparison: null,
    visitors: { notMeasured: "Analytics is not connected." },
    flags: [],
    range: "90",
  };
}

function hugeInput(): CodebaseViewInput {
  const most = Number.MAX_SAFE_INTEGER;
  const day = "2026-11-18" as UtcDay;
  const all = { code_lines: most, comment_lines: most, files: most, languages: most, unused_files: most };
  return {
    ...richInput(),
    reports: [
      viewReport("2026-10-19" as UtcDay, { code_lines: 1 }),
      viewReport(day, { ...all, unused_exports: most, test_ratio: 1e300, duplication_percent: 100 }),
    ],
    latestBody: sentReport({
      repository: { remote: `https://git.example/${"a".repeat(2_000)}`, ref: "b".repeat(512) },
      paths: [LONG, LONG],
      findings: {
        duplicates: [{ lines: most, files: [{ path: LONG, startLine: most }] }],
        complexFunctions: [{ path: LONG, name: "n".repeat(200), line: most, complexity: most, length: most }],
        unused: [{ kind: "k".repeat(200), path: LONG }],
        largestFiles: [{ path: LONG, code_lines: most }],
      },
      byLanguage: [{ language: "L".repeat(200), files: most, code_lines: most }],
    }),
    comparison: { report: viewReport("2026-10-19" as UtcDay, { code_lines: 1 }), body: undefined },
    visitors: { notMeasured: "Analytics is not connected." },
  };
}

/** A token that may still be shown. */
export const FRESH: FreshToken = {
  kind: "site",
  name: "kilnandclay",
  token: "smt_3fq9mwc2_VbX7uLhYtE0aZrK1d",
  until: NOW + 1_800_000,
  operatorAdded: false,
};

/** All pages for one shell. */
export function galleryPages(shell: Shell): ReadonlyMap<string, Safe> {
  const rows = siteRows(14);
  const door: Shell = { ...shell, operator: null };
  const view = codebaseView(richInput());
  const years = reportsOf(1_095, 1, "2026-11-18" as UtcDay);
  return new Map<string, Safe>([
    ["codebase", codebase(shell, richInput())],
    ["codebase-new", codebase(shell, newInput())],
    ["codebase-empty", codebase(shell, richInput({ reports: [] }))],
    ["codebase-years", codebase(shell, richInput({ reports: years, range: "all" }))],
    ["codebase-huge", codebase(shell, hugeInput(), LONG_ID)],
    [
      "portfolio",
      inPage(
        () => <PortfolioPage {...CALM} view={portfolioView(rows, EVERYTHING)} query={EVERYTHING} />,
        shell,
      ),
    ],
    [
      "portfolio-empty",
      inPage(
        () => <PortfolioPage {...CALM} view={portfolioView([], EVERYTHING)} query={EVERYTHING} />,
        shell,
      ),
    ],
    [
      "portfolio-1000",
      inPage(
        () => (
          <PortfolioPage {...CALM} view={portfolioView(siteRows(1_000), EVERYTHING)} query={EVERYTHING} />
        ),
        shell,
      ),
    ],
    [
      "portfolio-none",
      inPage(
        () => (
          <PortfolioPage
            {...CALM}
            view={portfolioView(rows, { ...EVERYTHING, q: "nothing" })}
            query={{ ...EVERYTHING, q: "nothing" }}
          />
        ),
        shell,
      ),
    ],
    [
      "asset",
      inPage(
        () => (
          <OverviewPage
            site={{ ...SITE, refused: [refusedReport()] }}
            codebase={view}
            {...overviewOf()}
            destination={DESTINATION}
          />
        ),
        shell,
      ),
    ],
    [
      "asset-new",
      inPage(
        () => (
          <OverviewPage
            site={{
              ...SITE,
              url: null,
              openFlags: { error: 0, warn: 0, info: 0 },
            }}
            codebase={undefined}
            {...overviewOf({ metrics: [], families: [] })}
            nightly={noNightly()}
            destination={DESTINATION}
          />
        ),
        shell,
      ),
    ],
    ...nightlyPages(shell),
    [
      "add-site",
      inPage(() => <AddSitePage filled={{ values: EMPTY_SITE, errors: {} }} groups={GROUPS} />, shell),
    ],
    [
      "add-site-error",
      inPage(
        () => (
          <AddSitePage
            groups={GROUPS}
            filled={{
              values: {
                id: "kiln & clay",
                url: "kiln",
                lifecycle: "live",
                families: "signups",
                storage: "d1",
              },
              errors: {
                id: "Start with a letter or digit.",
                url: "It must be an http or https address.",
              },
            }}
          />
        ),
        shell,
      ),
    ],
    [
      "site-added",
      inPage(
        () => (
          <FirstReportPage
            site={{ lifecycle: "live" }}
            destination={{ ...DESTINATION, asset: "kilnandclay" }}
            fresh={FRESH}
            tokens={1}
            heard={{
              state: "waiting",
              rejected: refusedReport(),
            }}
          />
        ),
        shell,
      ),
    ],
    [
      "site-heard",
      inPage(
        () => (
          <FirstReportPage
            site={{ lifecycle: "pre-launch" }}
            destination={{ ...DESTINATION, asset: "kilnandclay" }}
            fresh={undefined}
            tokens={1}
            heard={{
              state: "received",
              report: "codebase",
              receivedAt: NOW,
              date: TODAY,
              revision: 1,
              values: 17,
            }}
          />
        ),
        shell,
      ),
    ],
    ["sign-in", inPage(() => <SignInPage name="" refusal={null} keep={false} to="/" />, door)],
    [
      "sign-in-error",
      inPage(() => <SignInPage name="ada" refusal="Wrong name or password." keep={false} to="/" />, door),
    ],
    [
      "confirm",
      inPage(
        () => (
          <ConfirmPage
            action="/settings/tokens/operator"
            fields={[["name", "ci"]]}
            refusal="This is not your password."
          />
        ),
        shell,
      ),
    ],
    [
      "setup",
      inPage(() => <SetupForm code="abc" keep={false} filled={{ values: { name: "" }, errors: {} }} />, door),
    ],
    ["setup-closed", inPage(() => <SetupPage refusal="This link was used already." />, door)],
    [
      "error",
      inPage(
        () => (
          <ErrorPage
            status={404}
            title="No such page"
            detail="Nothing lies at this address."
            requestId="0199aa34-1c2d-7000-8000-3b2a1c0d9e8f"
          />
        ),
        shell,
      ),
    ],
  ]);
}
