import { headerOf } from "@lockstep/kernel/model"
import { isZero } from "@lockstep/kernel/bytes"
import { expandTarget } from "@lockstep/kernel/work"
import * as Schema from "effect/Schema"
import type { BlockFacts } from "../engine/api/chain-calls.ts"
import { Hex, optionalDescribed, Time, described } from "./result-schema.ts"
import { displayHash, hexOfNumber } from "../hex.ts"

/** Fields that describe the header of a block. */
export const HeaderFields = {
  hash: described(Hex, "The hash of the block"),
  confirmations: described(Schema.Number, "Blocks from this one to the tip; -1 when it is not in the active chain"),
  height: described(Schema.Number, "The height"),
  version: described(Schema.Number, "The version"),
  versionHex: described(Hex, "The version in hexadecimal digits"),
  merkleroot: described(Hex, "The merkle root"),
  time: described(Time, "The time in the header"),
  mediantime: described(Time, "The median time of this block and the ten before it"),
  nonce: described(Schema.Number, "The nonce"),
  bits: described(Hex, "The target in compact form"),
  target: described(Hex, "The target"),
  difficulty: described(Schema.Number, "How many times harder than the easiest target of the main network"),
  chainwork: described(Hex, "Hashes expected for the chain up to here"),
  nTx: described(Schema.Number, "Transactions in the block; 0 while only its header is known"),
  previousblockhash: optionalDescribed(Hex, "The block before"),
  nextblockhash: optionalDescribed(Hex, "The block after, in the active chain")
} as const

export const HeaderJson = Schema.Struct(HeaderFields)

export type HeaderJson = typeof HeaderJson.Type

/** The exponent at which a mantissa of 0xffff has difficulty 1. */
const UNIT_EXPONENT = 29

/** Returns the difficulty of a target, relative to the easiest target of the main network. */
export const difficultyOf = (bits: number): number => {
  let difficulty = 0xffff / (bits & 0x00ffffff)
  let exponent = bits >>> 24
  for (; exponent < UNIT_EXPONENT; exponent++) difficulty *= 256
  for (; exponent > UNIT_EXPONENT; exponent--) difficulty /= 256
  return difficulty
}

export const bitsText = (bits: number): string => bits.toString(16).padStart(8, "0")

export const targetText = (bits: number): string => hexOfNumber(expandTarget(bits) ?? 0n)

/** Returns the header of a block as answers show it. */
export const headerJson = (facts: BlockFacts): HeaderJson => {
  const header = headerOf(facts.header)
  return {
    hash: displayHash(facts.hash),
    confirmations: facts.confirmations,
    height: facts.height,
    version: header.version,
    versionHex: bitsText(header.version >>> 0),
    merkleroot: displayHash(header.merkleRoot),
    time: header.time,
    mediantime: facts.medianTime,
    nonce: header.nonce,
    bits: bitsText(header.bits),
    target: targetText(header.bits),
    difficulty: difficultyOf(header.bits),
    chainwork: hexOfNumber(facts.chainWork),
    nTx: facts.transactions,
    previousblockhash: isZero(header.previous) ? undefined : displayHash(header.previous),
    nextblockhash: facts.next === undefined ? undefined : displayHash(facts.next)
  }
}
