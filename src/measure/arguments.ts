/** The command line of `measure`. */

import { asksHelp, helpText, readWords, type Syntax } from "../base/command_line.ts";
import { isAssetId } from "../base/contract.ts";
import { DEFAULT_INGEST } from "./post.ts";
import { readPaths } from "./usable.ts";

// The three measures that only the sender's own workflow can know: `--measure key=value`.

/** What the sender passed in; a skipped or cancelled step leaves its key absent. */
export interface PassedIn {
  readonly build_passed?: number;
  readonly tests_passed?: number;
  readonly vulnerable_dependencies?: number;
}

const PASSED = /^(?:1|true|success|passed)$/;
const FAILED = /^(?:0|false|failure|failed)$/;
const NOTHING = /^(?:skipped|cancelled|neutral)?$/;

/** Reads `key=value` texts. A value that is neither a result nor "nothing happened" is refused, with a text that says so. */
export function readPassedIn(texts: readonly string[]): PassedIn | string {
  const value: { -readonly [K in keyof PassedIn]: PassedIn[K] } = {};
  for (const text of texts) {
    const cut = text.indexOf("=");
    const key = cut < 0 ? text : text.slice(0, cut);
    const given = cut < 0 ? undefined : text.slice(cut + 1).trim();
    if (given === undefined) return refuse(text, "key=value is needed");
    if (key !== "build_passed" && key !== "tests_passed" && key !== "vulnerable_dependencies") {
      return refuse(text, "only build_passed, tests_passed and vulnerable_dependencies can be passed in");
    }
    if (NOTHING.test(given)) continue;
    if (key === "vulnerable_dependencies") {
      const count = Number(given);
      if (!/^\d+$/.test(given) || !Number.isSafeInteger(count))
        return refuse(text, "a whole number is needed");
      value[key] = count;
    } else {
      if (!PASSED.test(given) && !FAILED.test(given))
        return refuse(text, "1, true, success, passed, 0, false, failure or failed is needed");
      value[key] = PASSED.test(given) ? 1 : 0;
    }
  }
  return value;
}

function refuse(text: string, message: string): string {
  return `--measure ${JSON.stringify(text)}: ${message}`;
}

const SYNTAX = {
  takes: ["<checkout>"],
  options: {
    measure: {
      value: "<key>=<value>",
      many: true,
      says: "build_passed, tests_passed (success, failure, …) or vulnerable_dependencies (a count); an empty, skipped or cancelled value sends nothing. May be repeated",
    },
    path: {
      value: "<path>",
      many: true,
      says: "measure only this file or folder; up to 20 times. Code used from elsewhere does not count as unused",
    },
    all: {
      says: "list all unused code on standard error, also what is not counted or does not fit into the report",
    },
    out: { value: "<file>", says: "write the report to a file; - is standard output, the default" },
    post: { says: "post the report to the ingest" },
  },
} as const satisfies Syntax;

export const HELP = `${helpText("tower", {
  ...SYNTAX,
  name: "measure",
  form: "<checkout> [--measure <key>=<value>]… [--path <path>]… [--all] [--out <file> | --post]",
  about: [
    "Measures one commit of a git repository and writes a codebase report. Only git objects are read; nothing of the repository is run.",
    "The report is one line of JSON. A summary in words goes to standard error. A report that could not be posted is kept in this folder, or in the temporary one. A .tower-measure at the root of the commit names files and findings to leave out, each with a reason.",
  ],
  more: [
    "Environment:",
    [
      ["ASSET", "the site's id; needed"],
      ["INGEST_URL", `for --post; ${DEFAULT_INGEST} by default`],
      ["ASSET_TOKEN", "for --post: the site's token"],
      ["MEASURE_IMAGE", "the measuring image with its digest"],
      ["GITHUB_REF_NAME", "or CI_COMMIT_REF_NAME: the ref"],
    ],
    "Exit codes:",
    [
      ["0", "done"],
      [
        "1",
        "the machine: an output or a temporary file that cannot be written, no program can be started; or a fault of this program",
      ],
      ["2", "wrong usage, or a --path that the commit does not have"],
      ["3", "the checkout cannot be measured, goes over a limit, or its .tower-measure cannot be read"],
      ["4", "the report was not posted: refused, or no answer"],
      ["130", "ended by a signal; nothing temporary is left"],
    ],
  ],
})}\n`;

/** Where the report goes. */
type Destination =
  | { readonly kind: "stdout" }
  | { readonly kind: "file"; readonly path: string }
  | { readonly kind: "post"; readonly base: string; readonly token: string };

/** A complete, checked command. */
export interface MeasureCommand {
  /** Folder of the checkout: its root, or a bare repository. */
  readonly checkout: string;
  readonly asset: string;
  /** Normalised by `readPaths`; `.` is the whole tree. */
  readonly paths: readonly string[];
  readonly passedIn: PassedIn;
  readonly destination: Destination;
  /** Lists all unused code in the summary. */
  readonly all?: true;
  /** The measuring image with its digest, when the run knows it. */
  readonly image?: string;
  /** The branch or tag as the caller's workflow names it. */
  readonly ref?: string;
}

type ArgumentsResult =
  | { readonly kind: "run"; readonly command: MeasureCommand }
  | { readonly kind: "help" }
  | { readonly kind: "usage"; readonly message: string };

type Environment = Readonly<Record<string, string | undefined>>;

/** Reads arguments and environment; every fault is one sentence. */
export function readArguments(args: readonly string[], env: Environment): ArgumentsResult {
  if (asksHelp(args)) return { kind: "help" };
  const read = readWords(SYNTAX, args);
  if (!read.ok) return usage(read.fault);
  const { measure, path, all, out, post } = read.given.options;
  const [checkout = ""] = read.given.args;
  const asset = env["ASSET"] ?? "";
  if (!isAssetId(asset)) return usage("ASSET must hold the site's id");
  const passedIn = readPassedIn(measure ?? []);
  if (typeof passedIn === "string") return usage(passedIn);
  const paths = readPaths(path ?? []);
  if (typeof paths === "string") return usage(paths);
  const destination = readDestination(out, post === true, env);
  if (typeof destination === "string") return usage(destination);
  const named = { checkout, asset, paths, passedIn, destination };
  return { kind: "run", command: { ...named, ...(all === true ? { all } : {}), ...readOrigin(env) } };
}

/** What the caller's workflow knows about the run. */
function readOrigin(env: Environment): Pick<MeasureCommand, "image" | "ref"> {
  const image = readImage(env["MEASURE_IMAGE"]);
  const ref = [env["GITHUB_REF_NAME"], env["CI_COMMIT_REF_NAME"]].find(
    (name) => name !== undefined && name !== "",
  );
  return { ...(image === undefined ? {} : { image }), ...(ref === undefined ? {} : { ref }) };
}

function usage(message: string): ArgumentsResult {
  return { kind: "usage", message };
}

function readDestination(out: string | undefined, post: boolean, env: Environment): Destination | string {
  if (post && out !== undefined) return "--out and --post exclude each other";
  if (!post) return out === undefined || out === "-" ? { kind: "stdout" } : { kind: "file", path: out };
  const token = env["ASSET_TOKEN"] ?? "";
  if (!/^[\x21-\x7e]+$/.test(token)) return "--post needs ASSET_TOKEN";
  const base =
    env["INGEST_URL"] === undefined || env["INGEST_URL"] === "" ? DEFAULT_INGEST : env["INGEST_URL"];
  const url = URL.parse(base);
  if (url === null || (url.protocol !== "http:" && url.protocol !== "https:")) {
    return "INGEST_URL must be an http or https address";
  }
  return { kind: "post", base, token };
}

/** A container cannot know its own digest, so an image counts only when the caller names it with one. */
function readImage(image: string | undefined): string | undefined {
  return image !== undefined && image.length <= 512 && /^[\x21-\x7e]+@sha256:[0-9a-f]{64}$/.test(image)
    ? image
    : undefined;
}
