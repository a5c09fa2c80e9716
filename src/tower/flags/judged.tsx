/** How something was judged: in sentences, then the rule with its inputs. A flag shows it, and the page of a metric of its newest day. */

import type { RuleInputs } from "../../flags/flags.ts";
import type { Child } from "../jsx/child.ts";
import { here } from "../kit/here.ts";
import { Block } from "../kit/list.tsx";
import { type Fact, Facts, inputFacts, markTerms, secondFacts } from "../kit/proof.tsx";

export function JudgedProof(props: {
  readonly sentences: readonly string[];
  readonly rule: Child;
  readonly inputs: RuleInputs | null;
  /** What the rule is about. */
  readonly about?: readonly Fact[];
  readonly note?: string | undefined;
}) {
  const { sentences, inputs, about = [] } = props;
  const { now } = here();
  const second = inputs === null ? [] : secondFacts(inputs, now);
  return (
    <>
      {sentences.length === 0 ? null : (
        <div class="stack tight">
          {markTerms(sentences).map((sentence) => (
            <p>{sentence}</p>
          ))}
        </div>
      )}
      <div class="halves quarters">
        <Block heading="Rule and inputs" note={props.note}>
          <Facts
            facts={[["Rule", props.rule], ...about, ...(inputs === null ? [] : inputFacts(inputs, now))]}
            marked
          />
        </Block>
        {second.length === 0 ? null : (
          <Block heading="Second condition" note="can only clear the flag, never raise it">
            <Facts facts={second} marked />
          </Block>
        )}
      </div>
    </>
  );
}
