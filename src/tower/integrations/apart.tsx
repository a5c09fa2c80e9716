/** What is kept apart from the sites' matrix: it is asked for by hand or while somebody looks, or concerns no site. */
import type { CapabilityView, TargetView } from "../../integrations/mod.ts";
import { Block } from "../component/block.tsx";
import { StateMark } from "../component/state.tsx";
import { DataTable } from "../component/table.tsx";
import { Told } from "../component/text.tsx";
import { DateOf } from "../component/time.tsx";
import { AccountLink } from "./account_link.tsx";
import { type ActGround, ActionOf } from "./acts_of.tsx";
import { Cause } from "./cause.tsx";
import type { Sender } from "./names.ts";
import { proofWords } from "./proof_words.ts";
import { capabilityId, SiteLink } from "./site_link.tsx";

/** Most rows of one table. */
const MOST = 50;

interface Row {
  readonly of: CapabilityView;
  readonly target: TargetView;
}

interface ApartProps {
  readonly capabilities: readonly CapabilityView[];
  readonly ground: ActGround;
}

/** Checks that an operator asks for: what they say of an account is evidence of the account alone. */
export function ConnectionChecks({ capabilities, ground }: ApartProps) {
  return (
    <Apart
      id="checks"
      heading="Connection checks"
      note="kept apart from production reads: a passed check makes nothing green"
      rows={rowsOf(capabilities, ({ kind }) => kind === "connection_test" || kind === "discovery")}
      whom="Account"
      ground={ground}
    />
  );
}

/** Feeds that are asked only while somebody looks at their site. */
export function LiveFeeds({ capabilities, ground }: ApartProps) {
  return (
    <Apart
      id="feeds"
      heading="Live feeds"
      note="asked only while somebody looks: sites that were looked at within 24 hours"
      rows={rowsOf(capabilities, ({ kind }) => kind === "on_demand")}
      whom="Site"
      ground={ground}
    />
  );
}

/** Whoever sends entries of the timeline, by their tokens. */
export function Senders({ capabilities, ground }: ApartProps) {
  return (
    <Apart
      id="senders"
      heading="Senders of annotations"
      note="one row for each token that may send them"
      rows={rowsOf(capabilities, ({ provider }) => provider === "annotations")}
      whom="Sender"
      ground={ground}
    />
  );
}

function rowsOf(
  capabilities: readonly CapabilityView[],
  belongs: (capability: CapabilityView) => boolean,
): Row[] {
  return capabilities.filter(belongs).flatMap((of) => of.targets.map((target) => ({ of, target })));
}

/** One table of them; nothing where there is none. */
function Apart(props: {
  readonly id: string;
  readonly heading: string;
  readonly note: string;
  readonly whom: string;
  readonly rows: readonly Row[];
  readonly ground: ActGround;
}) {
  const { id, heading, note, whom, rows, ground } = props;
  if (rows.length === 0) return null;
  const shown = rows.slice(0, MOST);
  return (
    <Block
      id={id}
      heading={heading}
      note={shown.length === rows.length ? note : `${note}; the first ${shown.length} of ${rows.length}`}
    >
      <DataTable
        fold
        class="apart"
        caption={heading}
        items={shown}
        id={({ of, target }) =>
          `${capabilityId(of.capability)}-${target.target}-${target.asset}-${target.connectionRevision}`
        }
        columns={[
          { words: whom, names: true, cell: (row) => <Whose row={row} ground={ground} /> },
          { words: "Capability", label: true, cell: ({ of }) => of.label },
          { words: "State", cell: ({ target }) => <StateMark state={target.state} /> },
          {
            words: "What is known",
            class: "all",
            cell: ({ of, target }) => (
              <>
                {proofWords(target, of.kind, ground.now)} <Cause target={target} kind={of.kind} />
              </>
            ),
          },
          {
            words: "What to do",
            class: "all",
            cell: ({ of, target }) => <ActionOf target={target} of={of} ground={ground} />,
          },
        ]}
      />
    </Block>
  );
}

function Whose({ row: { of, target }, ground }: { readonly row: Row; readonly ground: ActGround }) {
  if (target.asset !== "") return <SiteLink asset={target.asset} capability={of.capability} />;
  if (of.provider === "annotations") return <SenderName sender={ground.senderOf(target)} now={ground.now} />;
  return <AccountLink account={ground.accountOf(target)} otherwise="An account that is gone" />;
}

function SenderName({ sender, now }: { readonly sender: Sender | undefined; readonly now: number }) {
  if (sender === undefined) return <>A token that is gone</>;
  return (
    <>
      <Told class="wrap">{sender.operator}</Told>{" "}
      <small>
        token of <DateOf at={sender.createdAt} now={now} />
      </small>
    </>
  );
}
