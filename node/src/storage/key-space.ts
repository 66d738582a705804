/** The key spaces of the store. All data are in one ordered store, so that one batch can change all of it. */

/** First byte of a key. */
export const KeySpace = {
  /** `c` + txid (32, wire order) + output index (4, big-endian) → coin. */
  coin: 0x63,
  /**
   * `d` + txid (32, wire order) + output index (4, big-endian) → coin: a second set, which a loaded snapshot needs. The
   * chain state records which set is that of the active chain.
   */
  secondCoin: 0x64,
  /**
   * `h` + height (4, big-endian) + block hash (32, wire order) → entry of the header index. Parents come before
   * children.
   */
  header: 0x68,
  /** `f` + file number (4, big-endian) → facts of a block file. */
  blockFile: 0x66,
  /** `m` + name (ASCII) → one value of the chain state, such as the tip. */
  meta: 0x6d,
  /** `t` + txid (32, wire order) → position of the transaction. */
  transactionIndex: 0x74,
  /** `s` + height (4, big-endian) + block hash (32, wire order) → statistics of the coins after that block. */
  coinStatistics: 0x73,
  /** `n` + height (4, big-endian) + block hash (32, wire order) → header and hash of that block's filter. */
  filterHeader: 0x6e,
  /** `g` + height (4, big-endian) + block hash (32, wire order) → filter of that block. */
  filter: 0x67,
  /** `a` + SHA-256 of a script (32) + height (4, big-endian) + index in the block (4, big-endian) → amounts moved. */
  addressHistory: 0x61,
  /**
   * `u` + SHA-256 of a script (32) + height (4, big-endian) + txid (32, wire order) + output index (4, big-endian) →
   * value of that unspent output.
   */
  addressUnspent: 0x75,
  /** `v` + value (8, big-endian) + txid (32, wire order) + output index (4, big-endian) → block of that unspent output. */
  valueUnspent: 0x76,
  /** `o` + txid (32, wire order) + output index (4, big-endian) → position of the transaction that spends this output. */
  spender: 0x6f,
  /** `i` + name of the index (ASCII) → progress of the index. */
  indexState: 0x69
} as const

/** Makes a key of a space and a name. */
export const namedKey = (space: number, name: string): Uint8Array => {
  const key = new Uint8Array(1 + name.length)
  key[0] = space
  for (let i = 0; i < name.length; i++) key[i + 1] = name.charCodeAt(i)
  return key
}

/** Makes a key of a space, a number and optionally a hash. */
export const numberedKey = (space: number, number: number, hash?: Uint8Array): Uint8Array => {
  const key = new Uint8Array(5 + (hash?.length ?? 0))
  key[0] = space
  new DataView(key.buffer).setUint32(1, number)
  if (hash !== undefined) key.set(hash, 5)
  return key
}

/** Makes a key of a space and a hash. */
export const hashedKey = (space: number, hash: Uint8Array): Uint8Array => {
  const key = new Uint8Array(1 + hash.length)
  key[0] = space
  key.set(hash, 1)
  return key
}

/** Returns the range of all keys of a space: the first bound is included, the second is not. */
export const rangeOf = (space: number): { readonly from: Uint8Array; readonly to: Uint8Array } => ({
  from: Uint8Array.of(space),
  to: Uint8Array.of(space + 1)
})
