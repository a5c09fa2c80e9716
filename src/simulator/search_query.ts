/** What search console is asked for: read and judged. */
import { dayNumber } from "../lib/day_number.ts";
import { parseUtcDay } from "../lib/utc_day.ts";
import { type Fields, objectsOf, type Shape, textOf } from "./google_front.ts";

/** Every key that a query may hold. */
export const SEARCH_SHAPE: Shape = {
  startDate: true,
  endDate: true,
  dimensions: true,
  type: true,
  searchType: true,
  dataState: true,
  aggregationType: true,
  rowLimit: true,
  startRow: true,
  dimensionFilterGroups: { groupType: true, filters: { dimension: true, operator: true, expression: true } },
};

export const SEARCH_DIMENSIONS = [
  "date",
  "hour",
  "query",
  "page",
  "country",
  "device",
  "searchAppearance",
] as const;
const TYPES: readonly string[] = ["web", "image", "video", "news", "googleNews", "discover"];
const STATES: readonly string[] = ["final", "all", "hourly_all"];

export interface SearchFilter {
  readonly dimension: string;
  readonly operator: string;
  readonly expression: string;
}

export interface SearchQuery {
  /** Day numbers of the Pacific calendar, both included. */
  readonly from: number;
  readonly to: number;
  readonly dimensions: readonly string[];
  readonly type: string;
  readonly dataState: string;
  readonly rowLimit: number;
  readonly startRow: number;
  readonly filters: readonly SearchFilter[];
  readonly isByPage: boolean;
}

const MOST_ROWS = 25_000;

/** The query, or the words of the refusal. */
export function readSearchQuery(body: Fields): SearchQuery | string {
  const dimensions = Array.isArray(body["dimensions"]) ? body["dimensions"].map(String) : [];
  for (const [place, name] of dimensions.entries()) {
    if (!SEARCH_DIMENSIONS.some((known) => known === name)) {
      return `Invalid value at 'dimension[${place}]' (type.googleapis.com/google.searchconsole.v1.Dimension), "${name}"`;
    }
  }
  if (new Set(dimensions).size < dimensions.length) return "Duplicate dimensions are not allowed.";
  if (dimensions.includes("searchAppearance") && dimensions.length > 1) {
    return "Cannot group by search appearance dimension together with another dimension.";
  }
  if (dimensions.includes("date") && dimensions.includes("hour")) {
    return "Request cannot be grouped by both date and hour";
  }
  const type = textOf(body["type"]) || textOf(body["searchType"]) || "web";
  if (!TYPES.includes(type)) return `Invalid value at 'type', "${type}"`;
  const dataState = textOf(body["dataState"]) || "final";
  if (!STATES.includes(dataState)) return `Invalid value at 'data_state', "${dataState}"`;
  if (dimensions.includes("hour") !== (dataState === "hourly_all")) {
    return "Grouping by hour and the data state HOURLY_ALL go together.";
  }
  if (["discover", "googleNews"].includes(type) && dimensions.includes("query")) {
    return `Cannot group by query for the search type ${type}.`;
  }
  const filters = objectsOf(body["dimensionFilterGroups"]).flatMap(({ filters: list }) =>
    objectsOf(list).map(
      (filter): SearchFilter => ({
        dimension: textOf(filter["dimension"]),
        operator: textOf(filter["operator"]) || "equals",
        expression: textOf(filter["expression"]),
      }),
    ),
  );
  const isByPage = dimensions.includes("page") || filters.some(({ dimension }) => dimension === "page");
  if (isByPage && body["aggregationType"] === "byProperty") {
    return "'BY_PROPERTY' is not a valid aggregation type in the context of the request.";
  }
  const [from, to] = [textOf(body["startDate"]), textOf(body["endDate"])].map((text) => parseUtcDay(text));
  if (from === undefined || to === undefined) return "startDate and endDate must be valid dates: YYYY-MM-DD.";
  if (from > to) return "startDate must not be later than endDate.";
  const rowLimit = Number(body["rowLimit"] ?? 1_000);
  if (!Number.isInteger(rowLimit) || rowLimit < 1 || rowLimit > MOST_ROWS) {
    return `rowLimit must be between 1 and ${MOST_ROWS}.`;
  }
  const startRow = Number(body["startRow"] ?? 0);
  if (!Number.isInteger(startRow) || startRow < 0) return "startRow must not be negative.";
  return {
    from: dayNumber(from),
    to: dayNumber(to),
    dimensions,
    type,
    dataState,
    rowLimit,
    startRow,
    filters,
    isByPage,
  };
}

/** Whether a value stays by a filter. */
export function keeps({ operator, expression }: SearchFilter, value: string): boolean {
  switch (operator) {
    case "notEquals":
      return value !== expression;
    case "contains":
      return value.includes(expression);
    case "notContains":
      return !value.includes(expression);
    case "includingRegex":
      return new RegExp(expression).test(value);
    case "excludingRegex":
      return !new RegExp(expression).test(value);
    default:
      return value === expression;
  }
}
