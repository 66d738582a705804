import type { ScriptFlags } from "@lockstep/kernel/script"

/** Words of an entry: a wtxid, and the flags, which are never 0 in an entry. */
const ID_WORDS = 8
const ENTRY_WORDS = ID_WORDS + 1
/** An entry lies in one of this many places. */
const WAYS = 4
/** 9 MiB, taken when the first entry comes. */
const DEFAULT_SETS = 1 << 16

/** Transactions of blocks by when their scripts were verified: before the block came, or with it. */
export interface ScriptChecks {
  before: number
  withBlock: number
}

/** How many sets fit into so many bytes: a power of two, and at least one. */
export const scriptCacheSets = (bytes: number | undefined): number =>
  bytes === undefined ? DEFAULT_SETS : 2 ** Math.floor(Math.log2(Math.max(1, bytes / (WAYS * ENTRY_WORDS * 4))))

/**
 * Transactions outside of blocks of which all scripts hold under these flags, which are those of a block. The block
 * that confirms one need not verify it again. A wtxid fixes inputs and witnesses and, through the txids in it, what is
 * spent.
 */
export interface ScriptCache {
  /** Precondition: all scripts of the transaction with this wtxid hold under exactly these flags. */
  readonly add: (wtxid: Uint8Array, flags: ScriptFlags) => void
  readonly has: (wtxid: Uint8Array, flags: ScriptFlags) => boolean
  readonly isEmpty: () => boolean
  /** What it spared the blocks since the start. */
  readonly checks: ScriptChecks
}

const wordAt = (bytes: Uint8Array, word: number): number => {
  const at = word * 4
  return bytes[at]! | bytes[at + 1]! << 8 | bytes[at + 2]! << 16 | bytes[at + 3]! << 24
}

/**
 * A cache of fixed size: of four entries in the same set a fifth displaces one. `seed` is drawn when the process starts,
 * so that no outsider can choose what displaces what. `sets` is a power of two.
 */
export const scriptCache = (seed: number, sets = DEFAULT_SETS): ScriptCache => {
  let words = new Int32Array(0)
  let turn = 0

  const setOf = (wtxid: Uint8Array): number => {
    const mixed = Math.imul(wordAt(wtxid, 0) ^ seed, 0x9e3779b1) ^ Math.imul(wordAt(wtxid, 1), 0x85ebca6b)
    return ((mixed ^ mixed >>> 15) & (sets - 1)) * WAYS * ENTRY_WORDS
  }

  const isAt = (at: number, wtxid: Uint8Array, flags: ScriptFlags): boolean => {
    if (words[at + ID_WORDS] !== flags) return false
    for (let i = 0; i < ID_WORDS; i++) if (words[at + i] !== wordAt(wtxid, i)) return false
    return true
  }

  const find = (wtxid: Uint8Array, flags: ScriptFlags): number => {
    const first = setOf(wtxid)
    for (let way = 0; way < WAYS; way++) if (isAt(first + way * ENTRY_WORDS, wtxid, flags)) return way
    return -1
  }

  const has = (wtxid: Uint8Array, flags: ScriptFlags): boolean =>
    words.length > 0 && flags !== 0 && find(wtxid, flags) >= 0

  const wayFor = (first: number): number => {
    for (let way = 0; way < WAYS; way++) if (words[first + way * ENTRY_WORDS + ID_WORDS] === 0) return way
    turn = (turn + 1) % WAYS
    return turn
  }

  return {
    add: (wtxid, flags) => {
      if (flags === 0 || has(wtxid, flags)) return
      if (words.length === 0) words = new Int32Array(sets * WAYS * ENTRY_WORDS)
      const first = setOf(wtxid)
      const at = first + wayFor(first) * ENTRY_WORDS
      for (let i = 0; i < ID_WORDS; i++) words[at + i] = wordAt(wtxid, i)
      words[at + ID_WORDS] = flags
    },
    has,
    isEmpty: () => words.length === 0,
    checks: { before: 0, withBlock: 0 }
  }
}
