/** The command that writes the measuring action into a checkout. */

import { statSync } from "node:fs";
import { resolve } from "node:path";
import { shown } from "../base/command_line.ts";
import { isAssetId } from "../base/contract.ts";
import { didYouMean, nearest } from "../base/nearest.ts";
import { countWords } from "../base/text.ts";
import { parcelFor, parcelRoot, planParcel, writeParcel } from "../measure/action/parcel.ts";
import { FORGES, SECRETS } from "../measure/action/workflow.ts";
import { commandWith, done, type Outcome, refused } from "./command.ts";

const PLACES: readonly string[] = [...FORGES.map(({ name }) => name), "gitlab"];

/** `action write`: works on a checkout alone, and asks neither the service nor its data. */
export const actionWrite = commandWith<void>()({
  name: "action write",
  summary: "write the measuring workflow into a checkout",
  takes: ["<checkout>"],
  about: [
    "Writes everything that a repository needs to measure itself: the action, the files of its image, and a workflow that calls it. The repository's own runner builds the image. Commit the files.",
    "Without --force, nothing is written when an existing file differs. These files are not measured.",
  ],
  options: {
    asset: { value: "<id>", says: "the site whose reports these are" },
    for: {
      value: "<place>",
      says: `where the repository is hosted: ${PLACES.join(", ")}; github is the default`,
    },
    force: { says: "overwrite existing files that differ" },
    "no-workflow": {
      says: "leave the workflow as it is; with --force, for an update of Tower after you changed it",
    },
  },
  judge: ({ options: { asset, for: place } }) => {
    if (asset === undefined) return "--asset is needed: the site's id";
    if (!isAssetId(asset)) return `${shown(asset)} is no site's id`;
    if (place === undefined || PLACES.includes(place)) return undefined;
    return `--for must be one of ${PLACES.join(", ")}${didYouMean(nearest(place, PLACES))}`;
  },
  run: async (_, { args: [folder = ""], options, cwd = "." }) => {
    const { asset = "", for: place = "github" } = options;
    const forge = FORGES.find(({ name }) => name === place) ?? "gitlab";
    const checkout = resolve(cwd, folder);
    if (statSync(checkout, { throwIfNoEntry: false })?.isDirectory() !== true) {
      return refused(`${checkout}: there is no such folder`);
    }
    const root = parcelRoot();
    if (root === undefined) return refused("this installation does not carry the action's files");
    const parcel = parcelFor(root, forge, asset);
    const files = new Map(
      [...parcel.files].filter(([path]) => options["no-workflow"] !== true || path !== parcel.workflow),
    );
    return write(checkout, { ...parcel, files }, options.force === true);
  },
});

async function write(
  checkout: string,
  parcel: Parameters<typeof planParcel>[1],
  force: boolean,
): Promise<Outcome> {
  const plan = planParcel(checkout, parcel);
  if (plan.barred.length > 0) {
    return refused(`nothing was written: a link or a folder stands in the way of ${listed(plan.barred)}`);
  }
  const lost = [...plan.differ, ...plan.left];
  if (lost.length > 0 && !force) {
    return refused(
      `nothing was written: already there, and different: ${listed(lost)}\n--force writes over them; add --no-workflow to keep the workflow`,
    );
  }
  await writeParcel(checkout, parcel, plan);
  const count = plan.written.length + plan.differ.length;
  const removed = plan.left.length === 0 ? "" : `, ${plan.left.length} removed`;
  return done(
    [...parcel.files.keys()].filter((path) => !path.startsWith(`${parcel.image}/`)).join("\n"),
    [
      `${countWords(count, "file")} written${removed}, ${plan.same.length} already the same; the image's are in ${parcel.image}.`,
      `Commit them, and set the repository's secrets ${SECRETS.ingest} and ${SECRETS.token}: the site's page in the Tower says what to. Without them the report is kept as an artifact.`,
    ].join("\n"),
  );
}

function listed(paths: readonly string[]): string {
  const most = 10;
  const more = paths.length > most ? `, and ${paths.length - most} more` : "";
  return `${paths.slice(0, most).join(", ")}${more}`;
}
