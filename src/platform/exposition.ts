/** Figures as text that Prometheus reads (text format 0.0.4). Pure. */

/** A value, and by what it is told apart from the others of its figure. */
export type Sample = readonly [value: number, labels?: Readonly<Record<string, string>>];

/** One figure. What is not known has no sample: it is absent, and not 0. */
export interface Figure {
  readonly name: string;
  readonly type: "gauge" | "counter";
  readonly help: string;
  readonly samples: readonly Sample[];
}

/** The text of some figures, each with what it means. */
export function expositionOf(figures: Iterable<Figure>): string {
  let text = "";
  for (const { name, type, help, samples } of figures) {
    text += `# HELP ${name} ${help.replaceAll("\\", "\\\\").replaceAll("\n", "\\n")}\n# TYPE ${name} ${type}\n`;
    for (const [value, labels] of samples) text += `${name}${labelsText(labels)} ${value}\n`;
  }
  return text;
}

function labelsText(labels: Sample[1]): string {
  if (labels === undefined) return "";
  let pairs = "";
  for (const name in labels) pairs += `${pairs === "" ? "" : ","}${name}="${escaped(labels[name] ?? "")}"`;
  return `{${pairs}}`;
}

function escaped(value: string): string {
  if (!/[\\"\n]/.test(value)) return value;
  return value.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n");
}
