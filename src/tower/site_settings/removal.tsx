import type { RemovalBar } from "../../assets/mod.ts";
import { barWords } from "../../removal/mod.ts";
import { Block } from "../component/block.tsx";
import { SureAct } from "../component/form.tsx";
import { paths } from "../paths.ts";

/** A site that was a mistake can be removed as long as nothing is stored of it; else why it stays, and what to do instead. */
export function SiteRemoval({
  asset,
  bar,
}: {
  readonly asset: string;
  readonly bar: RemovalBar | undefined;
}) {
  return (
    <Block heading="Remove this site" id="removal">
      {bar === undefined ? (
        <>
          <p>Nothing was ever reported for it. If it was a mistake, it can be taken out.</p>
          <SureAct
            action={paths.removeSite(asset)}
            words="Remove"
            on={`the site ${asset}`}
            consequence="Its tokens are refused at once; what stands on the timeline for it stays."
            sure="Remove it"
          />
        </>
      ) : (
        <p>
          {barWords(bar, asset)}
          {bar === "stored" ? " To stop monitoring it, set its lifecycle to retired." : null}
        </p>
      )}
    </Block>
  );
}
