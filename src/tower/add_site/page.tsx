import { STORAGE_KINDS } from "../../assets/contract.ts";
import type { SiteGroup } from "../../assets/mod.ts";
import { type Filled, LongTextField, SelectField, TextField } from "../component/field.tsx";
import { Form, RefusedNote } from "../component/form.tsx";
import { Told } from "../component/text.tsx";
import { Page } from "../layout.tsx";
import { paths } from "../paths.ts";
import type { Shell } from "../shell.ts";
import { AddressField, GroupField, LifecycleField } from "../site_settings/fields.tsx";
import type { TypedSite } from "./typed_site.ts";

export interface AddSiteProps {
  readonly shell: Shell;
  readonly filled: Filled;
  readonly groups: readonly SiteGroup[];
  /** The form with an identifier that would do, where the typed one does not. */
  readonly better?: TypedSite | null;
  /** The identifier that is in the portfolio already. */
  readonly there?: string | null;
}

/** The form, as it is sent first or with what was typed and refused. */
export function AddSitePage(props: AddSiteProps) {
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
            help="For example shop.example. Reports name the site by it, capitals included, and it cannot be changed. Letters, digits, dots, underscores and hyphens, at most 128."
            filled={filled}
            error={identifierError(props)}
            class="mono"
            required
            maxlength={2048}
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
          <GroupField label="Group (optional)" groups={props.groups} filled={filled} />
          <LifecycleField
            help="A live site is expected to report each night once it has started. A retired one is not."
            filled={filled}
          />
          <LongTextField
            name="families"
            label="Metric families (optional)"
            help="What the site will report, one a line, for example signups. A nightly report that leaves out a whole family is then told apart from one that has no figure for it. Families can be added later, too."
            filled={filled}
            class="mono"
            rows={3}
            spellcheck="false"
          />
          <SelectField
            name="storage"
            label="Storage kind of the families"
            help={
              <>
                Where the site reads them from; it is kept beside the family and changes nothing else. One of
                another kind says so on its line: <code>avatars=r2</code>
              </>
            }
            filled={filled}
            choices={STORAGE_KINDS.map((kind) => [kind, kind])}
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

/** What is wrong with the identifier, and one click to what would do. */
function identifierError({ filled, better = null, there = null }: AddSiteProps) {
  const error = filled.errors["id"];
  if (error === undefined) return undefined;
  return (
    <>
      <Told>{error}</Told>
      {there === null ? null : (
        <>
          {" "}
          <a href={paths.firstReport(there)}>Send its first report</a>
        </>
      )}
      {better === null ? null : (
        <>
          {" "}
          <a href={paths.newSiteWith(better)}>
            Use <Told class="mono wrap">{better.id}</Told>
          </a>
        </>
      )}
    </>
  );
}
