/**
 * Annotations: points on the timeline, of one site or of every site. Append-only, also where one is struck as a mistake; one row for each (asset, instant, kind, ref).
 * An annotation of a site that is not in the portfolio is kept and joins the site when it is added, since the site's
 * identifier is all that binds them.
 */
export { authorizeAnnotationToken } from "./authorize.ts";
export { listBetween } from "./between.ts";
export {
  ANNOTATION_KINDS,
  type Annotation,
  type AnnotationKind,
  annotationSchema,
  EVERY_SITE,
  isTarget,
  MAX_NOTE,
  MAX_REF,
  strikeSchema,
} from "./contract.ts";
export { appendAnnotation, type PostDeps, postAnnotation } from "./post.ts";
export { annotationReads, LIST_ANNOTATIONS } from "./read_routes.ts";
export { annotationIngest, POST_ANNOTATION } from "./routes.ts";
export {
  findStepMark,
  listConsentSteps,
  listStepChanges,
  type StepMark,
} from "./step_store.ts";
export {
  type AnnotationFilter,
  type AnnotationTally,
  findAnnotation,
  findFirst,
  findLastStored,
  listAnnotations,
  momentFaults,
  type StoredAnnotation,
  tallyAnnotations,
} from "./store.ts";
export { putStrike, type StrikeResult, strikeAnnotation, unstrikeAnnotation } from "./strike.ts";
