/** What thresholds would have raised over what is stored, beside those in effect. */
import { Block } from "../component/block.tsx";
import { Empty } from "../component/empty.tsx";
import { type ColumnOf, DataTable } from "../component/table.tsx";
import { Marked } from "../component/term.tsx";
import { Told } from "../component/text.tsx";
import { Day } from "../component/time.tsx";
import type { History, RaisedDay, RaisedList } from "./replay.ts";

/** The figures of both, and the days that raised something in either. */
export function HistoryBlocks({ history, now }: { readonly history: History; readonly now: number }) {
  const { heading, columns, hasProposal } = history;
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
        <DataTable
          caption={heading}
          items={history.figures}
          columns={[
            {
              words: head,
              names: true,
              class: history.headClass,
              cell: ([name = ""]) => <Marked>{name}</Marked>,
            },
            ...figures.map((words, place): ColumnOf<readonly string[]> => {
              return { words, numeric: true, cell: (row) => row[place + 1] };
            }),
          ]}
        />
        {history.remark === undefined ? null : (
          <p class="note">
            <Marked>{history.remark}</Marked>
          </p>
        )}
      </Block>
      {history.lists.map((list) => (
        <Block heading={list.heading} note={<Marked>{list.note}</Marked>}>
          <DataTable
            fold
            caption={list.heading}
            items={list.days}
            columns={columnsOf(list, hasProposal, now)}
            empty={
              <Empty heading="No day would have raised a flag">
                <p>Neither with the thresholds in effect{hasProposal ? " nor the proposed ones" : ""}.</p>
              </Empty>
            }
          />
        </Block>
      ))}
    </>
  );
}

function columnsOf(list: RaisedList, hasProposal: boolean, now: number): (ColumnOf<RaisedDay> | null)[] {
  const nothing = <span class="dim">{list.nothing}</span>;
  const isTold = list.days.some(({ said }) => said !== undefined);
  return [
    { words: list.day, names: true, class: "nowrap", cell: ({ day }) => <Day day={day} now={now} /> },
    isTold ? { words: "Flag", class: "all", cell: ({ said = "" }) => <Told>{said}</Told> } : null,
    { words: "In effect", label: true, cell: ({ inEffect }) => inEffect ?? nothing },
    hasProposal ? { words: "Proposed", label: true, cell: ({ proposed }) => proposed ?? nothing } : null,
  ];
}
