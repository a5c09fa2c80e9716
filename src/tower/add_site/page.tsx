import { type LIFECYCLES, STORAGE_KINDS } from "../../assets/contract.ts";
import { Facts } from "../component/facts.tsx";
import { type Filled, LongTextField, TextField } from "../component/field.tsx";
import { Form, RefusedNote } from "../component/form.tsx";
import { ShownOnce } from "../component/shown_once.tsx";
import { LIFECYCLE_WORDS } from "../component/site_header.tsx";
import { OutsideLink } from "../component/text.tsx";
import { Page } from "../layout.tsx";
import { paths } from "../paths.ts";
import type { Destination } from "../sending/commands.ts";
import { CodebaseWays, IngestNote, NightlyWay } from "../sending/ways.tsx";
import type { Shell } from "../shell.ts";
import { AddressField, LifecycleField } from "../site_settings/fields.tsx";
import { FirstReport, type FirstReportState } from "./first_report.tsx";

/** What stands in the form at first. `families` is one `name=storage` a line. */
export const EMPTY_SITE = { id: "", url: "", lifecycle: "live", families: "" };

/** The form, as it is sent first or with what was typed and refused. */
export function AddSitePage(props: { readonly shell: Shell; readonly filled: Filled }) {
  const { filled } = props;
  return (
    <Page shell={props.shell} title="Add a site" current="sites" still>
      <div class="narrow stack">
        <div class="stack tight">
          <p class="crumb">
            <a href={paths.portfolio}>Sites</a> / new
          </p>
          <h1>Add a site</h1>
        </div>
        <RefusedNote
          errors={filled.errors}
          words="The site was not added. What to change stands at each field."
        />
        <Form action={paths.sites}>
          <TextField
            name="id"
            label="Site identifier"
            help="Letters, digits, dots, underscores and hyphens, at most 128. Reports name the site by it, and it cannot be changed."
            filled={filled}
            class="mono"
            required
            maxlength={128}
            pattern="[A-Za-z0-9][A-Za-z0-9._\-]*"
            autocomplete="off"
            autocapitalize="none"
            spellcheck="false"
            autofocus
          />
          <AddressField
            label="Address (optional)"
            help="Where the site is reached, for example https://shop.example"
            filled={filled}
          />
          <LifecycleField
            help="A live site is expected to report each night once it has started. A retired one is not."
            filled={filled}
          />
          <LongTextField
            name="families"
            label="Metric families (optional)"
            help={`One a line, with the storage the site reads it from (${STORAGE_KINDS.join(", ")}), for example signups=d1`}
            filled={filled}
            class="mono"
            rows={3}
            spellcheck="false"
          />
          <div class="row">
            <button class="btn primary">Add the site</button>
            <a class="btn bare" href={paths.portfolio}>
              Cancel
            </a>
          </div>
        </Form>
      </div>
    </Page>
  );
}

/** After adding: the token, shown this once, and what to run. The answer must not be stored by the browser. */
export function SiteAddedPage(props: {
  readonly shell: Shell;
  readonly url: string | null;
  readonly lifecycle: (typeof LIFECYCLES)[number];
  readonly destination: Destination & { readonly token: string };
  readonly heard: FirstReportState;
}) {
  const { shell, destination } = props;
  const { asset, token } = destination;
  return (
    <Page shell={shell} title={`${asset} is added`} current="sites" still>
      <div class="narrow stack">
        <div class="stack tight">
          <p class="crumb">
            <a href={paths.portfolio}>Sites</a> / <a href={paths.site(asset)}>{asset}</a>
          </p>
          <h1>Add a site</h1>
        </div>
        <ol class="steps">
          <li data-done>
            <h2>Name the site</h2>
            <Facts
              facts={[
                ["Site identifier", <span class="mono wrap">{asset}</span>],
                ["Address", props.url === null ? null : <OutsideLink address={props.url} />],
                ["Lifecycle", LIFECYCLE_WORDS[props.lifecycle]],
              ]}
            />
          </li>
          <li aria-current="step">
            <h2>Keep the token</h2>
            <div class="stack tight">
              <ShownOnce heading="The new token" kind="site token" secret={token} />
              <p class="note">
                Only a hash is stored. You can issue another at any time in{" "}
                <a href={paths.siteTokens(asset)}>Tokens</a>.
              </p>
            </div>
          </li>
          <li>
            <h2>Send the first report</h2>
            <div class="stack tight">
              <p>Either kind will do. The commands below carry this site's token.</p>
              <FirstReport asset={asset} heard={props.heard} now={shell.now} />
            </div>
          </li>
          <li>
            <h2>A codebase report</h2>
            <CodebaseWays destination={destination} />
          </li>
          <li>
            <h2>A nightly report</h2>
            <div class="stack tight">
              <NightlyWay destination={destination} />
              <IngestNote destination={destination} />
            </div>
          </li>
        </ol>
      </div>
    </Page>
  );
}
