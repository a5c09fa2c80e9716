/** Commands on the properties of providers that sites have their figures from. */

import { shown, terminalJson } from "../base/command_line.ts";
import { readContract } from "../base/contract.ts";
import { didYouMean, nearest, onOneLine } from "../base/text.ts";
import { MONITORING_UNAVAILABLE } from "../health/capability_words.ts";
import { PROVIDERS, type Provider } from "../providers/adapter.ts";
import { findCredential } from "../providers/credentials.ts";
import { FAULT_CODES } from "../providers/faults.ts";
import {
  listAttachments,
  listProperties,
  readPropertyId,
  suggestAttachments,
} from "../providers/properties.ts";
import { askAccount } from "../signals/account_check.ts";
import { attachProperty, disconnect } from "../signals/credential_changes.ts";
import { connectionsOf } from "../signals/matched_site.ts";
import {
  addPanel,
  lastRuns,
  listPanels,
  monthlyPrice,
  NewPanelSchema,
  priceOf,
  removePanels,
  USUAL,
  usd,
} from "../signals/panels.ts";
import { findAsset, hasAsset, listSites } from "../sites/sites.ts";
import { answerWords, keyFault, noCredential, notAsked } from "./accounts.ts";
import type { Deps } from "./app.ts";
import {
  byCommandLine,
  type Command,
  command,
  done,
  instantOf,
  listCommand,
  notice,
  refused,
  unknownName,
} from "./command.ts";
import { noSite } from "./sites.ts";

const propertyList = command({
  name: "property list",
  summary: "list the properties of a credential",
  takes: ["<credential>"],
  about: [
    "Reads which properties a credential has access to, and prints them as one JSON array: provider, property (the provider's own id), name, time_zone, usable, asset (the site it is attached to, or null) and suggested (a site with a similar name or address).",
    "Exit code 0 when every provider answered, 1 when one did not; the others' properties are printed all the same.",
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
  summary: "attach a provider's property to a site",
  takes: ["<asset>"],
  about: [
    "Attaches a property to a site, so that the site's data is read from it; prints the attachment as one line of JSON. A site has one property of each provider. The id shows the provider: a number is an analytics property; sc-domain:shop.example and https://shop.example/ are search console properties; an address with a webmaster tools credential is one of webmaster tools. tower property list shows what there is.",
    "A property that the credential does not list is attached all the same, with a warning.",
  ],
  options: {
    credential: { value: "<id>", says: "the credential that it is read with" },
    property: { value: "<id>", says: "the provider's own id of the property" },
    replace: { says: "replace the property that the site has of this provider" },
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
        // Not reached: the provider is the one of the credential's kind, which never changes.
        case "other_kind":
        case "no_credential":
          return refused(noCredential(deps, credential));
        case "unreadable":
          return refused(keyFault(deps) ?? FAULT_CODES.credential_unreadable.words);
        case "taken":
          return refused(
            `${asset} has ${attached.by.property} of ${provider}: nothing was changed. To put ${property} in its place, add --replace`,
          );
      }
    }
    const said = {
      attached: `${property} is attached to ${asset} for ${provider}. The next run reads it.`,
      replaced: `${asset} now has ${property} for ${provider}. Stored data stays.`,
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
    const unknown = `It could not be checked whether the account may see it: ${provider} gave no list${why}`;
    return { property, notices: [unknown, ...unrecorded] };
  }
  const unlisted = `${provider} does not list it for this account: check the id, and that the account was added to it.`;
  const listed = inList(deps, named) ?? { property, notices: [unlisted] };
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

const propertyDetach = command({
  name: "property detach",
  summary: "detach a provider's property from a site",
  takes: ["<asset>"],
  about: ["Detaches a provider's property from a site: no new data is read from it. Stored data stays."],
  options: {
    provider: { value: "<provider>", says: `the provider: ${PROVIDERS.join(", ")}` },
    property: { value: "<id>", says: "or the property, by the provider's own id" },
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
    const by = byCommandLine(deps);
    const connected = connectionsOf(db, asset, by.now);
    const meant = connected.find((known) => known.provider === provider || known.property === property);
    const detached = meant && (await disconnect(deps, { asset, provider: meant.provider }, by));
    if (detached === undefined) {
      const has =
        connected.length === 0
          ? "it has none"
          : `it has ${connected.map((known) => `${known.property} (${known.provider})`).join(", ")}`;
      return refused(`${asset} has no property ${shown(provider ?? property ?? "")}: ${has}`);
    }
    return notice(
      `${detached.property} is detached from ${asset} for ${detached.provider}. Stored data stays.`,
    );
  },
});

export const PROPERTY_COMMANDS: readonly Command[] = [propertyList, propertyAttach, propertyDetach];

// Commands on search result panels.

const panelAdd = command({
  name: "panel add",
  summary: "add a search panel: a site's position for a keyword",
  takes: ["<asset>"],
  about: [
    "Adds a panel: it looks for the site in Google's results for one keyword, place, language and device. Each run costs money at DataForSEO (tower credential add serp). Prints the panel's id and the highest price of a run and of 30 days in USD, as one line of JSON.",
    "daily_budget under [panels] of the constants limits what all panels cost in a day.",
  ],
  options: {
    keyword: { value: "<text>", says: "the keyword to search for" },
    location: { value: "<code>", says: "DataForSEO's code of the place, such as 2840 (United States)" },
    language: { value: "<code>", says: `its language, such as de; ${USUAL.language} if left out` },
    device: { value: "<desktop|mobile>", says: `${USUAL.device} if left out` },
    depth: { value: "<10..100>", says: `how many results are checked; ${USUAL.depth} if left out` },
    every: { value: "<days>", says: `days between two runs; ${USUAL.every} if left out` },
  },
  judge: ({ args: [asset = ""], options }) => {
    const judged = readContract(NewPanelSchema, { keyword: "", location: "", ...USUAL, ...options, asset });
    if (judged.ok) return judged.value;
    const named = (pointer: string) => (pointer === "/asset" ? "<asset>" : `--${pointer.slice(1)}`);
    return judged.errors.map(({ pointer, message }) => `${named(pointer)} ${message}`).join("; ");
  },
  run: async (deps, { read: value }) => {
    if (!hasAsset(deps.store.db, value.asset)) return refused(noSite(deps.store.db, value.asset));
    const added = await addPanel(deps, value, byCommandLine(deps));
    if (typeof added === "string") return refused(added);
    const [price_per_run, price_in_30_days] = [usd(priceOf(added.depth)), usd(monthlyPrice(added))];
    return done(JSON.stringify({ id: added.id, price_per_run, price_in_30_days, currency: "USD" }));
  },
});

const panelList = listCommand({
  name: "panel list",
  summary: "list the search panels",
  about: ["Lists every panel with its last result."],
  none: "There is no panel. To add one: tower panel add <asset> --keyword … --location …",
  rows: ({ store: { db } }) => {
    const runs = lastRuns(db);
    return listPanels(db).map(({ created_at, removed_at: _, ...panel }) => {
      const last = runs.get(panel.id);
      return {
        ...panel,
        created_at: instantOf(created_at),
        last_run_at: instantOf(last?.run.asked_at),
        last_outcome: last === undefined ? null : (last.result?.outcome ?? "failed"),
        last_position: last?.result?.position ?? null,
      };
    });
  },
  columns: [
    "id",
    "asset",
    "keyword",
    "location",
    "language",
    "device",
    "every",
    "last_run_at",
    "last_outcome",
    "last_position",
  ],
});

const panelRemove = command({
  name: "panel remove",
  summary: "remove a search panel",
  takes: ["<id>"],
  about: ["Removes a panel. Its results and costs stay."],
  run: async ({ store, writer, clock }, { args: [id = ""] }) => {
    const by = byCommandLine({ clock });
    const panels = listPanels(store.db);
    const known = panels.filter((panel) => panel.id === id);
    await writer.write((tx) => removePanels(tx, known, by));
    if (known.length > 0) return notice(`panel ${id} is removed; its results stay`);
    const ids = panels.map((panel) => panel.id);
    return refused(`${unknownName("panel", id, ids)}: tower panel list shows them`);
  },
});

export const PANEL_COMMANDS: readonly Command[] = [panelAdd, panelList, panelRemove];
