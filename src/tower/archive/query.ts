/** What the page of the archive is narrowed to, as its address says it: every view is a link. */
import { ARCHIVE_OUTCOMES } from "../../archive/mod.ts";
import {
  FAILURE_CATEGORIES,
  type FailureCategory,
  PROVIDERS,
  type Provider,
} from "../../provider/contract.ts";
import { REPORT_FAMILIES } from "../../provider/report/families.ts";
import { archiveWords } from "../component/archive_mark.tsx";
import { CATEGORY_WORDS } from "../component/category_words.ts";
import { PROVIDER_WORDS } from "../component/provider_words.ts";
import { familyTitle } from "../insights/family_words.ts";
import { address, DAY, named, oneOf, type Param, ROW } from "../kit/address.ts";
import { paths } from "../paths.ts";

/** Longest name of a site and of a run, in characters. */
const LONGEST = 128;

/** The name of an object, or null. */
const OBJECT: Param<string | null> = {
  usual: null,
  read: (text) => (/^[0-9a-f]{64}$/.test(text) ? text : undefined),
};

export const archiveAddress = address({
  asset: named<string | null>(LONGEST, null),
  /** The last day of the grid. */
  to: DAY,
  provider: oneOf<Provider, null>(PROVIDERS, null, (provider) => PROVIDER_WORDS[provider]),
  family: oneOf<string, null>(
    REPORT_FAMILIES.map(({ name }) => name),
    null,
    familyTitle,
  ),
  outcome: oneOf(ARCHIVE_OUTCOMES, null, archiveWords),
  category: oneOf<FailureCategory, null>(FAILURE_CATEGORIES, null, (category) => CATEGORY_WORDS[category]),
  /** The date of a report. */
  date: DAY,
  run: named<string | null>(LONGEST, null),
  object: OBJECT,
  before: ROW,
});
export type ArchiveQuery = typeof archiveAddress.usual;

/** What a filter of the attempts is called. */
export const ARCHIVE_FILTERS = {
  asset: "Site",
  provider: "Provider",
  family: "Report",
  outcome: "Outcome",
  category: "Why",
  date: "Date",
  run: "Run",
  object: "Object",
} as const;

export const archiveHref = archiveAddress.at(paths.archive);

/** Where the attempts stand on the page. */
const ATTEMPTS = "#attempts";

/** To the attempts that fit, where they stand on the page. */
export const attemptsHref = (query: Partial<ArchiveQuery>): string => `${archiveHref(query)}${ATTEMPTS}`;
