/** The common problems of setting up an account, each with what to do. */

import type { AccountProvider } from "./adapter.ts";

export interface Trap {
  readonly id:
    | "account_not_added"
    | "api_disabled"
    | "domain_or_prefix"
    | "dimension_unregistered"
    | "api_password"
    | "fresh_key"
    | "unverified";
  readonly providers: readonly AccountProvider[];
  /** What is so. */
  readonly says: string;
  /** What to do about it. */
  readonly action: string;
  /** Codes of the faults (`FAULT_CODES`) that it is the usual reason of. */
  readonly codes: readonly string[];
}

export const TRAPS: readonly Trap[] = [
  {
    id: "account_not_added",
    providers: ["analytics"],
    says: "A new service account sees no property.",
    action:
      "Add its address (client_email in the file) to each property as a viewer: Admin, Property access management.",
    codes: ["no_property", "property_denied"],
  },
  {
    id: "account_not_added",
    providers: ["search-console"],
    says: "A new service account sees no property.",
    action:
      "Add its address (client_email in the file) to each property as a user: Settings, Users and permissions. Restricted is enough.",
    codes: ["no_property", "property_denied"],
  },
  {
    id: "api_disabled",
    providers: ["analytics", "search-console"],
    says: "The APIs of a new project are off.",
    action:
      "Enable the Google Analytics Data API, Google Analytics Admin API and Google Search Console API. Then wait a few minutes.",
    codes: ["api_disabled"],
  },
  {
    id: "domain_or_prefix",
    providers: ["search-console"],
    says: "sc-domain:shop.example and https://shop.example/ are two properties with separate users.",
    action: "Attach the one that the account was added to, exactly as it is listed.",
    codes: ["property_denied", "not_a_site"],
  },
  {
    id: "unverified",
    providers: ["search-console"],
    says: "An unverified user sees a property in the list, but gets no data.",
    action: "Have an owner of the property add the account as a user.",
    codes: ["property_denied"],
  },
  {
    id: "dimension_unregistered",
    providers: ["analytics"],
    says: "Event parameters need to be registered as custom dimensions.",
    action:
      "Register error_message and error_source with the scope Event: Admin, Custom definitions. Values come after one or two days.",
    codes: ["analytics_custom_dimension_unregistered"],
  },
  {
    id: "fresh_key",
    providers: ["webmaster-tools"],
    says: "A new key may be refused for about 30 minutes.",
    action: "Wait half an hour, and test again.",
    codes: ["key_refused"],
  },
  {
    id: "api_password",
    providers: ["serp"],
    says: "DataForSEO has two passwords.",
    action: "Use the API password (API Access in its dashboard), not the one of the web site.",
    codes: ["signed_out"],
  },
  {
    id: "unverified",
    providers: ["webmaster-tools"],
    says: "A site that is not verified in webmaster tools is listed without data.",
    action: "Verify it there, under the user whose key this is.",
    codes: ["no_property", "property_denied"],
  },
];

/** What to know before an account is used for a provider. */
export function trapsOf(provider: AccountProvider): readonly Trap[] {
  return TRAPS.filter(({ providers }) => providers.includes(provider));
}

/** What is most likely wrong where a provider's answer came to this code of a fault. */
export function trapsBehind(code: string, provider: AccountProvider): readonly Trap[] {
  return trapsOf(provider).filter(({ codes }) => codes.includes(code));
}
