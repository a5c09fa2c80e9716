/** What stands before every service of Google: paths and verbs, the access token and its scope, then the body's JSON. */

import { dayNumber, parseUtcDay } from "../../base/time.ts";
import type { Accounts } from "./accounts.ts";
import {
  badToken,
  type GoogleService,
  invalidArgument,
  noCredential,
  scopeInsufficient,
} from "./google_errors.ts";
import type { SimulatedAnswer, SimulatedRequest } from "./http_message.ts";

/** An operation of a service. `pattern` fits the path as it is sent; its first group is the property, escaped. */
export interface GoogleRoute {
  readonly operation: string;
  readonly verb: "GET" | "POST";
  readonly pattern: RegExp;
  /** Its full name, which errors tell. */
  readonly rpc: string;
}

/** The route of a request, with the property it names. */
export function routeOf(routes: readonly GoogleRoute[], request: SimulatedRequest) {
  for (const route of routes) {
    const match = route.verb === request.method ? route.pattern.exec(request.path) : null;
    if (match === null) continue;
    const property = unescaped(match[1] ?? "");
    return property === undefined ? undefined : { route, property };
  }
  return undefined;
}

function unescaped(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

/** The account that asks, or why it may not. `scopes` are those of which any one is enough. */
export function callerOf(
  request: SimulatedRequest,
  {
    accounts,
    service,
    scopes,
    now,
  }: {
    readonly accounts: Accounts;
    readonly service: GoogleService;
    readonly scopes: readonly string[];
    readonly now: number;
  },
  rpc: string,
): { readonly account: string } | { readonly refusal: SimulatedAnswer } {
  const header = request.headers.get("authorization");
  if (header === null) return { refusal: noCredential(service, rpc) };
  const token = accounts.tokenOf(/^Bearer (\S+)$/i.exec(header)?.[1] ?? "", now);
  if (token === undefined) return { refusal: badToken() };
  if (!token.scopes.some((scope) => scopes.includes(scope)))
    return { refusal: scopeInsufficient(service, rpc) };
  return { account: token.account };
}

/** What a JSON object may hold: a key with `true` holds anything that is not looked into. A list is looked into item by item. */
export interface Shape {
  readonly [key: string]: true | Shape;
}

export type Fields = Readonly<Record<string, unknown>>;

/** The body of a request as an object of known keys, or the refusal. */
export function bodyOf(
  request: SimulatedRequest,
  shape: Shape,
): { readonly body: Fields } | { readonly refusal: SimulatedAnswer } {
  let value: unknown;
  try {
    value = request.body === "" ? {} : JSON.parse(request.body);
  } catch {
    return { refusal: invalidArgument("Invalid JSON payload received. Unexpected token.") };
  }
  if (!isObject(value)) return { refusal: invalidArgument("Invalid JSON payload received.") };
  const unknown = unknownKeys(value, shape, "");
  if (unknown.length > 0) {
    const fieldViolations = unknown.map((description) => ({ description }));
    return {
      refusal: invalidArgument(unknown.join("\n"), [
        { "@type": "type.googleapis.com/google.rpc.BadRequest", fieldViolations },
      ]),
    };
  }
  return { body: value };
}

function unknownKeys(value: unknown, shape: Shape, at: string): string[] {
  if (Array.isArray(value))
    return value.flatMap((item, place) => unknownKeys(item, shape, `${at}[${place}]`));
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([key, inner]) => {
    const known = Object.hasOwn(shape, key) ? shape[key] : undefined;
    if (known === undefined) {
      const where = at === "" ? "" : ` at '${at}'`;
      return [`Invalid JSON payload received. Unknown name "${key}"${where}: Cannot find field.`];
    }
    const name = key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    return known === true ? [] : unknownKeys(inner, known, at === "" ? name : `${at}.${name}`);
  });
}

export const isObject = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** A field that holds a list of objects; none where it is absent. */
export const objectsOf = (value: unknown): readonly Fields[] =>
  Array.isArray(value) ? value.filter(isObject) : [];

/** A list of words as it is written in a text. */
export const words = (text: string): string[] => text.trim().split(/\s+/);

export const textOf = (value: unknown): string => (typeof value === "string" ? value : "");

/** A page of a list, and the token of the one after it. */
export function pageOf<T>(
  items: readonly T[],
  query: URLSearchParams,
  {
    otherwise,
    most,
    isEndless,
  }: { readonly otherwise: number; readonly most: number; readonly isEndless: boolean },
): { readonly page: readonly T[]; readonly next: { readonly nextPageToken?: string } } {
  const asked = Number(query.get("pageSize") ?? 0);
  const size = Math.min(most, asked > 0 ? asked : otherwise);
  const from = Number(/^after-(\d+)$/.exec(query.get("pageToken") ?? "")?.[1] ?? 0);
  const page = items.slice(from, from + size);
  const isMore = isEndless || from + size < items.length;
  return { page, next: isMore ? { nextPageToken: `after-${from + size}` } : {} };
}

/** What search console is asked for: read and judged. */

/** Every key of what Tower asks. */
export const SEARCH_SHAPE: Shape = {
  startDate: true,
  endDate: true,
  dimensions: true,
  type: true,
  dataState: true,
  rowLimit: true,
  startRow: true,
  dimensionFilterGroups: { groupType: true, filters: { dimension: true, operator: true, expression: true } },
};

const SEARCH_DIMENSIONS: readonly string[] = [
  "date",
  "query",
  "page",
  "country",
  "device",
  "searchAppearance",
];
const TYPES: readonly string[] = ["web", "image", "discover"];
const STATES: readonly string[] = ["final", "all"];

/** The one value that a dimension may have. */
interface SearchFilter {
  readonly dimension: string;
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
    if (!SEARCH_DIMENSIONS.includes(name)) {
      return `Invalid value at 'dimension[${place}]' (type.googleapis.com/google.searchconsole.v1.Dimension), "${name}"`;
    }
  }
  if (new Set(dimensions).size < dimensions.length) return "Duplicate dimensions are not allowed.";
  if (dimensions.includes("searchAppearance") && dimensions.length > 1) {
    return "Cannot group by search appearance dimension together with another dimension.";
  }
  const type = textOf(body["type"]) || "web";
  if (!TYPES.includes(type)) return `Invalid value at 'type', "${type}"`;
  const dataState = textOf(body["dataState"]) || "final";
  if (!STATES.includes(dataState)) return `Invalid value at 'data_state', "${dataState}"`;
  if (type === "discover" && dimensions.includes("query")) {
    return `Cannot group by query for the search type ${type}.`;
  }
  const filters = objectsOf(body["dimensionFilterGroups"]).flatMap(({ filters: list }) =>
    objectsOf(list).map(
      (filter): SearchFilter => ({
        dimension: textOf(filter["dimension"]),
        expression: textOf(filter["expression"]),
      }),
    ),
  );
  const isByPage = dimensions.includes("page") || filters.some(({ dimension }) => dimension === "page");
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
