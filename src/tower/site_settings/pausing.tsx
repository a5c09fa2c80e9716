import type { Lifecycle } from "../../assets/contract.ts";
import type { Pause } from "../../health/mod.ts";
import { actorWords } from "../component/actor_words.ts";
import { Block } from "../component/block.tsx";
import { Told } from "../component/text.tsx";
import { Moment } from "../component/time.tsx";
import { PauseForm, ResumeForm } from "../integrations/acts.tsx";
import { paths } from "../paths.ts";

/** What of a site is paused, and its pause as a whole. */
export interface SitePausing {
  /** The pause of all of it; undefined where it is not paused as a whole. */
  readonly whole: Pause | undefined;
  /** Whether it can be paused: not Tower's own site. */
  readonly isPausable: boolean;
}

/** Pauses all of a site, and resumes it. */
export function SitePause(props: {
  readonly asset: string;
  readonly lifecycle: Lifecycle;
  readonly pausing: SitePausing;
  readonly now: number;
}) {
  const { asset, lifecycle, pausing, now } = props;
  const { whole } = pausing;
  if (!pausing.isPausable || lifecycle === "retired") return null;
  const on = { capability: "", asset, back: paths.siteSettings(asset) };
  return (
    <Block heading="Pause this site" id="pause" tools={<a href={paths.pauses}>What is paused</a>}>
      {whole === undefined ? (
        <>
          <p>For the time in which it is moved or rebuilt.</p>
          <PauseForm {...on} />
        </>
      ) : (
        <>
          <p>
            It is paused since <Moment at={whole.pausedAt} now={now} /> by{" "}
            <Told class="wrap">{actorWords(whole.pausedBy)}</Told>,{" "}
            {whole.until === null ? (
              "until it is resumed"
            ) : (
              <>
                until <Moment at={whole.until} now={now} />
              </>
            )}
            .
          </p>
          <ResumeForm {...on} />
        </>
      )}
    </Block>
  );
}
