const MASK = 0xffffffffn

const rotated = (value: bigint, by: bigint): bigint => ((value << by) | (value >> (32n - by))) & MASK

const mixed = (block: bigint): bigint => (rotated((block * 0xcc9e2d51n) & MASK, 15n) * 0x1b873593n) & MASK

const little = (bytes: Uint8Array): bigint => bytes.reduceRight((sum, byte) => (sum << 8n) | BigInt(byte), 0n)

/** MurmurHash3 in numbers of any size. */
export const murmur = (seed: bigint, data: Uint8Array): bigint => {
  let hash = seed
  let at = 0
  for (; at + 4 <= data.length; at += 4) {
    hash = (rotated(hash ^ mixed(little(data.subarray(at, at + 4))), 13n) * 5n + 0xe6546b64n) & MASK
  }
  if (at < data.length) hash ^= mixed(little(data.subarray(at)))
  hash ^= BigInt(data.length)
  for (const [shift, factor] of [[16n, 0x85ebca6bn], [13n, 0xc2b2ae35n], [16n, 1n]] as const) {
    hash = ((hash ^ (hash >> shift)) * factor) & MASK
  }
  return hash
}

/** The bits that an element has in a filter of so many bytes. */
export const bitsOf = (
  bytes: number,
  functions: number,
  tweak: number,
  data: Uint8Array
): ReadonlyArray<number> =>
  bytes === 0
    ? []
    : Array.from(
      { length: functions },
      (_, i) => Number(murmur((BigInt(i) * 0xfba4c795n + BigInt(tweak)) & MASK, data) % BigInt(bytes * 8))
    )
