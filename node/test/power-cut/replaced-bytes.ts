/** What a file holds in one of its versions: each longer than a sector, and of another length than the one before. */
export const replacedBytes = (version: number): Uint8Array =>
  Uint8Array.from({ length: 1_500 - 37 * (version % 5) }, (_, i) => (i * 7 + version * 31) & 0xff)
