import * as v from "valibot";
import { rule, ruleMessage } from "./contract.ts";

/** The identifier of a monitored site. */
export type AssetId = string;

const SHAPE = /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/;

/** Whether a text has the shape of a site identifier. */
export function isAssetId(text: string): text is AssetId {
  return SHAPE.test(text);
}

/** The shape, for the API's description. */
export const ASSET_ID_PATTERN = SHAPE.source;

/** A site identifier in a contract. */
export const AssetIdSchema = v.pipe(
  v.string(ruleMessage("type", "must be a string")),
  rule<string>(
    "asset-id",
    isAssetId,
    "must start with a letter or digit and hold at most 128 letters, digits, dots, underscores and hyphens",
  ),
  v.metadata({ pattern: ASSET_ID_PATTERN }),
);
