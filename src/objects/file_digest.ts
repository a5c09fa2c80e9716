/** SHA-256 of a file, in hexadecimal, in memory that does not grow with it. */
export async function sha256OfFile(path: string): Promise<string> {
  const hash = new Bun.CryptoHasher("sha256");
  for await (const piece of Bun.file(path).stream()) hash.update(piece);
  return hash.digest("hex");
}
