import { TOWER_COMMAND } from "../../platform/command_word.ts";
import { Block } from "../component/block.tsx";
import { SureAct } from "../component/form.tsx";
import { DataTable } from "../component/table.tsx";
import { Told } from "../component/text.tsx";
import { DateOf } from "../component/time.tsx";
import { formatCount } from "../format.ts";
import { paths } from "../paths.ts";
import { SettingsPage } from "../settings/settings_page.tsx";
import type { Shell } from "../shell.ts";

/** An operator as the page shows them. */
export interface OperatorRow {
  readonly name: string;
  readonly kind: "person" | "service";
  readonly signsInWith: string;
  readonly tokens: number;
  readonly addedAt: number;
  /** Why they cannot be removed here; null where they can. */
  readonly stays: string | null;
}

/** Who operates this Tower: people, who sign in, and services, who hold tokens. */
export function OperatorsPage({
  shell,
  operators,
}: {
  readonly shell: Shell;
  readonly operators: readonly OperatorRow[];
}) {
  return (
    <SettingsPage
      shell={shell}
      part={paths.operators}
      title="Operators"
      note="People sign in; services hold tokens and cannot. What somebody did stays under their name when they are removed."
    >
      <Block
        heading="People and services"
        note="a person may do everything here, a service what its tokens' scopes name"
      >
        <DataTable
          fold
          caption="Operators"
          items={operators}
          columns={[
            { words: "Name", names: true, cell: ({ name }) => <Told class="wrap">{name}</Told> },
            { words: "Kind", label: true, cell: ({ kind }) => kind },
            { words: "Signs in", label: true, cell: ({ signsInWith }) => signsInWith },
            {
              words: "Tokens",
              label: true,
              cell: ({ tokens }) => formatCount(tokens),
            },
            { words: "Added", label: true, cell: ({ addedAt }) => <DateOf at={addedAt} now={shell.now} /> },
            {
              words: "Action",
              unseen: true,
              class: "act",
              cell: ({ name, stays }) =>
                stays === null ? (
                  <SureAct
                    action={paths.removeOperator(name)}
                    words="Remove"
                    on={`the operator ${name}`}
                    consequence="Their sessions end, and what is sent with their tokens is refused at once."
                    sure="Remove them"
                  />
                ) : (
                  <span class="dim">{stays}</span>
                ),
            },
          ]}
        />
        <p class="note">
          A person is added on the computer that Tower runs on:{" "}
          <code>{TOWER_COMMAND} operator add &lt;name&gt;</code>. A service is made with its first token,
          under <a href={paths.tokens}>Tokens</a>.
        </p>
      </Block>
    </SettingsPage>
  );
}
