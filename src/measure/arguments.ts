/** The command line of `measure`. */
import { parseArgs } from "node:util";
import { isAssetId } from "../lib/asset_id.ts";
import { type PassedIn, readPassedIn } from "./passed_in.ts";
import { readPaths } from "./paths.ts";
import { DEFAULT_INGEST } from "./post.ts";

export const HELP = `Usage: measure <checkout> [--measure key=value]… [--path p]… [--out file | --post]

Measures one commit of a git repository and writes a codebase report. Only git objects are read; nothing of the
repository is run.

  --measure key=value  build_passed, tests_passed (success, failure, …) or vulnerable_dependencies (a count);
                       an empty, skipped or cancelled value sends nothing
  --path p             measure only this file or folder; up to 20 times. What is used from elsewhere is not unused
  --out file           write the report to a file; - is standard output, the default
  --post               post the report to the ingest
  --help               show this text

Environment: ASSET (needed), INGEST_URL (default ${DEFAULT_INGEST}) and ASSET_TOKEN (for --post),
MEASURE_IMAGE (the measuring image with its digest), GITHUB_REF_NAME or CI_COMMIT_REF_NAME (the ref).

A .tower-measure at the root of the commit names files and findings to leave out, each with a reason.

The report is one line of JSON. What it says is told in words on standard error. It is written whole or not at all, and
a report that could not be posted is kept in this folder, or in the one for temporary files.

Exit codes:
  0    done
  1    the machine: an output or a temporary file that cannot be written, no program can be started; or a fault of
       this program
  2    wrong usage, or a --path that the commit does not have
  3    the checkout cannot be measured, goes over a limit, or its .tower-measure cannot be read
  4    the report was not posted: refused, or no answer
  130  ended by a signal; nothing temporary is left
`;

/** Where the report goes. */
export type Destination =
  | { readonly kind: "stdout" }
  | { readonly kind: "file"; readonly path: string }
  | { readonly kind: "post"; readonly base: string; readonly token: string };

/** A complete, checked command. */
export interface MeasureCommand {
  readonly checkout: string;
  readonly asset: string;
  readonly paths: readonly string[];
  readonly passedIn: PassedIn;
  readonly destination: Destination;
  readonly image?: string;
  readonly ref?: string;
}

export type ArgumentsResult =
  | { readonly kind: "run"; readonly command: MeasureCommand }
  | { readonly kind: "help" }
  | { readonly kind: "usage"; readonly message: string };

type Environment = Readonly<Record<string, string | undefined>>;

/** Reads arguments and environment; every fault is one sentence. */
export function readArguments(args: readonly string[], env: Environment): ArgumentsResult {
  const parsed = parse(args);
  if (typeof parsed === "string") return usage(parsed);
  const { values, positionals } = parsed;
  if (values.help === true) return { kind: "help" };
  const [checkout = "", ...rest] = positionals;
  if (checkout === "" || rest.length > 0) return usage("one checkout is needed");
  const asset = env["ASSET"] ?? "";
  if (!isAssetId(asset)) return usage("ASSET must hold the site's id");
  const passedIn = readPassedIn(values.measure ?? []);
  if (!passedIn.ok) return usage(passedIn.message);
  const paths = readPaths(values.path ?? []);
  if (!paths.ok) return usage(paths.message);
  const destination = readDestination(values.out, values.post === true, env);
  if (typeof destination === "string") return usage(destination);
  const named = { checkout, asset, paths: paths.paths, passedIn: passedIn.value, destination };
  return { kind: "run", command: { ...named, ...readOrigin(env) } };
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

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      strict: true,
      options: {
        measure: { type: "string", multiple: true },
        path: { type: "string", multiple: true },
        out: { type: "string" },
        post: { type: "boolean" },
        help: { type: "boolean", short: "h" },
      },
    });
  } catch (error) {
    return error instanceof Error ? error.message : "the arguments cannot be read";
  }
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
