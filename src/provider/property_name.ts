/** Longest name of a property; one that is longer, or has signs that no name has, is not sent. */
const LONGEST_PROPERTY = 2_048;

export function isNamed(property: string): boolean {
  return property !== "" && property.length <= LONGEST_PROPERTY && !/\p{Cc}|\p{Cs}/u.test(property);
}
