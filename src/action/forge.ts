/** The places whose runners carry the action, and what is different there. Pure. */

/** A place for repositories with runners of its own. */
export interface Forge {
  readonly name: string;
  /** The folder it reads workflows and actions from. */
  readonly folder: string;
  /** How a step keeps a file. The newest generation of the first one refuses every place but its own. */
  readonly keeps: string;
  readonly checksOut: string;
}

const CHECKOUT = "actions/checkout@11bd71901bbe5b1630ceea73d27597364c9af683 # v4.2.2";

export const FORGES = [
  {
    name: "github",
    folder: ".github",
    keeps: "actions/upload-artifact@ea165f8d65b6e75b540449e92b4886f43607fa02 # v4.6.2",
    checksOut: CHECKOUT,
  },
  {
    name: "forgejo",
    folder: ".forgejo",
    keeps: "https://code.forgejo.org/forgejo/upload-artifact@v4",
    checksOut: "https://code.forgejo.org/actions/checkout@v4",
  },
  { name: "gitea", folder: ".gitea", keeps: "actions/upload-artifact@v3", checksOut: "actions/checkout@v4" },
] as const satisfies readonly Forge[];

export const GITHUB: Forge = FORGES[0];

/** The folder of GitLab, which has jobs of scripts and no actions. */
export const GITLAB_FOLDER = ".gitlab";

/** Where the action lies in a repository. */
export function actionFolder({ folder }: Forge): string {
  return `${folder}/actions/codebase-report`;
}
