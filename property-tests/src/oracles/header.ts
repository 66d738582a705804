import { fromLittleEndian, join, littleEndian } from "./byte-string.ts"
import { bitsOfTarget, targetOfBits } from "./target.ts"

export interface NaiveHeader {
  /** Signed. */
  readonly version: number
  readonly previous: Uint8Array
  readonly merkleRoot: Uint8Array
  readonly time: number
  readonly bits: number
  readonly nonce: number
}

/** Headers from a genesis on, each the parent of the next. */
export type NaiveChain = ReadonlyArray<NaiveHeader>

export interface NaiveWorkParameters {
  readonly powLimit: bigint
  readonly targetTimespan: number
  readonly targetSpacing: number
  readonly allowMinDifficulty: boolean
  readonly noRetargeting: boolean
  readonly bip94: boolean
}

export interface NaiveHeights {
  readonly bip34: number
  readonly bip65: number
  readonly bip66: number
  readonly csv: number
  readonly segwit: number
}

export const serializeHeader = ({ version, previous, merkleRoot, time, bits, nonce }: NaiveHeader): Uint8Array =>
  join(
    littleEndian(version, 4),
    previous,
    merkleRoot,
    littleEndian(time, 4),
    littleEndian(bits, 4),
    littleEndian(nonce, 4)
  )

export const readHeader = (bytes: Uint8Array): NaiveHeader => {
  const uint32 = (at: number): number => Number(fromLittleEndian(bytes.subarray(at, at + 4)))
  return {
    version: Number(BigInt.asIntN(32, BigInt(uint32(0)))),
    previous: bytes.subarray(4, 36),
    merkleRoot: bytes.subarray(36, 68),
    time: uint32(68),
    bits: uint32(72),
    nonce: uint32(76)
  }
}

/** The middle one, the later of two, of the last eleven times put in order. */
export const medianTimePast = (chain: NaiveChain): number => {
  const times = chain.slice(-11).map(({ time }) => time)
  return times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)]!
}

/** Blocks of one period. */
const interval = ({ targetTimespan, targetSpacing }: NaiveWorkParameters): number => targetTimespan / targetSpacing

const least = (...values: ReadonlyArray<bigint>): bigint => values.reduce((a, b) => (b < a ? b : a))
const greatest = (...values: ReadonlyArray<bigint>): bigint => values.reduce((a, b) => (b > a ? b : a))

/** The bits after a period from `first` to `last` in which `bits` were in force. No target counts as zero. */
export const retargeted = (first: number, last: number, bits: number, work: NaiveWorkParameters): number => {
  const whole = BigInt(work.targetTimespan)
  const taken = greatest(whole / 4n, least(whole * 4n, BigInt(last) - BigInt(first)))
  return bitsOfTarget(least(((targetOfBits(bits) ?? 0n) * taken) / whole, work.powLimit))
}

/**
 * Bits between two periods where minimum difficulty is allowed: the easiest, or the last that were not, in this period.
 */
export const minDifficultyBits = (chain: NaiveChain, time: number, work: NaiveWorkParameters): number => {
  const easiest = bitsOfTarget(work.powLimit)
  if (time > chain.at(-1)!.time + 2 * work.targetSpacing) return easiest
  const period = chain.slice(Math.floor((chain.length - 1) / interval(work)) * interval(work))
  return (period.findLast(({ bits }) => bits !== easiest) ?? period[0]!).bits
}

/** The bits of a header with `time` on top of `chain`. */
export const requiredBits = (chain: NaiveChain, time: number, work: NaiveWorkParameters): number => {
  const parent = chain.at(-1)!
  if (chain.length % interval(work) !== 0) {
    return work.allowMinDifficulty
      ? minDifficultyBits(chain, time, work)
      : parent.bits
  }
  if (work.noRetargeting) return parent.bits
  const period = chain.slice(-interval(work))
  return retargeted(period[0]!.time, parent.time, (work.bip94 ? period[0]! : parent).bits, work)
}

/** Rule by rule what a header must be on top of `chain`; each yields whether it holds. */
export const HEADER_RULES: ReadonlyArray<
  readonly [
    rule: string,
    holds: (
      header: NaiveHeader,
      chain: NaiveChain,
      now: number,
      work: NaiveWorkParameters,
      heights: NaiveHeights
    ) => boolean
  ]
> = [
  ["HDR-001", ({ bits, time }, chain, _, work) => bits === requiredBits(chain, time, work)],
  ["HDR-002", ({ time }, chain) => time > medianTimePast(chain)],
  [
    "HDR-003",
    ({ time }, chain, _, work) => !work.bip94 || chain.length % interval(work) !== 0 || time >= chain.at(-1)!.time - 600
  ],
  ["HDR-004", ({ time }, _, now) => time <= now + 7_200],
  [
    "HDR-005",
    ({ version }, chain, _, __, heights) =>
      (chain.length < heights.bip34 || version >= 2) &&
      (chain.length < heights.bip66 || version >= 3) &&
      (chain.length < heights.bip65 || version >= 4)
  ]
]

/** The first rule a header breaks on top of `chain`, or `OK`. */
export const checkHeader = (
  header: NaiveHeader,
  chain: NaiveChain,
  now: number,
  work: NaiveWorkParameters,
  heights: NaiveHeights
): string => HEADER_RULES.find(([, holds]) => !holds(header, chain, now, work, heights))?.[0] ?? "OK"
