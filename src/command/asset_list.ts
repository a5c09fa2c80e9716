import { listAllAssets } from "../assets/mod.ts";
import { listFreshness } from "../pulse/mod.ts";
import { type Command, command } from "./contract.ts";
import { instantOf, JSON_OPTION, listing, minuteOf } from "./listing.ts";

/** `asset list`. */
export const assetList: Command = command({
  name: "asset list",
  summary: "list the sites",
  takes: [],
  about: ["Lists the sites of the portfolio, with when each last sent a nightly report (UTC)."],
  options: { json: JSON_OPTION },
  run: ({ store: { db }, clock }, { options: { json = false } }) => {
    const heard = new Map(listFreshness(db, clock.now()).map(({ asset, receivedAt }) => [asset, receivedAt]));
    return listing(listAllAssets(db), {
      json,
      none: "no site yet: tower asset add <id>",
      columns: [
        { head: "ID", cell: ({ id }) => id },
        { head: "STATE", cell: ({ lifecycle }) => lifecycle },
        { head: "GROUP", cell: ({ group }) => group ?? "" },
        { head: "LAST REPORT", cell: ({ id }) => (heard.has(id) ? minuteOf(heard.get(id)) : "never") },
        { head: "ADDED", cell: ({ addedAt }) => minuteOf(addedAt) },
        { head: "BY", cell: ({ addedBy }) => addedBy },
        { head: "ADDRESS", cell: ({ url }) => url ?? "" },
      ],
      asJson: ({ id, url, lifecycle, group, families, addedAt, addedBy }) => ({
        id,
        url,
        lifecycle,
        group,
        families,
        added_at: instantOf(addedAt),
        added_by: addedBy,
        last_report_at: instantOf(heard.get(id)),
      }),
    });
  },
});
