import { sameBytes } from "./byte-string.ts"
import { medianTimePast, type NaiveChain, type NaiveHeights, type NaiveWorkParameters } from "./header.ts"

/** All in which networks differ. */
export interface NaiveParameters {
  readonly genesisHash: Uint8Array
  readonly work: NaiveWorkParameters
  readonly heights: NaiveHeights
  readonly bip34Hash: Uint8Array | undefined
  /** Flags by name. */
  readonly scriptFlagExceptions: ReadonlyArray<{ readonly hash: Uint8Array; readonly flags: ReadonlySet<string> }>
  readonly repeatedCoinbases: ReadonlyArray<{ readonly height: number; readonly hash: Uint8Array }>
  readonly subsidyHalvingInterval: number
  readonly signetChallenge: Uint8Array | undefined
}

/** The names of the flags that the scripts of a block are judged under. */
export const blockScriptFlags = (
  hash: Uint8Array,
  height: number,
  parameters: NaiveParameters
): ReadonlySet<string> => {
  const { heights, scriptFlagExceptions } = parameters
  const flags = new Set(
    scriptFlagExceptions.find((each) => sameBytes(each.hash, hash))?.flags ?? ["P2SH", "WITNESS", "TAPROOT"]
  )
  if (height >= heights.bip66) flags.add("DERSIG")
  if (height >= heights.bip65) flags.add("CHECKLOCKTIMEVERIFY")
  if (height >= heights.csv) flags.add("CHECKSEQUENCEVERIFY")
  if (height >= heights.segwit) flags.add("NULLDUMMY")
  return flags
}

/** BIP30 for the last of the blocks with these hashes, from genesis on. */
export const forbidsOverwriting = (hashes: ReadonlyArray<Uint8Array>, parameters: NaiveParameters): boolean => {
  const { bip34Hash, heights, repeatedCoinbases } = parameters
  const height = hashes.length - 1
  const repeats = repeatedCoinbases.some((each) => each.height === height && sameBytes(each.hash, hashes[height]!))
  const below = hashes.slice(0, -1)[heights.bip34]
  const impossible = bip34Hash !== undefined && below !== undefined && sameBytes(below, bip34Hash)
  return height >= 1_983_702 || !(repeats || impossible)
}

export interface NaiveDeployment {
  readonly bit: number
  readonly startTime: number
  readonly timeout: number
  readonly minActivationHeight: number
  readonly period: number
  readonly threshold: number
}

/** The three highest bits of the version are 001, and the bit is set. */
const signals = (version: number, bit: number): boolean => {
  const digits = BigInt.asUintN(32, BigInt(version)).toString(2).padStart(32, "0")
  return digits.startsWith("001") && digits[31 - bit] === "1"
}

const count = (blocks: NaiveChain, bit: number): number => blocks.filter(({ version }) => signals(version, bit)).length

/** The state for the block on top of `chain`, block by block from the genesis on. */
export const deploymentState = (chain: NaiveChain, deployment: NaiveDeployment): string => {
  const { bit, minActivationHeight, period, startTime, threshold, timeout } = deployment
  if (startTime === -1) return "active"
  if (startTime === -2) return "failed"
  let state = "defined"
  for (let next = 1; next <= chain.length; next++) {
    if (next % period !== 0) continue
    const before = chain.slice(0, next)
    const time = medianTimePast(before)
    if (state === "defined") state = time >= startTime ? "started" : "defined"
    else if (state === "started" && count(before.slice(-period), bit) >= threshold) state = "locked_in"
    else if (state === "started" && time >= timeout) state = "failed"
    else if (state === "locked_in" && next >= minActivationHeight) state = "active"
  }
  return state
}

export const signallingStatistics = (chain: NaiveChain, { bit, period, threshold }: NaiveDeployment): object => {
  const begun = chain.slice(Math.floor((chain.length - 1) / period) * period)
  const signalling = count(begun, bit)
  const silent = begun.length - signalling
  return { period, threshold, elapsed: begun.length, count: signalling, possible: silent <= period - threshold }
}
