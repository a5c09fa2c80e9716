/** Asking search console for a report: pages of one question, or of one for each appearance that a first question names. */
import type { ProviderClient } from "../client.ts";
import { type Asked, askGoogle } from "../question.ts";
import { SEARCH_CONSOLE_SCOPE, type SearchAsked, searchQuestion } from "../search_console/request.ts";
import type { RawReport, ReportAsked } from "./contract.ts";
import { type PageFiles, type PagePlace, ReportPages } from "./pages.ts";
import { appearanceIn, MOST_SEARCH_ROWS } from "./search_console_rows.ts";

/** Rows of a page; the API gives no more. */
const PAGE_ROWS = 25_000;
const TIMEOUT_MS = 120_000;
/** More kinds of appearance there are not: each is a question of its own. */
const MOST_APPEARANCES = 200;

export async function askSearchConsoleReport(
  client: ProviderClient,
  asked: ReportAsked,
  files: PageFiles,
): Promise<Asked<RawReport>> {
  const pages = new ReportPages(client, asked, files, {
    list: "rows",
    ask: (question) => askGoogle(client, SEARCH_CONSOLE_SCOPE, question),
  });
  const { family, property, from, to, bounds } = asked;
  const search: SearchAsked = {
    property,
    from,
    to,
    dimensions: family.dimensions,
    type: TYPES[family.name] ?? "web",
    dataState: "final",
  };
  let taken = 0;

  /** Rows until there are no more, which is known by a page with fewer than were asked for. */
  async function askRows(of: SearchAsked, value: string | undefined): Promise<void> {
    for (let startRow = 0; startRow < MOST_SEARCH_ROWS && !pages.isOver; ) {
      // One more than is taken: a report of exactly that many rows is whole.
      const most = Math.min(MOST_SEARCH_ROWS - startRow, bounds.rows - taken + 1);
      const rowLimit = Math.min(PAGE_ROWS, most);
      const question = searchQuestion(client.addresses, of, { startRow, rowLimit });
      const seen = await pages.ask(
        { ...question, timeoutMs: TIMEOUT_MS },
        { step: "rows", value, offset: startRow },
      );
      const rows = seen?.items ?? 0;
      startRow += rows;
      taken += rows;
      if (taken > bounds.rows) pages.endAtRows();
      if (rows < rowLimit) return;
    }
  }

  if (family.name !== "search-appearance-pages") {
    await askRows(search, undefined);
    return pages.report();
  }
  const appearances = new Set<string>();
  const first = searchQuestion(
    client.addresses,
    { ...search, dimensions: ["searchAppearance"] },
    { startRow: 0, rowLimit: PAGE_ROWS },
  );
  const place: PagePlace = { step: "values", value: undefined, offset: 0 };
  const seen = await pages.ask({ ...first, timeoutMs: TIMEOUT_MS }, place, MOST_APPEARANCES + 1);
  for (const row of seen?.first ?? []) {
    const name = appearanceIn(row);
    if (name !== undefined) appearances.add(name);
  }
  for (const appearance of [...appearances].slice(0, MOST_APPEARANCES)) {
    if (pages.isOver) break;
    await askRows({ ...search, dimensions: ["page"], appearance }, appearance);
  }
  if (appearances.size > MOST_APPEARANCES) pages.endAtRows();
  return pages.report();
}

/** Which results a family is of, where they are not those of the web. */
const TYPES: Readonly<Record<string, SearchAsked["type"]>> = {
  "image-page-query": "image",
  "discover-page": "discover",
};
