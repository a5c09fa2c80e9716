/**
 * Files that somebody else or a program wrote: vendored, generated, minified. The vendored patterns are a subset of
 * the ones GitHub's Linguist uses; its broad ones (cache/, env/, testdata/, .vscode/) are left out on purpose.
 */
import type { PathAttributes } from "./attributes.ts";

/** Directory segments that hold other people's code, wherever they stand. */
export const VENDOR_SEGMENTS: readonly string[] = [
  "node_modules",
  "bower_components",
  "jspm_packages",
  "vendor",
  "vendors",
  "third_party",
  "third-party",
  "thirdparty",
  "3rdparty",
  "extern",
  "external",
  "externals",
  "Pods",
  "Carthage",
  "Godeps",
  "dist",
];

/** Path shapes of vendored files. */
export const VENDOR_PATTERNS: readonly RegExp[] = [
  /(^|\/)\.yarn\/(releases|plugins|sdks|versions|unplugged|cache|patches)\//,
  /(^|\/)\.pnp\.(c|m)?js$/,
  /[.-]min\.(js|css)$/,
  /(^|\/)jquery([^/.]*)(-\d[\d.]*)?(\.[^/]*)?\.js$/,
  /(^|\/)bootstrap([^/]*)\.(js|css|scss|less)$/,
  /\.d\.[cm]?ts$/,
  /(^|\/)gradlew(\.bat)?$/,
  /(^|\/)mvnw(\.cmd)?$/,
];

/** Names that code generators give. */
export const GENERATED_NAMES: readonly RegExp[] = [
  /_pb2(_grpc)?\.pyi?$/,
  /\.pb\.(go|cc|h)$/,
  /\.(g|freezed)\.dart$/,
  /\.designer\.(cs|vb)$/i,
  /\.generated\.[A-Za-z]+$/,
];

/** A generator's header in the first 2,000 bytes: in a comment, or as the first words of a line of one. */
export const GENERATED_HEADER =
  /^[ \t]*(?:(?:\/\/|\/\*|\*|#|--|;|%|<!--|"""|\(\*|\{-).*)?(?:Code generated .* DO NOT EDIT|@generated|auto-?generated)/im;

/** Mean line length above which a script or style sheet counts as minified, and the size from which it is judged. */
export const MINIFIED = { meanLine: 200, minBytes: 2_048 } as const;

const HEADER_BYTES = 2_000;
const SEGMENTS = new Set(VENDOR_SEGMENTS);

/** Whether the path or the repository's attributes call the file vendored or documentation. */
export function isVendored(path: string, attributes: PathAttributes): boolean {
  if (attributes.documentation === true) return true;
  if (attributes.vendored !== undefined) return attributes.vendored;
  return (
    path
      .split("/")
      .slice(0, -1)
      .some((segment) => SEGMENTS.has(segment)) || VENDOR_PATTERNS.some((pattern) => pattern.test(path))
  );
}

/** Whether a program wrote the file. */
export function isGenerated(path: string, bytes: Uint8Array, attributes: PathAttributes): boolean {
  if (attributes.generated !== undefined) return attributes.generated;
  return (
    GENERATED_NAMES.some((pattern) => pattern.test(path)) ||
    GENERATED_HEADER.test(new TextDecoder().decode(bytes.subarray(0, HEADER_BYTES)))
  );
}

/** Whether a script or style sheet was squeezed into few long lines. */
export function isMinified(path: string, bytes: Uint8Array): boolean {
  if (bytes.length <= MINIFIED.minBytes || !/\.([cm]?js|css)$/.test(path)) return false;
  let lines = 1;
  for (let at = bytes.indexOf(10); at >= 0 && at < bytes.length - 1; at = bytes.indexOf(10, at + 1)) lines++;
  return bytes.length / lines > MINIFIED.meanLine;
}
