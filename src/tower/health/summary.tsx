import { HEALTH_STATES } from "../../health/contract.ts";
import type { HealthView } from "../../integrations/mod.ts";
import { Block } from "../component/block.tsx";
import { Glyph } from "../component/glyph.tsx";
import { STATE_WORDS } from "../component/state.tsx";
import { formatCount } from "../format.ts";
import { integrationsHref } from "../integrations/query.ts";

/** How many integrations are in which of the nine states, the worst first; each leads to them. */
export function Summary({ summary }: Pick<HealthView, "summary">) {
  const worst = HEALTH_STATES.find((state) => summary[state] > 0);
  return (
    <Block
      id="summary"
      heading="Integrations by state"
      note={worst === undefined ? "none is set up" : `the worst state is ${STATE_WORDS[worst]}`}
    >
      <dl class="figures">
        {HEALTH_STATES.map((state) => {
          const isNone = summary[state] === 0;
          return (
            <div>
              <dt>{STATE_WORDS[state]}</dt>
              <dd>
                <a
                  class={isNone ? "state dim" : "state"}
                  data-state={isNone ? undefined : state}
                  href={integrationsHref({ state })}
                >
                  <Glyph name={`s-${state}`} />
                  {formatCount(summary[state])}
                </a>
              </dd>
            </div>
          );
        })}
      </dl>
    </Block>
  );
}
