/**
 * What `action write` puts into a repository: the action with everything its image is built from, and the workflow that calls it. Nothing
 * is written where anything would be lost, and no link is followed.
 */

import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { replaceFile, systemFiles } from "../../base/files.ts";
import { copiedFromContext, excerpt, readDockerfile, stagesFor } from "./dockerfile.ts";
import {
  actionFile,
  actionFolder,
  type Forge,
  GITHUB,
  GITLAB_FOLDER,
  gitlabFile,
  workflowFile,
} from "./workflow.ts";

/** Files by their paths in the repository. */
interface Parcel {
  readonly files: ReadonlyMap<string, Uint8Array>;
  /** The one that its people change: it may be left as it is. */
  readonly workflow: string;
  /** A folder that holds nothing but what is written. */
  readonly image: string;
}

/** What the steps run. */
const SCRIPTS = ["measure.sh", "post.sh", "say.sh", "figures.txt"] as const;

const OWN = actionFolder(GITHUB);

// For GitHub, which draws no figures from them either; and a repository's own rules (`lib/`) must not keep a part of it out.
const ATTRIBUTES =
  "# Tower's measuring command, for the action beside it.\n* linguist-vendored linguist-generated\n";

const NOT_IGNORED = "!*\n";

/** The parcel for a place of repositories; `gitlab` has a job of scripts in the action's stead. `root` is Tower's own folder. */
export function parcelFor(root: string, forge: Forge | "gitlab", asset: string): Parcel {
  const folder = forge === "gitlab" ? `${GITLAB_FOLDER}/codebase-report` : actionFolder(forge);
  const image = `${folder}/image`;
  const files = new Map<string, Uint8Array>();
  const write = (path: string, text: string) => files.set(path, Buffer.from(text));
  if (forge !== "gitlab") write(`${folder}/action.yml`, actionFile(forge));
  for (const name of SCRIPTS) files.set(`${folder}/${name}`, readFileSync(join(root, OWN, name)));
  const dockerfile = readFileSync(join(root, "Dockerfile"), "utf8");
  write(`${image}/.gitattributes`, ATTRIBUTES);
  write(`${image}/.gitignore`, NOT_IGNORED);
  write(`${image}/Dockerfile`, excerpt(dockerfile, "measure"));
  for (const source of copiedFromContext(stagesFor(readDockerfile(dockerfile), "measure"))) {
    for (const path of filesAt(root, source)) files.set(`${image}/${path}`, readFileSync(join(root, path)));
  }
  const workflow =
    forge === "gitlab"
      ? `${GITLAB_FOLDER}/codebase-report.yml`
      : `${forge.folder}/workflows/codebase-report.yml`;
  write(workflow, forge === "gitlab" ? gitlabFile(asset) : workflowFile(forge, asset));
  return { files, workflow, image };
}

/** The root of an installation that carries the action; undefined where it does not. */
export function parcelRoot(): string | undefined {
  const root = join(import.meta.dir, "..", "..", "..");
  return existsSync(join(root, "Dockerfile")) && existsSync(join(root, OWN)) ? root : undefined;
}

function filesAt(root: string, path: string): string[] {
  if (!statSync(join(root, path)).isDirectory()) return [path];
  return readdirSync(join(root, path), { recursive: true, encoding: "utf8" })
    .map((name) => `${path}/${name}`)
    .filter((name) => statSync(join(root, name)).isFile())
    .sort();
}

/** What writing would do, by paths in the checkout. */
interface Plan {
  readonly written: readonly string[];
  readonly same: readonly string[];
  /** Files that are there and say something else. */
  readonly differ: readonly string[];
  /** Files in the image's folder that are not part of it any more. */
  readonly left: readonly string[];
  /** A link, or a folder where a file belongs: the way is not a plain one. */
  readonly barred: readonly string[];
}

/** Looks at the checkout. */
export function planParcel(checkout: string, parcel: Parcel): Plan {
  const plan: Record<keyof Plan, string[]> = { written: [], same: [], differ: [], left: [], barred: [] };
  for (const [path, bytes] of parcel.files) {
    const at = stateOf(checkout, path);
    if (at === "barred") plan.barred.push(path);
    else if (at === "absent") plan.written.push(path);
    else if (Buffer.compare(readFileSync(join(checkout, path)), bytes) === 0) plan.same.push(path);
    else plan.differ.push(path);
  }
  if (plan.barred.length === 0) plan.left.push(...filesBelow(checkout, parcel.image, parcel.files));
  return plan;
}

/** Writes what the plan names, and what differs; what is left over is removed. */
export async function writeParcel(checkout: string, parcel: Parcel, plan: Plan): Promise<void> {
  for (const path of [...plan.written, ...plan.differ]) {
    const file = join(checkout, path);
    mkdirSync(dirname(file), { recursive: true });
    await replaceFile(systemFiles, file, parcel.files.get(path) ?? new Uint8Array(0), 0o644);
  }
  for (const path of plan.left) await systemFiles.remove(join(checkout, path));
}

/** Every folder on the way must be a folder of the checkout itself: a link could lead anywhere. */
function stateOf(checkout: string, path: string): "absent" | "file" | "barred" {
  const parts = path.split("/");
  for (let length = 1; length <= parts.length; length++) {
    const found = lstatSync(join(checkout, ...parts.slice(0, length)), { throwIfNoEntry: false });
    if (found === undefined) return "absent";
    if (length === parts.length) return found.isFile() ? "file" : "barred";
    if (!found.isDirectory()) return "barred";
  }
  return "absent";
}

function filesBelow(checkout: string, folder: string, known: ReadonlyMap<string, unknown>): string[] {
  if (lstatSync(join(checkout, folder), { throwIfNoEntry: false })?.isDirectory() !== true) return [];
  return readdirSync(join(checkout, folder), { withFileTypes: true, recursive: true })
    .filter((entry) => !entry.isDirectory())
    .map((entry) => `${entry.parentPath.slice(checkout.length + 1)}/${entry.name}`)
    .filter((path) => !known.has(path))
    .sort();
}
