/** Marks over the lanes of a chart: annotations on their own lane, flags as pennants in a lane's headroom. */
import type { UtcDay } from "../../lib/utc_day.ts";
import { countOf, formatCount, formatDay } from "../format.ts";
import { stack } from "./chart_scale.ts";
import { ANNOTATION_KINDS, type AnnotationKind } from "./mark.tsx";
import { Lane, LetterMark, Plot } from "./plot.tsx";
import { SEVERITIES, type Severity } from "./severity.tsx";

export interface ChartAnnotation {
  readonly date: UtcDay;
  readonly kind: AnnotationKind;
  readonly words: string;
}

export interface ChartFlag {
  readonly date: UtcDay;
  readonly severity: Severity;
  readonly message: string;
}

type Place = (day: UtcDay) => number;

/** On a phone a mark of 16 pixels is so wide, in percent. */
const MARK_GAP = 4.8;
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

function MarkOnLane({ mark, now }: { readonly mark: PlacedMark; readonly now: number }) {
  const [first, ...more] = mark.annotations;
  if (first === undefined) return null;
  const letter = more.length === 0 ? ANNOTATION_KINDS[first.kind][0] : "several";
  return (
    <LetterMark
      letter={letter}
      x={mark.x}
      y={3 + ROW_HEIGHT * mark.row}
      words={more.length === 0 ? letter : formatCount(mark.annotations.length)}
      title={mark.annotations
        .map(({ date, kind, words }) => `${formatDay(date, now)}: ${ANNOTATION_KINDS[kind][1]}. ${words}`)
        .join("\n")}
    />
  );
}

/** Letters on a lane of their own. */
export function AnnotationLane(props: {
  readonly annotations: readonly ChartAnnotation[];
  readonly place: Place;
  readonly now: number;
}) {
  const marks = standing(props.annotations, props.place);
  const height = ROW_HEIGHT * (1 + Math.max(0, ...marks.map((mark) => mark.row))) + 4;
  return (
    <Lane narrow aside={<h3>Annotations</h3>}>
      <Plot height={height} label={countOf(props.annotations.length, "annotation")}>
        {marks.map((mark) => (
          <MarkOnLane mark={mark} now={props.now} />
        ))}
      </Plot>
    </Lane>
  );
}

interface Group {
  readonly x: number;
  readonly severity: Severity;
  readonly messages: readonly string[];
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
      };
    } else {
      groups.push({ x, severity: flag.severity, messages: [flag.message] });
    }
  }
  return groups;
}

/** Pennants in the headroom of a lane. */
export function Pennants({ flags, place }: { readonly flags: readonly ChartFlag[]; readonly place: Place }) {
  return (
    <>
      {grouped(flags, place).map((group) => (
        <svg class="flag" data-sev={group.severity} x={`${group.x}%`} overflow="visible">
          <use href={`#f-${group.severity}`} x="-3" y="0" width="15" height="15" />
          {group.messages.length === 1 ? null : (
            <text x="14" y="11">
              {formatCount(group.messages.length)}
            </text>
          )}
          <title>{group.messages.join("\n")}</title>
        </svg>
      ))}
    </>
  );
}
