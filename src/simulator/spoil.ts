/** What a fault makes of a right answer: bodies that are cut, mistyped or bent. How they travel is `wire.ts`. */
import { badGatewayPage } from "./google_errors.ts";
import { html, type SimulatedAnswer } from "./http_message.ts";
import type { Asked, Fault } from "./script.ts";
import { gonePage } from "./webmaster_tools.ts";

/** The answer as the fault leaves it; the same one for faults that are not of its body. */
export function spoiled(answer: SimulatedAnswer, fault: Fault, asked: Asked): SimulatedAnswer {
  switch (fault.kind) {
    case "answer":
      return fault.answer;
    case "html":
      return pageOf(asked, fault.status ?? 200);
    case "wrong-type":
      return { ...answer, headers: { ...answer.headers, "content-type": fault.contentType ?? "text/plain" } };
    case "cut-json": {
      const text = String(answer.body);
      return { ...answer, body: text.slice(0, Math.max(1, Math.floor(text.length / 2))) };
    }
    case "text":
      return {
        status: fault.status ?? 200,
        headers: { "content-type": "text/plain" },
        body: fault.text ?? "",
      };
    case "redirect":
      return {
        status: fault.status ?? 302,
        headers: { location: fault.to ?? "http://127.0.0.1:9/elsewhere" },
        body: "",
      };
    case "bent":
      return bent(answer, fault.bend as (answer: unknown) => unknown);
    case "day-twice":
    case "day-absent":
    case "day-ahead":
      return bent(answer, (told) => withDays(told, fault.kind));
    default:
      return answer;
  }
}

/** A gateway's page, as that provider's gateway writes it. */
function pageOf({ server }: Asked, status: number): SimulatedAnswer {
  const page = server === "webmasterTools" ? gonePage(status) : badGatewayPage(status);
  return html(status, String(page.body));
}

function bent(answer: SimulatedAnswer, bend: (answer: unknown) => unknown): SimulatedAnswer {
  return { ...answer, body: JSON.stringify(bend(JSON.parse(String(answer.body)))) };
}

interface AnalyticsRow {
  readonly dimensionValues: readonly { readonly value: string }[];
}
interface SearchRow {
  readonly keys: readonly string[];
}
interface WebmasterDay {
  readonly Date: string;
}
interface Told {
  readonly rows?: readonly (AnalyticsRow & SearchRow)[];
  readonly d?: readonly WebmasterDay[];
}

/** The days of an answer with its last one told twice, its middle one left out, or one more that lies ten years ahead. */
function withDays(told: unknown, kind: "day-twice" | "day-absent" | "day-ahead"): unknown {
  const { rows, d } = told as Told;
  if (rows !== undefined) return { ...(told as Told), rows: changed(rows, kind, aheadRow) };
  if (d !== undefined)
    return { ...(told as Told), d: changed(d, kind, (day) => ({ ...day, Date: AHEAD_MOMENT })) };
  return told;
}

const AHEAD_MOMENT = `/Date(${Date.UTC(2_099, 0, 1)})/`;

function aheadRow<Row extends AnalyticsRow & SearchRow>(row: Row): Row {
  return row.keys === undefined
    ? {
        ...row,
        dimensionValues: row.dimensionValues.map(({ value }) => ({ value: `20990101${value.slice(8)}` })),
      }
    : { ...row, keys: ["2099-01-01"] };
}

function changed<Item>(items: readonly Item[], kind: string, ahead: (item: Item) => Item): readonly Item[] {
  const last = items.at(-1);
  if (last === undefined) return items;
  if (kind === "day-twice") return [...items, last];
  if (kind === "day-ahead") return [...items, ahead(last)];
  return items.toSpliced(Math.floor(items.length / 2), 1);
}
