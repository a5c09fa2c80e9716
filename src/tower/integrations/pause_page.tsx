import { CAPABILITIES, type Pause } from "../../health/mod.ts";
import { actorWords } from "../component/actor_words.ts";
import { Block } from "../component/block.tsx";
import { type Filled, SelectField, TextField } from "../component/field.tsx";
import { Form, RefusedNote } from "../component/form.tsx";
import { Pager, pageOf } from "../component/pager.tsx";
import { DataTable } from "../component/table.tsx";
import { Told } from "../component/text.tsx";
import { Moment } from "../component/time.tsx";
import { address, PAGE } from "../kit/address.ts";
import { Page } from "../layout.tsx";
import { paths } from "../paths.ts";
import type { Shell } from "../shell.ts";
import { ResumeForm } from "./acts.tsx";
import { labelOf } from "./paused_words.ts";

/** Pauses on one page. */
const PAGE_SIZE = 100;

/** Which of them are shown. */
export const pausesAddress = address({ page: PAGE });

export interface PausePageProps {
  readonly shell: Shell;
  /** Those in force, by site. */
  readonly pauses: readonly Pause[];
  /** The page of them. */
  readonly wanted: number;
  /** Ids of sites, for the field to offer. */
  readonly sites: readonly string[];
  /** What was typed and refused, or what a link fills in. */
  readonly filled: Filled;
  /** The page that the form was sent from. */
  readonly back: string | null;
}

/** Everything that is paused, and a form to pause more. */
export function PausePage({ shell, pauses, wanted, sites, filled, back }: PausePageProps) {
  const { items, paging } = pageOf(pauses, wanted, PAGE_SIZE);
  return (
    <Page shell={shell} title="Paused" current="integrations" still>
      <div class="head">
        <div>
          <h1>Paused</h1>
          <p>What is paused is not asked, and is never shown as working.</p>
        </div>
        <div class="row">
          <a class="btn" href={paths.integrations}>
            Integrations
          </a>
        </div>
      </div>
      <RefusedNote errors={filled.errors} words="Nothing was paused. What to change stands at the field." />
      <Block heading="Paused now">
        <DataTable
          fold
          caption="Paused now"
          items={items}
          empty={<p>Nothing is paused.</p>}
          columns={[
            {
              words: "What",
              names: true,
              cell: ({ capability }) => (capability === "" ? "All of the site" : labelOf(capability)),
            },
            {
              words: "Site",
              cell: ({ asset }) =>
                asset === "" ? (
                  "Every site"
                ) : (
                  <a class="wrap" href={paths.site(asset)}>
                    {asset}
                  </a>
                ),
            },
            { words: "Since", label: true, cell: ({ pausedAt }) => <Moment at={pausedAt} now={shell.now} /> },
            {
              words: "By",
              label: true,
              cell: ({ pausedBy }) => <Told class="wrap">{actorWords(pausedBy)}</Told>,
            },
            {
              words: "Until",
              label: true,
              cell: ({ until }) => (until === null ? "it is resumed" : <Moment at={until} now={shell.now} />),
            },
            {
              words: "Action",
              unseen: true,
              class: "act",
              cell: (pause) => <ResumeForm {...pause} back={paths.pauses} />,
            },
          ]}
        />
        <Pager
          paging={paging}
          what="pauses"
          href={(page) => `${paths.pauses}${pausesAddress.search({ page })}`}
        />
      </Block>
      <Block heading="Pause more">
        <Form action={paths.pauses} hidden={back === null ? [] : [["to", back]]}>
          <SelectField
            name="capability"
            label="What"
            filled={filled}
            choices={[
              ["", "All of one site"],
              ...CAPABILITIES.filter(({ pausable }) => pausable).map(({ id, label }) => [id, label] as const),
            ]}
          />
          <TextField
            name="asset"
            label="Site"
            help="Empty: on every site. All of one site needs its identifier"
            filled={filled}
            list="sites"
            autocomplete="off"
            autocapitalize="none"
            spellcheck="false"
          />
          <datalist id="sites">
            {sites.map((site) => (
              <option value={site} />
            ))}
          </datalist>
          <TextField
            name="until"
            label="Until (optional)"
            help="The day on which it ends by itself, at 00:00 UTC. Empty: until it is resumed"
            type="date"
            filled={filled}
            autocomplete="off"
          />
          <div>
            <button class="btn primary">Pause</button>
          </div>
        </Form>
      </Block>
    </Page>
  );
}
