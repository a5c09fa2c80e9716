/** The action with which a repository measures itself: what it takes, its text, and putting it into a checkout. */
export { FORGES, GITHUB } from "./forge.ts";
export { parcelFor, parcelRoot } from "./parcel.ts";
export { SECRETS, workflowFile } from "./workflow.ts";
export { planParcel, writeParcel } from "./write.ts";
