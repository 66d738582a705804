const C1 = 0xcc9e2d51
const C2 = 0x1b873593

const rotated = (value: number, by: number): number => (value << by) | (value >>> (32 - by))

const mixed = (block: number): number => Math.imul(rotated(Math.imul(block, C1), 15), C2)

const avalanche = (hash: number): number => {
  let h = hash ^ (hash >>> 16)
  h = Math.imul(h, 0x85ebca6b)
  h ^= h >>> 13
  h = Math.imul(h, 0xc2b2ae35)
  return (h ^ (h >>> 16)) >>> 0
}

/** MurmurHash3 of 32 bits (x86), as BIP37 uses it. An attacker who knows the seed finds collisions at will. */
export const murmurHash3 = (seed: number, data: Uint8Array): number => {
  const whole = data.length & ~3
  let hash = seed | 0
  for (let i = 0; i < whole; i += 4) {
    const block = data[i]! | (data[i + 1]! << 8) | (data[i + 2]! << 16) | (data[i + 3]! << 24)
    hash = Math.imul(rotated(hash ^ mixed(block), 13), 5) + 0xe6546b64 | 0
  }
  let tail = 0
  for (let i = data.length - 1; i >= whole; i--) tail = (tail << 8) | data[i]!
  if (data.length > whole) hash ^= mixed(tail)
  return avalanche(hash ^ data.length)
}
