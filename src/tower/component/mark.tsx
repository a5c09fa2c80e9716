/** Kinds of annotation with the letter that stands for each on a time axis. */
export const ANNOTATION_KINDS = {
  deploy: ["D", "Deploy"],
  "model-change": ["M", "Model change"],
  config: ["C", "Config"],
  incident: ["I", "Incident"],
  "autonomy-change": ["A", "Autonomy change"],
  external: ["E", "External"],
} as const satisfies Record<string, readonly [string, string]>;

export type AnnotationKind = keyof typeof ANNOTATION_KINDS;

/** The letter of an annotation kind; its word is the label. */
export function Mark({ kind }: { readonly kind: AnnotationKind }) {
  const [letter, word] = ANNOTATION_KINDS[kind];
  return (
    <span class="mark" data-kind={letter} role="img" aria-label={word} title={word}>
      {letter}
    </span>
  );
}
