import {
  ASN_FORM,
  type BitSource,
  bitsLeft,
  JUMP_FORM,
  MATCH_FORM,
  nextInstruction,
  nextInteger
} from "./bit-source.ts"

/** The number returned for an address without a known autonomous system. */
export const UNMAPPED = 0

const ADDRESS_BITS = 128
const MOST_PADDING = 7

/** Returns the number of bits of a pattern below its highest one, which marks its length. */
const patternLength = (pattern: number): number => 31 - Math.clz32(pattern)

const addressBit = (address: Uint8Array, i: number): number => (address[i >> 3]! >> (7 - (i & 7))) & 1

/** Returns the number of address bits that a pattern matches, or `undefined` if the address differs from it. */
const matched = (pattern: number, address: Uint8Array, at: number): number | undefined => {
  const length = patternLength(pattern)
  if (length > ADDRESS_BITS - at) return undefined
  for (let i = 0; i < length; i++) {
    if (addressBit(address, at + i) !== ((pattern >> (length - 1 - i)) & 1)) return undefined
  }
  return length
}

/**
 * Returns the number of the autonomous system that routes an address of 16 bytes (IPv4 as ::ffff:a.b.c.d), by the
 * program in an asmap. Precondition: {@link isAsmap}.
 */
export const asnOf = (asmap: Uint8Array, address: Uint8Array): number => {
  const source: BitSource = { bytes: asmap, at: 0 }
  let fallback = UNMAPPED
  let used = 0
  while (bitsLeft(source) > 0) {
    switch (nextInstruction(source)) {
      case "return":
        return nextInteger(source, ASN_FORM) ?? UNMAPPED
      case "jump": {
        const distance = nextInteger(source, JUMP_FORM)
        if (distance === undefined || used >= ADDRESS_BITS || distance >= bitsLeft(source)) return UNMAPPED
        if (addressBit(address, used++) === 1) source.at += distance
        break
      }
      case "match": {
        const pattern = nextInteger(source, MATCH_FORM)
        const taken = pattern === undefined ? undefined : matched(pattern, address, used)
        if (taken === undefined) return fallback
        used += taken
        break
      }
      case "default":
        fallback = nextInteger(source, ASN_FORM) ?? UNMAPPED
        break
      default:
        return UNMAPPED
    }
  }
  return UNMAPPED
}

interface Jump {
  readonly target: number
  readonly bits: number
}

/** State of a walk over the program. */
interface Walk {
  readonly source: BitSource
  /** Targets of jumps that are still ahead, the nearest last. */
  readonly jumps: Array<Jump>
  /** Number of address bits left. */
  bits: number
  before: "jump" | "match" | "default" | "short match"
}

const isPaddingLeft = ({ source }: Walk): boolean => {
  if (bitsLeft(source) > MOST_PADDING) return false
  const last = source.bytes.at(-1) ?? 0
  return bitsLeft(source) === 0 || last >> (8 - bitsLeft(source)) === 0
}

type Step = "goes on" | "ends well" | "is wrong"

const stepReturn = (walk: Walk): Step => {
  const { jumps, source } = walk
  if (walk.before === "default" || nextInteger(source, ASN_FORM) === undefined) return "is wrong"
  const next = jumps.pop()
  if (next === undefined) return isPaddingLeft(walk) ? "ends well" : "is wrong"
  if (source.at !== next.target) return "is wrong"
  walk.bits = next.bits
  walk.before = "jump"
  return "goes on"
}

const stepJump = (walk: Walk): Step => {
  const { jumps, source } = walk
  const distance = nextInteger(source, JUMP_FORM)
  if (distance === undefined || distance > bitsLeft(source) || walk.bits === 0) return "is wrong"
  walk.bits--
  const target = source.at + distance
  if (jumps.length > 0 && target >= jumps.at(-1)!.target) return "is wrong"
  jumps.push({ target, bits: walk.bits })
  walk.before = "jump"
  return "goes on"
}

const FULL_PATTERN = 8

const stepMatch = (walk: Walk): Step => {
  const pattern = nextInteger(walk.source, MATCH_FORM)
  if (pattern === undefined) return "is wrong"
  const length = patternLength(pattern)
  const isShort = length < FULL_PATTERN
  if (walk.bits < length || (isShort && walk.before === "short match")) return "is wrong"
  walk.bits -= length
  walk.before = isShort ? "short match" : "match"
  return "goes on"
}

const stepDefault = (walk: Walk): Step => {
  if (walk.before === "default" || nextInteger(walk.source, ASN_FORM) === undefined) return "is wrong"
  walk.before = "default"
  return "goes on"
}

const STEPS = { return: stepReturn, jump: stepJump, match: stepMatch, default: stepDefault } as const

/**
 * Reports whether bytes are an asmap that Bitcoin Core accepts. Every jump leads to an instruction after a finished
 * branch, nothing is redundant or unreachable, and only padding follows.
 */
export const isAsmap = (bytes: Uint8Array): boolean => {
  const walk: Walk = { source: { bytes, at: 0 }, jumps: [], bits: ADDRESS_BITS, before: "jump" }
  while (bitsLeft(walk.source) > 0) {
    if (walk.jumps.length > 0 && walk.source.at >= walk.jumps.at(-1)!.target) return false
    const instruction = nextInstruction(walk.source)
    const step = instruction === undefined ? "is wrong" : STEPS[instruction](walk)
    if (step !== "goes on") return step === "ends well"
  }
  return false
}
