/** Marks over the lanes of a chart: annotations on their own lane, flags as pennants in a lane's headroom. */

import { countWords as countOf } from "../../base/text.ts";
import type { UtcDay } from "../../base/time.ts";
import { formatCount, formatDay, formatMoment, formatNarrow } from "../format.ts";
import { Glyph } from "./glyph.tsx";
import { SEVERITIES, type Severity } from "./links.tsx";
import { Lane, NARROW_PX, Pin, Plot, stack } from "./plot.tsx";

/** Kinds of annotation with the letter that stands for each on a time axis. */
export const ANNOTATION_KINDS = {
  deploy: ["D", "Deploy"],
  "model-change": ["M", "Model change"],
  config: ["C", "Config"],
  incident: ["I", "Incident"],
  "autonomy-change": ["A", "Autonomy change"],
  external: ["E", "External"],
} as const satisfies Record<string, readonly [string, string]>;

type AnnotationKind = keyof typeof ANNOTATION_KINDS;

/** The letter of an annotation kind; its word is the label. */
export function Mark({ kind }: { readonly kind: AnnotationKind }) {
  const [letter, word] = ANNOTATION_KINDS[kind];
  return (
    <span class="mark" data-kind={letter} role="img" aria-label={word} title={word}>
      {letter}
    </span>
  );
}

export interface ChartAnnotation {
  readonly date: UtcDay;
  readonly kind: AnnotationKind;
  readonly words: string;
  /** When it was, of the first entry. */
  readonly at?: number;
  /** How many entries it stands for; one when absent. */
  readonly count?: number;
}

/** The annotations of a chart's days. */
export interface ChartAnnotations {
  readonly marks: readonly ChartAnnotation[];
  /** Only the newest so many entries of these days are marked; null where all are. */
  readonly newest: number | null;
}

export interface ChartFlag {
  readonly date: UtcDay;
  readonly severity: Severity;
  readonly message: string;
  /** Its page. */
  readonly href?: string;
}

export type Place = (day: UtcDay) => number;

const KINDS = Object.keys(ANNOTATION_KINDS) as AnnotationKind[];

/** On a phone a mark of 16 pixels is so wide, in percent. */
const MARK_GAP = (16.5 / NARROW_PX) * 100;
const ROWS = 3;
const ROW_HEIGHT = 19;

/** A mark that stands for one annotation, or for several that find no room beside each other. */
interface PlacedMark {
  readonly x: number;
  readonly row: number;
  readonly annotations: readonly ChartAnnotation[];
}

function standing(annotations: readonly ChartAnnotation[], place: Place): readonly PlacedMark[] {
  const inOrder = [...annotations].sort((one, other) => (one.date < other.date ? -1 : 1));
  const places = inOrder.map((annotation) => place(annotation.date));
  const marks: PlacedMark[] = [];
  stack(places, MARK_GAP, ROWS).forEach((row, index) => {
    const annotation = inOrder[index];
    const x = places[index];
    if (annotation === undefined || x === undefined) return;
    const last = marks.at(-1);
    if (row === undefined && last !== undefined) {
      marks[marks.length - 1] = { ...last, annotations: [...last.annotations, annotation] };
    } else {
      marks.push({ x, row: row ?? 0, annotations: [annotation] });
    }
  });
  return marks;
}

/** More lines than these through the lanes of a chart would hide what is drawn there. */
const MOST_LINES = 30;

/** Where annotations are marked, in percent: where their lines go down through the lanes. None where there are too many. */
export function markedPlaces(annotations: readonly ChartAnnotation[], place: Place): readonly number[] {
  const places = new Set(standing(annotations, place).map(({ x }) => x));
  return places.size > MOST_LINES ? [] : [...places];
}

function entriesOf(annotations: readonly ChartAnnotation[]): number {
  return annotations.reduce((sum, { count = 1 }) => sum + count, 0);
}

/** A letter in its box: what was done at this place; a number for several. */
function MarkOnLane({ mark: { x, row, annotations } }: { readonly mark: PlacedMark }) {
  const [first, ...more] = annotations;
  if (first === undefined) return null;
  const letter = more.length === 0 ? ANNOTATION_KINDS[first.kind][0] : "several";
  const words = more.length === 0 ? letter : formatNarrow(entriesOf(annotations));
  const y = 3 + ROW_HEIGHT * row;
  // Wider for a number; and near an edge all of it stands inside, on the narrowest plot, too.
  const width = Math.max(16, 4 + words.length * 7);
  const aside = x < 3 ? width / 2 - 2 : x > 97 ? 2 - width / 2 : 0;
  return (
    <Pin class={`m ${letter}`} x={x}>
      <title>
        {annotations
          .map(({ date, at, kind, words }) => {
            const when = at === undefined ? formatDay(date) : `${formatMoment(at)} UTC`;
            return `${when}: ${ANNOTATION_KINDS[kind][1]}. ${words}`;
          })
          .join("\n")}
      </title>
      <rect x={aside - width / 2} y={y} width={width} height="16" rx="2" />
      <text x={aside} y={y + 12}>
        {words}
      </text>
    </Pin>
  );
}

/** Letters on a lane of their own. */
export function AnnotationLane(props: {
  readonly annotations: readonly ChartAnnotation[];
  readonly place: Place;
}) {
  const marks = standing(props.annotations, props.place);
  const height = ROW_HEIGHT * (1 + Math.max(0, ...marks.map((mark) => mark.row))) + 4;
  return (
    <Lane narrow aside={<small>Changes</small>}>
      <Plot height={height} label={countOf(entriesOf(props.annotations), "annotation")}>
        {marks.map((mark) => (
          <MarkOnLane mark={mark} />
        ))}
      </Plot>
    </Lane>
  );
}

interface Group {
  readonly x: number;
  readonly severity: Severity;
  readonly messages: readonly string[];
  /** The page of the first of the worst. */
  readonly href: string | undefined;
}

/** Flags too close to be told apart become one pennant of the worst severity with their count. */
function grouped(flags: readonly ChartFlag[], place: Place): readonly Group[] {
  const groups: Group[] = [];
  for (const flag of [...flags].sort((one, other) => (one.date < other.date ? -1 : 1))) {
    const x = place(flag.date);
    const last = groups.at(-1);
    if (last !== undefined && x - last.x < MARK_GAP) {
      const worst = SEVERITIES.find((severity) => severity === last.severity || severity === flag.severity);
      groups[groups.length - 1] = {
        x: last.x,
        severity: worst ?? flag.severity,
        messages: [...last.messages, flag.message],
        href: worst === last.severity ? last.href : flag.href,
      };
    } else {
      groups.push({ x, severity: flag.severity, messages: [flag.message], href: flag.href });
    }
  }
  return groups;
}

/** Height of the row of pennants over a lane. */
export const PENNANT_ROW = 15;
/** From here on, in percent, a pennant flies to the left of its day. */
const FLIES_LEFT = 93;

/** Pennants in the headroom of a lane, `y` pixels below its top. */
export function Pennants(props: {
  readonly flags: readonly ChartFlag[];
  readonly place: Place;
  readonly y: number;
}) {
  const { flags, place, y } = props;
  return (
    <>
      {grouped(flags, place).map(({ x, severity, messages, href }) => {
        const side = x > FLIES_LEFT ? -1 : 1;
        const pennant = (
          <>
            <use
              href={`#f-${severity}`}
              x="-3"
              y="0"
              width="15"
              height="15"
              transform={side === 1 ? undefined : "scale(-1 1)"}
            />
            {messages.length === 1 ? null : (
              <text class={side === 1 ? undefined : "end"} x={14 * side} y="11">
                {formatCount(messages.length)}
              </text>
            )}
            <title>{messages.join("\n")}</title>
          </>
        );
        return (
          <svg class="flag" data-sev={severity} x={`${x}%`} y={y} overflow="visible">
            {href === undefined ? (
              pennant
            ) : (
              // The list of flags leads there by keyboard.
              <a href={href} tabindex={-1}>
                {pennant}
                <rect class="hit" x={side === 1 ? -3 : -13} width="16" height="16" />
              </a>
            )}
          </svg>
        );
      })}
    </>
  );
}

/** What the pennants and letters that stand on a chart mean. */
export function MarkSigns(props: {
  /** Of each lane. */
  readonly flags: readonly (readonly ChartFlag[])[];
  readonly annotations: readonly ChartAnnotation[];
  readonly place: Place;
}) {
  const { annotations, place } = props;
  const flags = props.flags.flat();
  const numbered = [
    ...standing(annotations, place).map((mark) => mark.annotations),
    ...props.flags.flatMap((of) => grouped(of, place).map(({ messages }) => messages)),
  ].some(({ length }) => length > 1);
  const kinds = KINDS.filter((kind) => annotations.some((annotation) => annotation.kind === kind));
  return (
    <>
      {SEVERITIES.filter((severity) => flags.some((flag) => flag.severity === severity)).map((severity) => (
        <li>
          <span class="sev" data-sev={severity}>
            <Glyph name={`f-${severity}`} />
          </span>
          Flag, {severity}
        </li>
      ))}
      {kinds.map((kind) => (
        <li>
          <Mark kind={kind} />
          {ANNOTATION_KINDS[kind][1]}
        </li>
      ))}
      {numbered ? <li>4 = four items close together</li> : null}
    </>
  );
}

/** Says which annotations are marked, where not all are. */
export function MarkedNote(props: { readonly annotations: ChartAnnotations; readonly href: string }) {
  const { newest } = props.annotations;
  if (newest === null) return null;
  return (
    <p class="note">
      The newest {formatCount(newest)} annotations of these days are marked;{" "}
      <a href={props.href}>the timeline</a> lists all.
    </p>
  );
}
