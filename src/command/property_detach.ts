import { hasAsset } from "../assets/mod.ts";
import { detachProperty, listAttachmentsOf } from "../credentials/mod.ts";
import { shown } from "../lib/command_line.ts";
import { didYouMean, nearest } from "../lib/near.ts";
import { PROVIDERS } from "../provider/contract.ts";
import { type Command, command, done, refused } from "./contract.ts";
import { noSite } from "./near_sites.ts";

/** `property detach`. */
export const propertyDetach: Command = command({
  name: "property detach",
  summary: "take a provider's property from a site",
  forms: ["<asset> --provider <provider>", "<asset> --property <id>"],
  takes: ["<asset>"],
  about: ["Takes a provider's property from a site: nothing more is pulled for it. What was pulled stays."],
  options: {
    provider: { value: "<provider>", says: `of which provider: ${PROVIDERS.join(", ")}` },
    property: { value: "<id>", says: "or which property, by the provider's own id" },
  },
  judge: ({ options: { provider, property } }) => {
    if ((provider === undefined) === (property === undefined)) {
      return "either --provider or --property is needed";
    }
    return provider === undefined || PROVIDERS.some((known) => known === provider)
      ? undefined
      : `--provider must be one of ${PROVIDERS.join(", ")}${didYouMean(nearest(provider, PROVIDERS))}`;
  },
  run: async (deps, { args: [asset = ""], options: { provider, property } }) => {
    const { db } = deps.store;
    if (!hasAsset(db, asset)) return refused(noSite(db, asset));
    const attached = listAttachmentsOf(db, asset);
    const meant = attached.find((known) => known.provider === provider || known.property === property);
    const by = { actor: "command-line", now: deps.clock.now() };
    const detached = meant && (await detachProperty(deps, { asset, provider: meant.provider }, by));
    if (detached === undefined) {
      const has =
        attached.length === 0
          ? "it has none"
          : `it has ${attached.map((known) => `${known.property} (${known.provider})`).join(", ")}`;
      return refused(`${asset} has no property ${shown(provider ?? property ?? "")}: ${has}`);
    }
    return done(
      "",
      `${asset} has no ${detached.provider} property any more (it was ${detached.property}). What was pulled stays.`,
    );
  },
});
