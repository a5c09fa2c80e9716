import { LIFECYCLES, STORAGE_KINDS } from "../../assets/contract.ts";
import { Callout } from "../component/callout.tsx";
import { Copy } from "../component/copy.tsx";
import { Facts } from "../component/facts.tsx";
import { Field, Options } from "../component/field.tsx";
import { LIFECYCLE_WORDS } from "../component/site_header.tsx";
import { OutsideLink } from "../component/text.tsx";
import { Page } from "../layout.tsx";
import { paths } from "../paths.ts";
import type { Destination } from "../sending/commands.ts";
import { CodebaseWays, IngestNote, NightlyWay } from "../sending/ways.tsx";
import type { Shell } from "../shell.ts";
import { FirstReport, type FirstReportState } from "./first_report.tsx";

/** What the operator typed, as it came. `families` is one `name=storage` a line. */
export interface AddSiteValues {
  readonly id: string;
  readonly url: string;
  readonly lifecycle: string;
  readonly families: string;
}

export const EMPTY_SITE: AddSiteValues = { id: "", url: "", lifecycle: "live", families: "" };

/** The form. `errors` holds a sentence for each field that was refused. */
export function AddSitePage(props: {
  readonly shell: Shell;
  readonly values: AddSiteValues;
  readonly errors: { readonly [field in keyof AddSiteValues]?: string };
}) {
  const { values, errors } = props;
  const broken = Object.values(errors).some((error) => error !== undefined);
  return (
    <Page shell={props.shell} title="Add a site" current="sites">
      <div class="narrow stack">
        <div class="stack tight">
          <p class="crumb">
            <a href={paths.portfolio}>Sites</a> / new
          </p>
          <h1>Add a site</h1>
        </div>
        {broken ? (
          <Callout tone="failing" role="alert">
            <p>The site was not added. What to change stands at each field.</p>
          </Callout>
        ) : null}
        <form method="post" action={paths.sites} class="stack form">
          <Field
            id="id"
            label="Site identifier"
            error={errors.id}
            help="Letters, digits, dots, underscores and hyphens, at most 128. Reports name the site by it, and it cannot be changed."
            control={(wiring) => (
              <input
                {...wiring}
                name="id"
                class="mono"
                value={values.id}
                required
                maxlength={128}
                pattern="[A-Za-z0-9][A-Za-z0-9._\-]*"
                autocomplete="off"
                autocapitalize="none"
                spellcheck="false"
                autofocus
              />
            )}
          />
          <Field
            id="url"
            label="Address (optional)"
            error={errors.url}
            help="Where the site is reached, for example https://shop.example"
            control={(wiring) => (
              <input
                {...wiring}
                name="url"
                type="url"
                value={values.url}
                maxlength={2048}
                autocomplete="off"
              />
            )}
          />
          <Field
            id="lifecycle"
            label="Lifecycle"
            error={errors.lifecycle}
            help="A live site is expected to report each night once it has started. A retired one is not."
            control={(wiring) => (
              <select {...wiring} name="lifecycle">
                <Options
                  chosen={values.lifecycle}
                  choices={LIFECYCLES.map((lifecycle) => [lifecycle, LIFECYCLE_WORDS[lifecycle]])}
                />
              </select>
            )}
          />
          <Field
            id="families"
            label="Metric families (optional)"
            error={errors.families}
            help={`One a line, with the storage the site reads it from (${STORAGE_KINDS.join(", ")}), for example signups=d1`}
            control={(wiring) => (
              <textarea {...wiring} name="families" class="mono" rows={3} spellcheck="false">
                {values.families}
              </textarea>
            )}
          />
          <div class="row">
            <button class="btn primary">Add the site</button>
            <a class="btn bare" href={paths.portfolio}>
              Cancel
            </a>
          </div>
        </form>
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
    <Page shell={shell} title={`${asset} is added`} current="sites">
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
              <Copy id="token" label="site token" text={token} />
              <p class="note">
                Shown this once. Only a hash is stored. You can issue another at any time in{" "}
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
