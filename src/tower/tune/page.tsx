import type { DifferenceHunk } from "../../constants/mod.ts";
import { Block } from "../component/block.tsx";
import { Callout } from "../component/callout.tsx";
import { Empty } from "../component/empty.tsx";
import { type Filled, TextField } from "../component/field.tsx";
import { Form } from "../component/form.tsx";
import { Told } from "../component/text.tsx";
import { Difference } from "../constants/difference.tsx";
import { Page } from "../layout.tsx";
import { paths } from "../paths.ts";
import type { Shell } from "../shell.ts";
import { type CodebaseHistory, CodebaseHistoryBlocks } from "./codebase_history.tsx";
import { type MetricHistory, MetricHistoryBlock } from "./metric_history.tsx";
import type { Threshold } from "./threshold.ts";

/** The flag a tuning starts from. */
export interface TunedFlag {
  readonly id: string;
  readonly message: string;
}

export interface TunePageProps {
  readonly shell: Shell;
  readonly asset: string;
  /** What is tuned: the metric's name, or null for the codebase rules. */
  readonly metric: string | null;
  readonly flag: TunedFlag | undefined;
  /** Where both forms go. */
  readonly action: string;
  readonly thresholds: readonly Threshold[];
  /** What was typed, and a sentence for each value that was refused. */
  readonly filled: Filled;
  /** What the thresholds would have raised. */
  readonly sentences: readonly string[];
  /** Undefined where nothing is stored to try them on. */
  readonly history: MetricHistory | CodebaseHistory | undefined;
  /** The change to the constants document; null while nothing is proposed. */
  readonly change: { readonly hunks: readonly DifferenceHunk[]; readonly digest: string } | null;
  /** Why nothing can be written now. */
  readonly obstacle: "broken-document" | "no-table" | null;
  /** The document changed after the difference was shown. */
  readonly hasConflict: boolean;
}

/** Thresholds of one metric, or of a site's codebase rules, tried on the stored history before they are changed. */
export function TunePage(props: TunePageProps) {
  const { shell, asset, metric, history, sentences } = props;
  const what = metric ?? "codebase rules";
  return (
    <Page
      shell={shell}
      title={`Tune ${what} of ${asset}`}
      current={props.flag === undefined ? "sites" : "flags"}
    >
      <div class="stack tight">
        <p class="crumb">
          <a href={paths.portfolio}>Sites</a> / <a href={paths.site(asset)}>{asset}</a> /{" "}
          <a href={paths.siteSettings(asset)}>settings</a>
        </p>
        <h1 class="wrap">
          Tune <Told>{what}</Told>
        </h1>
        {props.flag === undefined ? null : (
          <p class="note">
            Because of the flag{" "}
            <a href={`${paths.flags}/${encodeURIComponent(props.flag.id)}`}>
              <Told>{props.flag.message}</Told>
            </a>
          </p>
        )}
      </div>
      <Obstacle obstacle={props.obstacle} />
      {props.hasConflict ? (
        <Callout tone="stale" role="alert">
          <p>
            <b>The constants document changed meanwhile.</b> Nothing was saved. The change below is made on
            the document as it is now.
          </p>
        </Callout>
      ) : null}
      {sentences.map((sentence) => (
        <p class="lede" role="status">
          {sentence}
        </p>
      ))}
      <div class="halves">
        <div class="stack">
          <ThresholdForm props={props} />
          <Change props={props} />
        </div>
        <div class="stack">
          {history === undefined ? (
            <Empty heading="Nothing stored to try it on">
              <p>
                {metric === null
                  ? "This site has sent no codebase report yet."
                  : "This site has sent no daily count of this metric yet."}
              </p>
            </Empty>
          ) : history.kind === "metric" ? (
            <MetricHistoryBlock history={history} now={shell.now} />
          ) : (
            <CodebaseHistoryBlocks history={history} now={shell.now} />
          )}
        </div>
      </div>
    </Page>
  );
}

function Obstacle({ obstacle }: { readonly obstacle: TunePageProps["obstacle"] }) {
  if (obstacle === null) return null;
  return (
    <Callout tone="failing" role="alert">
      {obstacle === "broken-document" ? (
        <p>
          <b>The constants document on disk is not in effect,</b> so nothing can be written into it.{" "}
          <a href={paths.constants}>Mend it first.</a>
        </p>
      ) : (
        <p>
          <b>A metric of this name cannot have thresholds of its own,</b> because it is named like a key of
          the rules. <a href={paths.constants}>Its site's thresholds</a> hold for it.
        </p>
      )}
    </Callout>
  );
}

function ThresholdForm({ props }: { readonly props: TunePageProps }) {
  const { thresholds, filled, action } = props;
  return (
    <Block heading="Thresholds" note="an empty field takes the wider value">
      <form method="get" action={action} class="stack form" autocomplete="off">
        {thresholds.map((threshold) => (
          <TextField
            name={threshold.field}
            label={threshold.label}
            filled={filled}
            help={
              <>
                <span class="mono">{threshold.name}</span>, {threshold.unit}. {originWords(threshold)}
              </>
            }
            placeholder={String(threshold.wider)}
            maxlength={40}
            inputmode={threshold.field === "dispersion" ? undefined : "decimal"}
            list={threshold.field === "dispersion" ? "dispersions" : undefined}
          />
        ))}
        <datalist id="dispersions">
          <option value="measured">measured</option>
          <option value="1">1, the bare Poisson test</option>
        </datalist>
        <div class="row">
          <button class={props.change === null ? "btn primary" : "btn"}>
            Try on the stored {props.metric === null ? "reports" : "days"}
          </button>
          {props.change === null ? null : (
            <a class="btn" href={action}>
              Discard
            </a>
          )}
        </div>
      </form>
    </Block>
  );
}

function originWords({ inEffect, wider, isOverridden }: Threshold): string {
  return isOverridden ? `In effect: ${inEffect}, its own; ${wider} without it.` : `In effect: ${inEffect}.`;
}

function Change({ props }: { readonly props: TunePageProps }) {
  const { change, filled, action } = props;
  if (change === null) return null;
  return (
    <Block id="change" heading="Change to the constants document">
      <Difference hunks={change.hunks} caption="Change to the constants document" />
      <Form
        action={action}
        class="stack tight"
        hidden={[...Object.entries(filled.values), ["digest", change.digest]]}
      >
        <div class="row">
          <button class="btn primary">Save these thresholds</button>
          <span class="note">
            They hold from the next reading on. Open flags keep the thresholds they were raised with.
          </span>
        </div>
      </Form>
    </Block>
  );
}
