/** Marks over the lanes of a chart: annotations on their own lane, flags as pennants in a lane's headroom. */
import type { UtcDay } from "../../lib/utc_day.ts";
import { formatCount, formatDay } from "../format.ts";
import { stack } from "./chart_scale.ts";
import { ANNOTATION_KINDS, type AnnotationKind } from "./mark.tsx";
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

/** Letters on a lane of their own. */
export function AnnotationLane(props: {
  readonly annotations: readonly ChartAnnotation[];
  readonly place: Place;
  readonly now: number;
}) {
  const places = props.annotations.map((annotation) => props.place(annotation.date));
  const rows = stack(places, MARK_GAP, ROWS);
  const height = ROW_HEIGHT * (1 + Math.max(0, ...rows)) + 4;
  return (
    <div class="track axis">
      <div>
        <h3>Annotations</h3>
      </div>
      <svg
        class="plot"
        height={height}
        role="img"
        aria-label={`${formatCount(props.annotations.length)} annotations`}
      >
        {props.annotations.map((annotation, index) => {
          const [letter, word] = ANNOTATION_KINDS[annotation.kind];
          const top = 3 + ROW_HEIGHT * (rows[index] ?? 0);
          return (
            <svg class={`m ${letter}`} x={`${places[index]}%`} overflow="visible">
              <title>{`${formatDay(annotation.date, props.now)}: ${word}. ${annotation.words}`}</title>
              <rect x="-8" y={top} width="16" height="16" rx="2" />
              <text y={top + 12}>{letter}</text>
            </svg>
          );
        })}
      </svg>
    </div>
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
