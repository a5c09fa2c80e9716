import * as v from "valibot";
import { hasControl, rule, text } from "./contract.ts";

/** Longest path in code points (spec, Limits). */
export const MAX_PATH_LENGTH = 512;

/** Whether a path is repository-relative: not empty, not absolute (POSIX or drive letter). */
export function isRelative(path: string): boolean {
  return path !== "" && !path.startsWith("/") && !/^[A-Za-z]:/.test(path);
}

/** Whether a path holds a `..` segment. */
export function climbs(path: string): boolean {
  return path.includes("..") && path.split("/").includes("..");
}

/** The same four rules as one pattern, for the API's description. */
const PATH_PATTERN = String.raw`^(?!\/|[A-Za-z]:)(?!(?:[^\/]*\/)*\.\.(?:\/|$))[^\\\u0000-\u001f\u007f-\u009f]+$`;

/** A repository-relative path: at most 512 characters, no `..` segment, no backslash, no control character. */
export const RepositoryPath = v.pipe(
  text(MAX_PATH_LENGTH),
  rule<string>("path-relative", isRelative, "must be relative to the repository and not empty"),
  rule<string>("path-segment", (path) => !climbs(path), "must not hold a .. segment"),
  rule<string>("path-backslash", (path) => !path.includes("\\"), "must not hold a backslash"),
  rule<string>("control-character", (path) => !hasControl(path), "must not hold a control character"),
  v.metadata({ pattern: PATH_PATTERN }),
);
