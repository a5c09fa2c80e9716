/** What thresholds would have raised over what is stored, beside those in effect. */
import { Block } from "../component/block.tsx";
import { Empty } from "../component/empty.tsx";
import { Cell, Row, RowHead, Table } from "../component/table.tsx";
import { Told } from "../component/text.tsx";
import { Day } from "../component/time.tsx";
import type { History, RaisedList } from "./replay.ts";

/** The figures of both, and the days that raised something in either. */
export function HistoryBlocks({ history, now }: { readonly history: History; readonly now: number }) {
  const { heading, columns } = history;
  const [head, ...figures] = columns;
  return (
    <>
      <Block
        heading={heading}
        note={
          <>
            <Day day={history.from} now={now} /> to <Day day={history.to} now={now} />, {history.note}
          </>
        }
      >
        <Table
          caption={heading}
          columns={[{ words: head }, ...figures.map((words) => ({ words, numeric: true }))]}
        >
          {history.figures.map(([name, ...values]) => (
            <Row>
              <RowHead {...(history.hasIds === true && { class: "mono" })}>{name}</RowHead>
              {values.map((value) => (
                <Cell numeric>{value}</Cell>
              ))}
            </Row>
          ))}
        </Table>
        {history.remark === undefined ? null : <p class="note">{history.remark}</p>}
      </Block>
      {history.lists.map((list) => (
        <RaisedDays list={list} hasProposal={history.hasProposal} now={now} />
      ))}
    </>
  );
}

function RaisedDays(props: {
  readonly list: RaisedList;
  readonly hasProposal: boolean;
  readonly now: number;
}) {
  const { list, hasProposal } = props;
  const isTold = list.days.some(({ said }) => said !== undefined);
  const sides = [
    ["In effect", "inEffect"],
    ["Proposed", "proposed"],
  ] as const;
  const shown = hasProposal ? sides : sides.slice(0, 1);
  return (
    <Block heading={list.heading} note={list.note}>
      {list.days.length === 0 ? (
        <Empty heading="No day would have raised a flag">
          <p>Neither with the thresholds in effect{hasProposal ? " nor the proposed ones" : ""}.</p>
        </Empty>
      ) : (
        <Table
          fold
          caption={list.heading}
          columns={[
            { words: list.day },
            ...(isTold ? [{ words: "Alert" }] : []),
            ...shown.map(([words]) => ({ words })),
          ]}
        >
          {list.days.map((day) => (
            <Row>
              <RowHead class="nowrap">
                <Day day={day.day} now={props.now} />
              </RowHead>
              {isTold ? (
                <Cell class="all">
                  <Told>{day.said ?? ""}</Told>
                </Cell>
              ) : null}
              {shown.map(([words, side]) => (
                <Cell label={words}>{day[side] ?? <span class="dim">{list.nothing}</span>}</Cell>
              ))}
            </Row>
          ))}
        </Table>
      )}
    </Block>
  );
}
