/** Annotations as the letters under a chart. */
import {
  type AnnotationKind,
  EVERY_SITE,
  listBetween,
  type StoredAnnotation,
} from "../../annotations/mod.ts";
import type { Db } from "../../db/mod.ts";
import { shortText } from "../../lib/short_text.ts";
import { addDays, daysBetween, startOfDay, type UtcDay, utcDayOf } from "../../lib/utc_day.ts";
import type { ChartAnnotation, ChartAnnotations } from "../component/chart_marks.tsx";
import type { ChartDays } from "../component/chart_scale.ts";
import { countOf } from "../format.ts";

/** Annotations named by one mark; the rest is counted. */
const MOST_NAMED = 4;
/** Most annotations that the marks of one chart are made of. */
const MOST_MARKED = 400;
/** Longest words of one annotation in a mark, in UTF-16 units. */
const MOST_WORDS = 120;

interface Group {
  readonly date: UtcDay;
  readonly kind: AnnotationKind;
  readonly words: string[];
}

/** The annotations of a chart's days as marks; of very many the newest. */
export function annotationsOf(db: Db, asset: string, { from, to }: ChartDays): ChartAnnotations {
  const rows = listBetween(db, asset, startOfDay(from), startOfDay(addDays(to, 1)) - 1, MOST_MARKED + 1);
  return {
    marks: marksForChart(rows.slice(0, MOST_MARKED)),
    newest: rows.length > MOST_MARKED ? MOST_MARKED : null,
  };
}

/**
 * Marks for the lane of letters, oldest first. Annotations of one kind that lie fewer than `spanDays` apart (1: on one day)
 * share a mark, so that thirty deploys do not hide each other; the mark names the first of them and counts the rest.
 */
export function marksForChart(rows: readonly StoredAnnotation[], spanDays = 1): ChartAnnotation[] {
  const open = new Map<AnnotationKind, Group>();
  const groups: Group[] = [];
  for (const row of rows.toSorted((one, other) => one.atMs - other.atMs)) {
    const date = utcDayOf(row.atMs);
    const group = open.get(row.kind);
    if (group !== undefined && daysBetween(group.date, date) < spanDays) {
      group.words.push(wordsOf(row));
      continue;
    }
    const started: Group = { date, kind: row.kind, words: [wordsOf(row)] };
    open.set(row.kind, started);
    groups.push(started);
  }
  return groups.map(({ date, kind, words }) => ({
    date,
    kind,
    words: joined(words),
    ...(words.length > 1 && { count: words.length }),
  }));
}

/** What a calendar told is called by its title: its ref is for programs. */
export const isNamedByNote = (row: StoredAnnotation): row is StoredAnnotation & { readonly note: string } =>
  row.postedBy.startsWith("calendar:") && row.note !== null;

function wordsOf(row: StoredAnnotation): string {
  const text = isNamedByNote(row) ? row.note : row.note ? `${row.ref}: ${row.note}` : row.ref;
  const short = shortText(text, MOST_WORDS);
  return row.asset === EVERY_SITE ? `All sites: ${short}` : short;
}

function joined(words: readonly string[]): string {
  const [only] = words;
  if (words.length === 1 && only !== undefined) return only;
  const named = words.slice(0, MOST_NAMED).join("; ");
  const rest = words.length - MOST_NAMED;
  return `${countOf(words.length, "entry", "entries")}: ${named}${rest > 0 ? `; and ${rest} more` : ""}`;
}
