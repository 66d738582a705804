import { headerOf } from "@lockstep/kernel/model/header.ts"
import { isZero } from "@lockstep/kernel/bytes/equal.ts"
import { expandTarget } from "@lockstep/kernel/work/compact-target.ts"
import * as Schema from "effect/Schema"
import type { BlockFacts } from "../../engine/calls/engine-calls.ts"
import { Hex, maybe, Time, told } from "../method/result-schema.ts"
import { displayHash, hexOfNumber } from "./hex.ts"

/** What is told about the header of a block. */
export const HeaderFields = {
  hash: told(Hex, "The hash of the block"),
  confirmations: told(Schema.Number, "Blocks from this one to the tip; -1 when it is not in the active chain"),
  height: told(Schema.Number, "The height"),
  version: told(Schema.Number, "The version"),
  versionHex: told(Hex, "The version in hexadecimal digits"),
  merkleroot: told(Hex, "The merkle root"),
  time: told(Time, "The time in the header"),
  mediantime: told(Time, "The median time of this block and the ten before it"),
  nonce: told(Schema.Number, "The nonce"),
  bits: told(Hex, "The target in compact form"),
  target: told(Hex, "The target"),
  difficulty: told(Schema.Number, "How many times harder than the easiest target of the main network"),
  chainwork: told(Hex, "Hashes expected for the chain up to here"),
  nTx: told(Schema.Number, "Transactions in the block; 0 while only its header is known"),
  previousblockhash: maybe(Hex, "The block before"),
  nextblockhash: maybe(Hex, "The block after, in the active chain")
} as const

export const HeaderJson = Schema.Struct(HeaderFields)

export type HeaderJson = typeof HeaderJson.Type

/** The exponent at which a mantissa of 0xffff is difficulty 1. */
const UNIT_EXPONENT = 29

/** How hard a target is to meet, against the easiest one of the main network. */
export const difficultyOf = (bits: number): number => {
  let difficulty = 0xffff / (bits & 0x00ffffff)
  let exponent = bits >>> 24
  for (; exponent < UNIT_EXPONENT; exponent++) difficulty *= 256
  for (; exponent > UNIT_EXPONENT; exponent--) difficulty /= 256
  return difficulty
}

export const bitsText = (bits: number): string => bits.toString(16).padStart(8, "0")

export const targetText = (bits: number): string => hexOfNumber(expandTarget(bits) ?? 0n)

/** The header of a block as answers show it. */
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
