import type { ScriptFlags } from "@lockstep/kernel/script"

/** Words of an entry: a wtxid, and the flags, which are never 0 in an entry. */
const ID_WORDS = 8
const ENTRY_WORDS = ID_WORDS + 1
/** Number of slots that an entry can be in. */
const WAYS = 4
/** 9 MiB, allocated for the first entry. */
const DEFAULT_SETS = 1 << 16

/** Transactions of blocks, by whether their scripts were verified before the block arrived or with it. */
export interface ScriptChecks {
  before: number
  withBlock: number
}

/** Number of sets that fit into so many bytes: a power of two, and at least one. */
export const scriptCacheSets = (bytes: number | undefined): number =>
  bytes === undefined ? DEFAULT_SETS : 2 ** Math.floor(Math.log2(Math.max(1, bytes / (WAYS * ENTRY_WORDS * 4))))

/**
 * Unconfirmed transactions whose scripts are all valid under these flags, which are those of a block. A block that
 * contains one need not verify it again. A wtxid commits to inputs and witnesses and, through the txids in it, to the
 * spent coins.
 */
export interface ScriptCache {
  /** Adds a transaction. Precondition: all its scripts are valid under exactly these flags. */
  readonly add: (wtxid: Uint8Array, flags: ScriptFlags) => void
  readonly has: (wtxid: Uint8Array, flags: ScriptFlags) => boolean
  readonly isEmpty: () => boolean
  /** Counts of the verifications saved for blocks since the start. */
  readonly checks: ScriptChecks
}

const wordAt = (bytes: Uint8Array, word: number): number => {
  const at = word * 4
  return bytes[at]! | bytes[at + 1]! << 8 | bytes[at + 2]! << 16 | bytes[at + 3]! << 24
}

/**
 * Makes a cache of fixed size: a fifth entry of a set displaces one of four. `seed` is drawn when the process starts,
 * so that no outsider can choose which entries collide. `sets` is a power of two.
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
