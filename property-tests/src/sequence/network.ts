import type { NaiveHeights } from "../oracles/header.ts"
import type { NaiveParameters } from "../oracles/deployments.ts"

/** The easiest target there is, and the bits that stand for it as nearly as bits can. */
export const EASIEST_TARGET = 2n ** 256n - 1n
export const EASIEST_BITS = 0x2100ffff

/** Time of the genesis block. */
export const GENESIS_TIME = 1_500_000_000

/** Deployments that are in force from the first block on. */
export const FROM_THE_FIRST: NaiveHeights = { bip34: 1, bip65: 1, bip66: 1, csv: 1, segwit: 1 }

/** A network whose proof of work nearly any hash is, with periods of ten blocks that change nothing. */
export const EASY_NETWORK: NaiveParameters = {
  genesisHash: new Uint8Array(32),
  work: {
    powLimit: EASIEST_TARGET,
    targetTimespan: 6_000,
    targetSpacing: 600,
    allowMinDifficulty: false,
    noRetargeting: true,
    bip94: false
  },
  heights: FROM_THE_FIRST,
  bip34Hash: undefined,
  scriptFlagExceptions: [],
  repeatedCoinbases: [],
  subsidyHalvingInterval: 150,
  signetChallenge: undefined
}
