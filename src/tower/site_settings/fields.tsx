/** The fields that adding a site and changing one share. */
import { LIFECYCLES } from "../../assets/contract.ts";
import { type Filled, SelectField, TextField } from "../component/field.tsx";
import { LIFECYCLE_WORDS } from "../component/site_header.tsx";

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

/** What stage of its life the site is in. */
export function LifecycleField(field: SiteField) {
  const choices = LIFECYCLES.map((lifecycle) => [lifecycle, LIFECYCLE_WORDS[lifecycle]] as const);
  return <SelectField name="lifecycle" label="Lifecycle" {...field} choices={choices} />;
}
