/** How something was judged: in sentences, then the rule with its inputs. A flag shows it, and the page of a metric of its newest day. */

import type { RuleInputs } from "../../flags/flags.ts";
import type { Child } from "../jsx/child.ts";
import { here } from "../kit/here.ts";
import { Block } from "../kit/list.tsx";
import { type Fact, Facts, markTerms, proofOf, SECOND_ONLY } from "../kit/proof.tsx";

export function JudgedProof(props: {
  readonly sentences: readonly string[];
  readonly rule: Child;
  readonly inputs: RuleInputs | null;
  /** What the rule is about. */
  readonly about?: readonly Fact[];
  readonly note?: string | undefined;
}) {
  const { sentences } = props;
  const { facts, second } = proofOf(props.rule, props.inputs, here().now, props.about);
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
          <Facts facts={facts} marked />
        </Block>
        {second.length === 0 ? null : (
          <Block heading="Second condition" note={SECOND_ONLY}>
            <Facts facts={second} marked />
          </Block>
        )}
      </div>
    </>
  );
}
