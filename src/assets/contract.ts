import * as v from "valibot";
import { AssetIdSchema } from "../lib/asset_id.ts";
import { hasControl, rule, ruleMessage, text } from "../lib/contract.ts";

/** Where a site stands: monitored, not yet public, or no longer monitored. */
export const LIFECYCLES = ["live", "pre-launch", "retired"] as const;
export type Lifecycle = (typeof LIFECYCLES)[number];

/** The storage kinds a site may read a metric family from. */
export const STORAGE_KINDS = ["d1", "analytics-engine", "r2", "kv"] as const;
export type StorageKind = (typeof STORAGE_KINDS)[number];

/** A metric family a site declares. */
export interface Family {
  readonly family: string;
  readonly storage: StorageKind;
}

/** A site of the portfolio. */
export interface Asset {
  readonly id: string;
  readonly url: string | null;
  readonly lifecycle: Lifecycle;
  /** The group that it is in, such as a customer or a brand; null where it is in none. */
  readonly group: string | null;
  readonly families: readonly Family[];
  /** Milliseconds since the epoch. */
  readonly addedAt: number;
  readonly addedBy: string;
  /** When it became live after it had been something else, in milliseconds since the epoch. */
  readonly wentLiveAt?: number;
}

function isSiteAddress(value: string): boolean {
  if (!URL.canParse(value)) return false;
  const url = new URL(value);
  return /^https?:$/.test(url.protocol) && url.username === "" && url.password === "";
}

/** The longest name of a group, in code points. */
export const LONGEST_GROUP = 200;

/** A group's name, without the space around it, and in one form where a letter can be written in several. */
const GroupSchema = v.pipe(
  text(LONGEST_GROUP),
  rule<string>(
    "group",
    (name) => name.trim() !== "" && !hasControl(name),
    "must be a name without control characters",
  ),
  v.transform((name) => name.trim().normalize("NFC")),
);

/** What an operator says of a new site. */
export const NewAssetSchema = v.object({
  id: AssetIdSchema,
  url: v.nullable(
    v.pipe(
      text(2_048),
      rule<string>(
        "url",
        isSiteAddress,
        "must be an http or https address, for example https://shop.example",
      ),
    ),
  ),
  lifecycle: v.picklist(LIFECYCLES, ruleMessage("enum", `must be one of ${LIFECYCLES.join(", ")}`)),
  group: v.exactOptional(v.nullable(GroupSchema)),
  families: v.array(
    v.object({
      family: v.pipe(
        text(200),
        rule<string>(
          "family",
          (name) => name !== "" && !hasControl(name),
          "must be a name without control characters",
        ),
      ),
      storage: v.picklist(STORAGE_KINDS, ruleMessage("enum", `must be one of ${STORAGE_KINDS.join(", ")}`)),
    }),
  ),
});

export type NewAsset = v.InferOutput<typeof NewAssetSchema>;

/** What an operator says of a site that may be there: all but its identifier may be left out. */
export const AskedAssetSchema = v.object({
  id: NewAssetSchema.entries.id,
  url: v.exactOptional(NewAssetSchema.entries.url),
  lifecycle: v.exactOptional(NewAssetSchema.entries.lifecycle),
  group: NewAssetSchema.entries.group,
  families: v.exactOptional(NewAssetSchema.entries.families),
});

export type AskedAsset = v.InferOutput<typeof AskedAssetSchema>;
