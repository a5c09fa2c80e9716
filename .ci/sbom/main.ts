/** Prints what the service is made of as a CycloneDX 1.6 document, from the lock file alone: `bun run sbom > sbom.json`. */

import { join } from "node:path";

const ROOT = join(import.meta.dir, "..", "..");

type Names = Readonly<Record<string, string>>;
interface Needs {
  readonly dependencies?: Names;
  readonly optionalDependencies?: Names;
  readonly peerDependencies?: Names;
  /** Of the peers, those that a package can do without. */
  readonly optionalPeers?: readonly string[];
}
/** A package as the lock file has it, by where it lies: what it is, its registry, what it needs, its digest. */
type Locked = readonly [is: string, registry: string, needs: Needs, integrity: string];
interface Lock {
  /** The product, and the packages beside it, by their folders. */
  readonly workspaces: Readonly<Record<string, Needs & { readonly devDependencies?: Names }>>;
  readonly packages: Readonly<Record<string, Locked>>;
}

const { name, version, engines } = (await Bun.file(join(ROOT, "package.json")).json()) as {
  readonly name: string;
  readonly version: string;
  readonly engines: { readonly bun: string };
};
// The lock file is JSON but for commas before closing brackets.
const text = await Bun.file(join(ROOT, "bun.lock")).text();
const lock = JSON.parse(text.replaceAll(/,(?=\s*[}\]])/g, "")) as Lock;

/** Where the package lies that one at `from` gets under a name: as near as there is one. */
function placeOf(from: string, needed: string): string | undefined {
  for (let above = from; above !== ""; above = above.slice(0, Math.max(0, above.lastIndexOf("/")))) {
    if (`${above}/${needed}` in lock.packages) return `${above}/${needed}`;
  }
  return needed in lock.packages ? needed : undefined;
}

function needsOf(place: string, needs: Needs): string[] {
  const names = { ...needs.dependencies, ...needs.optionalDependencies, ...needs.peerDependencies };
  return Object.keys(names)
    .filter((needed) => needs.optionalPeers?.includes(needed) !== true)
    .flatMap((needed) => placeOf(place, needed) ?? []);
}

function reached(from: readonly string[]): ReadonlySet<string> {
  const found = new Set(from);
  for (const place of found)
    for (const next of needsOf(place, lock.packages[place]?.[2] ?? {})) found.add(next);
  return found;
}

/** The address of a package by which lists of vulnerabilities name it. */
function purlOf(place: string): string {
  const is = lock.packages[place]?.[0] ?? "";
  const cut = is.lastIndexOf("@");
  return `pkg:npm/${is.slice(0, cut).replace("@", "%40")}@${is.slice(cut + 1)}`;
}

const own = Object.values(lock.workspaces);
const direct = [...new Set(own.flatMap((needs) => needsOf("", needs)))];
const inService = new Set([...reached(direct)].map(purlOf));
const all = [
  ...reached([
    ...direct,
    ...own.flatMap(({ devDependencies = {} }) => needsOf("", { dependencies: devDependencies })),
  ]),
];

function componentOf([purl, places]: readonly [string, readonly string[]]) {
  const [is = "", , , integrity = ""] = lock.packages[places[0] ?? ""] ?? [];
  const cut = is.lastIndexOf("@");
  const [group, plain] = is.startsWith("@") ? is.slice(0, cut).split("/") : [undefined, is.slice(0, cut)];
  const [algorithm = "", digest = ""] = integrity.split("-");
  return {
    type: "library",
    "bom-ref": purl,
    ...(group === undefined ? {} : { group }),
    name: plain,
    version: is.slice(cut + 1),
    purl,
    // What only builds and tests need is excluded from what runs.
    scope: inService.has(purl) ? "required" : "excluded",
    ...(digest === ""
      ? {}
      : {
          hashes: [
            { alg: algorithm.replace("sha", "SHA-"), content: Buffer.from(digest, "base64").toString("hex") },
          ],
        }),
  };
}

const packages = [...Map.groupBy(all, purlOf)].sort(([a], [b]) => (a < b ? -1 : 1));
const ref = `${name}@${version}`;
const bun = `pkg:github/oven-sh/bun@bun-v${engines.bun}`;

const bom = {
  bomFormat: "CycloneDX",
  specVersion: "1.6",
  version: 1,
  metadata: { component: { type: "application", "bom-ref": ref, name, version } },
  components: [
    { type: "platform", "bom-ref": bun, name: "bun", version: engines.bun, purl: bun, scope: "required" },
    ...packages.map(componentOf),
  ],
  dependencies: [
    { ref, dependsOn: [bun, ...new Set(direct.map(purlOf))] },
    ...packages.map(([purl, places]) => ({
      ref: purl,
      dependsOn: [
        ...new Set(places.flatMap((place) => needsOf(place, lock.packages[place]?.[2] ?? {}).map(purlOf))),
      ],
    })),
  ],
};
process.stdout.write(`${JSON.stringify(bom, null, 2)}\n`);
