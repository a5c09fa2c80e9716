/** What is written into a repository: the action with everything its image is built from, and the workflow that calls it. */
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { actionFile } from "./action_file.ts";
import { copiedFromContext, excerpt, readDockerfile, stagesFor } from "./dockerfile.ts";
import { actionFolder, type Forge, GITHUB, GITLAB_FOLDER } from "./forge.ts";
import { gitlabFile, workflowFile } from "./workflow.ts";

/** Files by their paths in the repository. */
export interface Parcel {
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
  const root = join(import.meta.dir, "..", "..");
  return existsSync(join(root, "Dockerfile")) && existsSync(join(root, OWN)) ? root : undefined;
}

function filesAt(root: string, path: string): string[] {
  if (!statSync(join(root, path)).isDirectory()) return [path];
  return readdirSync(join(root, path), { recursive: true, encoding: "utf8" })
    .map((name) => `${path}/${name}`)
    .filter((name) => statSync(join(root, name)).isFile())
    .sort();
}
