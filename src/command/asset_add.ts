import { parseArgs } from "node:util";
import { AskedAssetSchema, addAsset } from "../assets/mod.ts";
import { retireFlags } from "../flags/mod.ts";
import { readContract } from "../lib/contract.ts";
import { type Command, done, usage } from "./contract.ts";

const help = `Usage: tower asset add <id> [--url <address>] [--lifecycle live|pre-launch|retired] [--family <name>=<storage>]…

Adds a site to the portfolio, or changes one that is there: then what is not given stays as it is.

  <id>          letters, digits, dots, underscores and hyphens, at most 128
  --url         the site's address, for example https://shop.example
  --lifecycle   live (a new site's default), pre-launch or retired
  --family      a metric family and the storage it is read from: d1, analytics-engine, r2 or kv; may be repeated. Those given
                take the place of all that were declared`;

const SAID = {
  added: "was added",
  changed: "was there and is changed",
  same: "is there as asked: nothing is changed",
};

/** `asset add`. */
export const assetAdd: Command = {
  name: "asset add",
  summary: "add a site, or change one",
  help,
  wantsPassword: false,
  run: async (deps, { args }) => {
    let parsed: ReturnType<typeof parse>;
    try {
      parsed = parse(args);
    } catch (error) {
      return usage(assetAdd, error instanceof Error ? error.message : "the arguments are not understood");
    }
    const [id, ...rest] = parsed.positionals;
    if (id === undefined || rest.length > 0) return usage(assetAdd, "exactly one site id is needed");
    const { family, ...given } = parsed.values;
    const judged = readContract(AskedAssetSchema, {
      id,
      ...given,
      ...(family === undefined ? {} : { families: family.map(familyOf) }),
    });
    if (!judged.ok) {
      return usage(
        assetAdd,
        judged.errors.map(({ pointer, message }) => `${pointer.slice(1)} ${message}`).join("\n"),
      );
    }
    const now = deps.clock.now();
    const result = await addAsset(deps.writer, judged.value, {
      actor: "command-line",
      now,
      onRetired: (tx) =>
        retireFlags(tx, { asset: id, serviceAsset: deps.config.serviceAsset, now, actor: "command-line" }),
    });
    return done("", `${id} ${SAID[result]}`);
  },
};

function familyOf(text: string): { family: string; storage: string } {
  const cut = text.lastIndexOf("=");
  return { family: cut < 0 ? text : text.slice(0, cut), storage: cut < 0 ? "" : text.slice(cut + 1) };
}

function parse(args: readonly string[]) {
  return parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      url: { type: "string" },
      lifecycle: { type: "string" },
      family: { type: "string", multiple: true },
    },
  });
}
