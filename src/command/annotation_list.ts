import { EVERY_SITE, isTarget, listAnnotations } from "../annotations/mod.ts";
import { hasAsset } from "../assets/mod.ts";
import { type Command, command, refused } from "./contract.ts";
import { instantOf, JSON_OPTION, listing, minuteOf } from "./listing.ts";
import { noSite } from "./near_sites.ts";

const USUAL = 50;
const MOST = 10_000;

/** `annotation list`. */
export const annotationList: Command = command({
  name: "annotation list",
  summary: "list the timeline's entries, with their ids",
  takes: [],
  about: ["Lists the timeline's entries, newest first. Struck ones are in the list, marked. Times are UTC."],
  options: {
    asset: { value: "<id>", says: "of this site, with those of every site; * for those of every site alone" },
    limit: { value: "<number>", says: `how many at most; ${USUAL} by default` },
    json: JSON_OPTION,
  },
  judge: ({ options: { asset, limit } }) => {
    if (asset !== undefined && !isTarget(asset)) return "--asset must be a site's id, or *";
    if (limit === undefined || (/^[1-9]\d*$/.test(limit) && Number(limit) <= MOST)) return undefined;
    return `--limit must be a whole number from 1 to ${MOST}`;
  },
  run: ({ store: { db } }, { options: { asset, limit, json = false } }) => {
    const most = limit === undefined ? USUAL : Number(limit);
    const found = listAnnotations(db, { asset }, most + 1);
    if (asset !== undefined && asset !== EVERY_SITE && found.length === 0 && !hasAsset(db, asset)) {
      return refused(noSite(db, asset));
    }
    return listing(found.slice(0, most), {
      json,
      none: "no entry",
      notice: found.length > most ? `only the newest ${most} are listed: --limit takes more` : "",
      columns: [
        { head: "ID", cell: ({ id }) => id },
        { head: "AT", cell: ({ atMs }) => minuteOf(atMs) },
        { head: "SITE", cell: (entry) => entry.asset },
        { head: "KIND", cell: ({ kind }) => kind },
        { head: "REF", cell: ({ ref }) => ref },
        { head: "BY", cell: ({ postedBy }) => postedBy },
        {
          head: "STRUCK",
          cell: ({ struck }) =>
            struck === undefined
              ? ""
              : `by ${struck.by}, ${minuteOf(struck.at)}${struck.reason === null ? "" : `: ${struck.reason}`}`,
        },
      ],
      asJson: ({ id, asset: site, at, kind, ref, note, receivedAt, postedBy, struck }) => ({
        id,
        asset: site,
        at,
        kind,
        ref,
        note,
        received_at: instantOf(receivedAt),
        posted_by: postedBy,
        struck: struck === undefined ? null : { ...struck, at: instantOf(struck.at) },
      }),
    });
  },
});
