import { Block } from "../component/block.tsx";
import { Cell, Row, RowHead, Table } from "../component/table.tsx";
import { Told, Unseen } from "../component/text.tsx";
import { countOf } from "../format.ts";
import { paths } from "../paths.ts";
import type { Override } from "./overrides.ts";

/** Thresholds of the site that differ from the document's, and the ways to tune others. */
export function SiteThresholds({
  asset,
  overrides,
  metrics,
}: {
  readonly asset: string;
  readonly overrides: readonly Override[];
  readonly metrics: readonly string[];
}) {
  return (
    <Block
      heading="Own thresholds"
      note="where this site differs from the constants document"
      tools={<a href={paths.constants}>Constants</a>}
    >
      {overrides.length === 0 ? (
        <p>None: the thresholds of the constants document hold for this site.</p>
      ) : (
        <Table
          fold
          caption="Own thresholds"
          columns={[
            { words: "Threshold" },
            { words: "Here", numeric: true },
            { words: "Otherwise", numeric: true },
            { words: "Action", unseen: true },
          ]}
        >
          {overrides.map(({ metric, name, value, wider, href }) => (
            <Row>
              <RowHead>
                <span class="mono wrap">{name}</span>
                {metric === null ? null : (
                  <small class="block-sm">
                    for <Told class="wrap">{metric}</Told>
                  </small>
                )}
              </RowHead>
              <Cell label="Here" numeric>
                {value}
              </Cell>
              <Cell label="Otherwise" numeric>
                {wider}
              </Cell>
              <Cell class="act">
                <a href={href}>
                  {href === paths.constants ? "Edit" : "Tune"}
                  <Unseen>
                    {" "}
                    {name}
                    {metric === null ? "" : ` of ${metric}`}
                  </Unseen>
                </a>
              </Cell>
            </Row>
          ))}
        </Table>
      )}
      <details class="items">
        <summary>Tune the codebase rules or one of {countOf(metrics.length, "metric")}</summary>
        <ul>
          <li>
            <a href={paths.tuneCodebase(asset)}>Codebase rules</a>
          </li>
          {metrics.map((metric) => (
            <li>
              <a href={paths.tuneMetric(asset, metric)}>
                <Told class="wrap">{metric}</Told>
              </a>
            </li>
          ))}
        </ul>
      </details>
    </Block>
  );
}
