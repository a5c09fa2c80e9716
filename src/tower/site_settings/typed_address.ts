/** An address as people type it: a host without a scheme means https. What is no host stays as it was, to be refused by the contract. */
export function webAddress(typed: string): string {
  return /^[\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)+(?::\d+)?(?:[/?#]\S*)?$/u.test(typed)
    ? `https://${typed}`
    : typed;
}
