/** The fields that adding a site and changing one share. */

import { LIFECYCLES, type SiteGroup } from "../../sites/sites.ts";
import { type Filled, SelectField, TextField } from "../kit/field.tsx";
import { LIFECYCLE_WORDS } from "../kit/site_state.tsx";

/** What a shared field says where it stands. */
interface SiteField {
  readonly help: string;
  readonly filled: Filled;
}

/** Where the site is reached. */
export function AddressField({ label, ...field }: SiteField & { readonly label: string }) {
  // Not of type "url": a browser would refuse a host without a scheme in its own words, where ours adds the scheme.
  return (
    <TextField name="url" label={label} {...field} inputmode="url" maxlength={2048} autocomplete="off" />
  );
}

/** Which group the site is in; those that are there are offered. */
export function GroupField({
  label,
  groups,
  filled,
}: {
  readonly label: string;
  readonly groups: readonly SiteGroup[];
  readonly filled: Filled;
}) {
  return (
    <>
      <TextField
        name="group"
        label={label}
        help="For example a customer or a brand. Sites and the Wall can show one group."
        filled={filled}
        list="groups"
        autocomplete="off"
      />
      <datalist id="groups">
        {groups.map(({ name }) => (
          <option value={name} />
        ))}
      </datalist>
    </>
  );
}

/** What stage of its life the site is in. */
export function LifecycleField(field: SiteField) {
  const choices = LIFECYCLES.map((lifecycle) => [lifecycle, LIFECYCLE_WORDS[lifecycle]] as const);
  return <SelectField name="lifecycle" label="Lifecycle" {...field} choices={choices} />;
}
