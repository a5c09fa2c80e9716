/** Commands on the properties of providers that sites have their figures from. */

import { shown, terminalJson } from "../base/command_line.ts";
import { didYouMean, nearest } from "../base/nearest.ts";
import { onOneLine } from "../base/text.ts";
import { MONITORING_UNAVAILABLE } from "../health/capability_words.ts";
import { PROVIDERS, type Provider } from "../providers/adapter.ts";
import { detachProperty, listAttachments, listAttachmentsOf } from "../providers/attachments.ts";
import { findCredential } from "../providers/credentials.ts";
import { FAULT_CODES } from "../providers/faults.ts";
import { listProperties, readPropertyId } from "../providers/properties.ts";
import { hostKey, suggestAttachments } from "../providers/site_match.ts";
import { askAccount } from "../signals/account_check.ts";
import { attachProperty } from "../signals/connections.ts";
import { findAsset, hasAsset, listSites } from "../sites/sites.ts";
import { answerWords, KIND_WORDS, keyFault, noCredential, notAsked } from "./accounts.ts";
import type { Deps } from "./app.ts";
import { byCommandLine, type Command, command, done, notice, refused } from "./command.ts";
import { noSite } from "./sites.ts";

const propertyList = command({
  name: "property list",
  summary: "ask an account's providers for its properties",
  takes: ["<credential>"],
  about: [
    "Asks each provider of a stored account for the properties that it gives access to, and prints them as one JSON document, an array: provider, property (the provider's own id), name, time_zone, usable, asset (the site that it is attached to, by this account or another; null where none is), and suggested (a site that its name or address is like).",
    "Exit code 0 when every provider answered, 1 when one did not: then what the others told is printed, and why is said.",
  ],
  run: async (deps, { args: [id = ""], signal }) => {
    const asking = { job: "site-discovery", credential: id, by: "command", signal } as const;
    const asked = await askAccount(deps, asking);
    if (!asked.ok) return notAsked(deps, id, asked);
    const { db } = deps.store;
    const attached = new Map(
      listAttachments(db).map(({ provider, property, asset }) => [`${provider} ${property}`, asset]),
    );
    const found = asked.answers.flatMap(({ properties = [] }) => properties);
    const suggested = suggestAttachments(found, listSites(db));
    const document = found.map(({ provider, property, name, timeZone, usable }) => ({
      provider,
      property,
      name,
      time_zone: timeZone ?? null,
      usable,
      asset: attached.get(`${provider} ${property}`) ?? null,
      suggested: suggested.get(property) ?? null,
    }));
    const isWhole = asked.answers.every(({ fault }) => fault === undefined);
    return {
      exitCode: isWhole ? 0 : 1,
      stdout: terminalJson(document),
      stderr: asked.answers.flatMap(answerWords).join("\n"),
    };
  },
});

const propertyAttach = command({
  name: "property attach",
  summary: "pull a site's figures from a provider's property",
  takes: ["<asset>"],
  about: [
    "Attaches a property to a site, whose figures of that provider are pulled from it from now on; prints what was attached as one line of JSON. A site has one property of each provider. Which provider it is shows in the id: a number is of analytics, sc-domain:shop.example and https://shop.example/ are of search console, an address with an account of webmaster tools is of theirs. tower property list shows what there is.",
    "A property that the account was not seen to have is asked for once, and attached all the same, with a notice.",
  ],
  options: {
    credential: { value: "<id>", says: "the stored account that it is asked with" },
    property: { value: "<id>", says: "the provider's own id of the property" },
    replace: { says: "put it in the place of the property that the site has of this provider" },
  },
  judge: ({ options: { credential, property } }) => {
    if (credential === undefined) return "--credential is missing: tower credential list shows the ids";
    return property === undefined ? "--property is missing: tower property list shows the ids" : undefined;
  },
  run: async (deps, { args: [asset = ""], options, signal }) => {
    const { credential = "", property: text = "", replace = false } = options;
    const { db } = deps.store;
    const site = findAsset(db, asset);
    if (site === undefined) return refused(noSite(db, asset));
    const known = findCredential(db, credential);
    if (known === undefined) return refused(noCredential(deps, credential));
    const named = readPropertyId(known.kind, text);
    if (!named.ok) return refused(`--property: ${named.fault}`);
    const { provider } = named;
    const { property, notices } = await seen(deps, { ...named, credential }, signal);
    const asked = { asset, provider, credential, property, replace };
    const by = byCommandLine(deps);
    const others = listAttachments(db).filter(
      (other) => other.provider === provider && other.property === property && other.asset !== asset,
    );
    const attached = await attachProperty(deps, asked, by);
    if (!attached.ok) {
      switch (attached.why) {
        case "no_site":
          return refused(noSite(db, asset));
        case "no_credential":
          return refused(noCredential(deps, credential));
        case "other_kind":
          return refused(
            `${credential} is ${KIND_WORDS[attached.kind]}, which ${provider} is not asked with`,
          );
        case "unreadable":
          return refused(keyFault(deps) ?? FAULT_CODES.credential_unreadable.words);
        case "taken":
          return refused(
            `${asset} has ${attached.by.property} of ${provider}: nothing was changed. To put ${property} in its place, add --replace`,
          );
      }
    }
    const said = {
      attached: `${asset} has its ${provider} figures from ${property} now: they are pulled with the next run`,
      replaced: `${asset} has its ${provider} figures from ${property} from now on. What was pulled before stays.`,
      same: `${asset} has ${property} of ${provider} already: nothing is changed`,
    }[attached.did];
    return done(
      JSON.stringify({ asset, provider, credential, property }),
      [
        said,
        ...notices,
        ...(attached.tagged ? [`The account is used for ${provider} now, too.`] : []),
        ...others.map((other) => `${other.asset} has the same property: both show the same figures.`),
        ...(site.lifecycle === "retired" ? [`${asset} is retired: nothing is pulled for it.`] : []),
      ]
        .map(onOneLine)
        .join("\n"),
    );
  },
});

type Named = Readonly<Record<"property" | "credential", string>> & { readonly provider: Provider };

/** The property as the account's list has it, with what is to be said of it; where the list does not have it, it is asked for once. */
async function seen(deps: Deps, named: Named, signal: AbortSignal | undefined) {
  const { provider, property, credential } = named;
  const found = inList(deps, named);
  if (found !== undefined) return found;
  const asking = { job: "site-discovery", credential, providers: [provider], by: "command", signal } as const;
  const asked = await askAccount(deps, asking);
  const answer = asked.ok ? asked.answers[0] : undefined;
  const unrecorded = answer?.isMonitored === false ? [MONITORING_UNAVAILABLE] : [];
  if (answer === undefined || answer.fault !== undefined) {
    const why = answer?.fault === undefined ? "" : `: ${FAULT_CODES[answer.fault.code].words}`;
    const unknown = `Whether the account may see it is not known: ${provider} did not tell${why}`;
    return { property, notices: [unknown, ...unrecorded] };
  }
  const unlisted = `${provider} does not list it for this account: check the id, and that the account was added to it.`;
  const listed = inList(deps, named) ?? { property, notices: [unlisted, ...likeIt(deps, named)] };
  return { property: listed.property, notices: [...listed.notices, ...unrecorded] };
}

/** A listed property: of the very id, else one whose address differs in nothing but its writing. */
function inList({ store }: Deps, { provider, property, credential }: Named) {
  const listed = listProperties(store.db, credential).filter((one) => one.provider === provider);
  const plain = (id: string) => id.toLowerCase().replace(/\/+$/, "");
  const one =
    listed.find((known) => known.property === property) ??
    listed.find((known) => plain(known.property) === plain(property));
  if (one === undefined) return undefined;
  const notices = [
    ...(one.property === property ? [] : [`It is listed as ${one.property}, which is attached.`]),
    ...(one.usable ? [] : ["It is listed as one that cannot be used: the account is not verified for it."]),
  ];
  return { property: one.property, notices };
}

/** Listed properties of the same host: a domain property and an address are two. */
function likeIt({ store }: Deps, { provider, property, credential }: Named): string[] {
  const host = provider === "analytics" ? undefined : hostKey(property);
  const like = listProperties(store.db, credential)
    .filter((one) => host !== undefined && hostKey(one.property) === host)
    .map((one) => one.property);
  return like.length === 0 ? [] : [`It lists ${like.join(", ")}, which is another property.`];
}

const propertyDetach = command({
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
    const by = byCommandLine(deps);
    const detached = meant && (await detachProperty(deps, { asset, provider: meant.provider }, by));
    if (detached === undefined) {
      const has =
        attached.length === 0
          ? "it has none"
          : `it has ${attached.map((known) => `${known.property} (${known.provider})`).join(", ")}`;
      return refused(`${asset} has no property ${shown(provider ?? property ?? "")}: ${has}`);
    }
    return notice(
      `${asset} has no ${detached.provider} property any more (it was ${detached.property}). What was pulled stays.`,
    );
  },
});

export const PROPERTY_COMMANDS: readonly Command[] = [propertyList, propertyAttach, propertyDetach];
