import { spendDigests } from "@lockstep/kernel/internal/sighash/digests.ts"
import { legacySighash } from "@lockstep/kernel/internal/sighash/legacy.ts"
import { taprootSighash } from "@lockstep/kernel/internal/sighash/taproot.ts"
import { witnessV0Sighash } from "@lockstep/kernel/internal/sighash/witness-v0.ts"
import { sha256 } from "../../src/oracles/hash.ts"
import * as oracle from "../../src/oracles/sighash.ts"
import type { NaiveSpend } from "../../src/oracles/spend.ts"
import { lengthPrefixed } from "../../src/oracles/transaction.ts"
import { kernelTransaction } from "../../src/subject/kernel.ts"
import { mutateScript } from "../mutate/script.ts"
import { mutateSpend } from "../mutate/spend.ts"
import { difference } from "../run/difference.ts"
import { isSpend } from "./spend-input.ts"
import type { Target } from "../target.ts"

interface Message {
  readonly spend: NaiveSpend
  readonly scriptCode: Uint8Array
  readonly hashType: number
  readonly annex: Uint8Array | undefined
  readonly leafHash: Uint8Array | undefined
  readonly separator: number
}

/** The three signature hashes of one input, with the shared digests and without. */
export const sighashTarget: Target<Message> = {
  name: "sighash",
  about: "the three signature hashes, with and without shared digests",
  generate: (random, { scripts, spends }) => ({
    spend: mutateSpend(random.pick(spends), random, random.pick(spends)),
    scriptCode: mutateScript(random.pick(scripts), random, Uint8Array.of(171, 2, 171, 171, 171)),
    hashType: random.oneIn(2)
      ? random.pick([0, 1, 2, 3, 0x81, 0x82, 0x83])
      : random.oneIn(4)
      ? random.below(2 ** 31) - 2 ** 30
      : random.below(256),
    annex: random.oneIn(2) ? Uint8Array.of(0x50, ...random.bytes(random.below(300))) : undefined,
    leafHash: random.oneIn(2) ? random.bytes(32) : undefined,
    separator: random.pick([0, 1, 0x7fffffff, 0x80000000, 0xffffffff])
  }),
  isInput: ({ spend, leafHash }) => isSpend(spend) && (leafHash === undefined || leafHash.length === 32),
  judge: ({ spend: { tx, index, spent }, scriptCode, hashType, annex, leafHash, separator }, providers) => {
    const { crypto } = providers[0]!
    const kernel = kernelTransaction(tx)
    const shared = spendDigests(kernel, spent, crypto)
    const amount = spent[index]!.value
    const nothing = new Uint8Array(0)
    const given = {
      annexHash: annex ? sha256(lengthPrefixed(annex)) : nothing,
      leafHash: leafHash ?? nothing,
      separatorInstruction: separator
    }
    const byte = hashType & 0xff
    const taproot = oracle.isTaprootHashType(byte, tx.outputs.length, index)
      ? oracle.taprootSighash(tx, index, spent, byte, annex, leafHash && { leafHash, separator })
      : undefined
    for (const digests of [{}, shared]) {
      const wrong = difference(
        "legacy",
        legacySighash(kernel, index, scriptCode, hashType, digests, crypto),
        oracle.legacySighash(tx, index, scriptCode, hashType)
      ) ??
        difference(
          "witness v0",
          witnessV0Sighash(kernel, index, scriptCode, amount, hashType, digests, crypto),
          oracle.witnessV0Sighash(tx, index, scriptCode, amount, hashType)
        ) ??
        difference("taproot", taprootSighash(kernel, index, spent, byte, given, digests, crypto), taproot)
      if (wrong !== undefined) return wrong
    }
    return undefined
  }
}
