import { openIn } from "../../flags/mod.ts";
import { Block } from "../component/block.tsx";
import { chanceMarkWords } from "../component/chance_mark.ts";
import { Glyph } from "../component/glyph.tsx";
import { FlagTitle, type ListedFlag } from "../component/listed_flags.tsx";
import { snoozedWords } from "../component/severity.tsx";
import type { SiteHead } from "../component/site_header.tsx";
import { SilentNote } from "../component/site_state.tsx";
import { Age } from "../component/time.tsx";
import { countOf, formatCount } from "../format.ts";
import { paths } from "../paths.ts";

/** The worst open flags, each a short title that leads to its proof. The counts are those of the site's head. */
export function OpenFlags(props: {
  readonly site: SiteHead;
  readonly flags: readonly ListedFlag[];
  readonly now: number;
}) {
  const { site, flags, now } = props;
  const open = openIn({ open: site.openFlags });
  const more = open > flags.length;
  const shown = more ? `the ${formatCount(flags.length)} worst of ` : "";
  return (
    <Block
      heading="Open flags"
      note={open === 0 ? undefined : `${shown}${formatCount(open)}${snoozedWords(site.snoozed, open)}`}
      tools={
        <a href={paths.siteFlags(site.asset)}>{more ? `All ${formatCount(open)} flags` : "All flags"}</a>
      }
    >
      <SilentNote site={site} now={now} />
      {flags.length === 0 ? (
        site.silenceFlag === undefined && <p>No flag is open{snoozedWords(site.snoozed, open)}.</p>
      ) : (
        <ul class="list raised short">
          {flags.map((flag) => (
            <Item flag={flag} now={now} />
          ))}
        </ul>
      )}
    </Block>
  );
}

function Item({ flag, now }: { readonly flag: ListedFlag; readonly now: number }) {
  return (
    <li id={`listed-${flag.thing ?? flag.id}`} data-sev={flag.severity}>
      <Glyph name={`f-${flag.severity}`} />
      <div>
        <FlagTitle flag={flag} />
        <p class="note">
          {flag.kind}, raised <Age at={flag.heldSince ?? flag.raisedAt} now={now} />
          {flag.heldReports === undefined || flag.heldReports === 1
            ? null
            : `, ${countOf(flag.heldReports, flag.heldBy ?? "report")}`}
          {chanceMarkWords(flag.chance)}
        </p>
      </div>
    </li>
  );
}
