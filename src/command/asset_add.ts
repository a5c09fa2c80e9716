import { AskedAssetSchema, addAsset } from "../assets/mod.ts";
import { retireFlags } from "../flags/mod.ts";
import { shown } from "../lib/command_line.ts";
import { readContract } from "../lib/contract.ts";
import { type Command, command, done } from "./contract.ts";
import { likeKnownSites } from "./near_sites.ts";

const SAID = {
  added: "was added",
  changed: "was there and is changed",
  same: "is there as asked: nothing is changed",
};

/** `asset add`. */
export const assetAdd: Command = command({
  name: "asset add",
  summary: "add a site, or change one",
  setsUp: true,
  takes: ["<id>"],
  about: [
    "Adds a site to the portfolio, or changes one that is there: then what is not given stays as it is. An id is letters, digits, dots, underscores and hyphens, at most 128.",
  ],
  options: {
    url: { value: "<address>", says: "the site's address, for example https://shop.example" },
    lifecycle: {
      value: "<state>",
      says: "live (a new site's default), pre-launch or retired. Retiring resolves the site's open flags; its history stays",
    },
    group: {
      value: "<name>",
      says: "the group that the site is in, such as a customer or a brand",
    },
    "no-group": { says: "takes the site out of its group" },
    family: {
      value: "<name>=<storage>",
      many: true,
      says: "a metric family and the storage it is read from: d1, analytics-engine, r2 or kv; may be repeated. Those given take the place of all that were declared",
    },
  },
  judge: (given) => {
    const judged = read(given);
    if (judged.ok) return both(given.options) ?? twice(given.options.family);
    return judged.errors.map(({ pointer, message }) => `${wordOf(pointer)} ${message}`).join("; ");
  },
  run: async (deps, given) => {
    const judged = read(given);
    if (!judged.ok) throw new RangeError("a site that breaks the contract was judged good");
    const { id } = judged.value;
    const now = deps.clock.now();
    const near = likeKnownSites(deps.store.db, id);
    const result = await addAsset(deps.writer, judged.value, {
      actor: "command-line",
      now,
      onRetired: (tx) =>
        retireFlags(tx, { asset: id, serviceAsset: deps.config.serviceAsset, now, actor: "command-line" }),
    });
    return done("", [`${id} ${SAID[result]}`, ...(result === "added" ? near : [])].join("\n"));
  },
});

/** What was said of the site, by the contract. */
function read({
  args: [id = ""],
  options: { family, "no-group": noGroup = false, ...given },
}: {
  readonly args: readonly string[];
  readonly options: {
    readonly family?: readonly string[];
    readonly url?: string;
    readonly lifecycle?: string;
    readonly group?: string;
    readonly "no-group"?: boolean;
  };
}) {
  return readContract(AskedAssetSchema, {
    id,
    ...given,
    ...(noGroup && { group: null }),
    ...(family === undefined ? {} : { families: family.map(familyOf) }),
  });
}

/** A site cannot be put into a group and taken out of it at once. */
function both(options: { readonly group?: string; readonly "no-group"?: boolean }): string | undefined {
  return options.group !== undefined && options["no-group"] === true
    ? "--group and --no-group cannot be given together"
    : undefined;
}

/** A family has one storage: of two, one would be passed over. */
function twice(families: readonly string[] = []): string | undefined {
  const names = families.map((text) => familyOf(text).family);
  const again = names.find((name, index) => names.indexOf(name) < index);
  return again === undefined ? undefined : `--family: ${shown(again)} is given twice`;
}

/** What was typed for a part of a site. */
function wordOf(pointer: string): string {
  const [, part = "", , ofFamily] = pointer.split("/");
  if (part === "id") return "<id>";
  return part === "families" ? `--family: the ${ofFamily === "storage" ? "storage" : "name"}` : `--${part}`;
}

function familyOf(text: string): { family: string; storage: string } {
  const cut = text.lastIndexOf("=");
  return { family: cut < 0 ? text : text.slice(0, cut), storage: cut < 0 ? "" : text.slice(cut + 1) };
}
