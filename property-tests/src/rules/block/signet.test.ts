import { signetSolutionHolds } from "@lockstep/kernel/internal/block/signet.ts"
import { nobleCrypto } from "@lockstep/kernel/internal/crypto/noble.ts"
import fc, { type Arbitrary } from "fast-check"
import { describe, it } from "vitest"
import { agree } from "../../agree.ts"
import { mutated } from "../../arbitraries/bytes.ts"
import { rerooted, type SignetBlock, signedBlock, signetBlock } from "../../arbitraries/signet-block.ts"
import { check } from "../../check.ts"
import { blockHash, type NaiveBlock } from "../../oracles/block.ts"
import type { NaiveParameters } from "../../oracles/deployments.ts"
import { type NaiveHeader, readHeader, serializeHeader } from "../../oracles/header.ts"
import * as oracle from "../../oracles/signet.ts"
import { EASY_NETWORK } from "../../sequence/network.ts"
import { kernelBlock, kernelIdentity, kernelParameters } from "../../subject/chain.ts"
import { verdictName } from "../../subject/kernel.ts"

const verdict = (block: NaiveBlock, parameters: NaiveParameters): string =>
  verdictName(signetSolutionHolds(kernelBlock(block), kernelIdentity(block), kernelParameters(parameters), nobleCrypto))

const networkOf = (signetChallenge: Uint8Array | undefined): NaiveParameters => ({ ...EASY_NETWORK, signetChallenge })

const withHeader = (block: NaiveBlock, change: Partial<NaiveHeader>): NaiveBlock => ({
  ...block,
  header: serializeHeader({ ...readHeader(block.header), ...change })
})

const withScript = ({ block, index }: SignetBlock, script: Uint8Array): NaiveBlock => {
  const transactions = block.transactions.map((tx, i) => ({
    ...tx,
    outputs: tx.outputs.map((output, k) => (i === 0 && k === index ? { ...output, script } : output))
  }))
  return rerooted(readHeader(block.header), transactions)
}

/** The block, or the same with its commitment, its list or its header changed. */
const doubtful: Arbitrary<readonly [NaiveBlock, NaiveParameters]> = fc.tuple(signetBlock, fc.nat(9)).chain(
  ([made, kind]) => {
    const { block, challenge, index } = made
    const { outputs } = block.transactions[0]!
    const network = networkOf(challenge)
    switch (kind) {
      case 0:
        return mutated(fc.constant(outputs[index]!.script)).map((script) =>
          [withScript(made, script), network] as const
        )
      case 1:
        return fc.constant([block, { ...network, genesisHash: blockHash(block) }] as const)
      case 2:
        return fc.constant([{ ...block, transactions: [] }, network] as const)
      case 3:
        return fc.constant([block, networkOf(undefined)] as const)
      case 4:
        return fc.integer().map((version) => [withHeader(block, { version }), network] as const)
      case 5:
        return fc.nat().map((nonce) => [withHeader(block, { nonce }), network] as const)
      case 6:
        return fc.constant([{ ...block, transactions: block.transactions.slice(0, 1) }, network] as const)
      default:
        return fc.constant([block, network] as const)
    }
  }
)

describe("BLK signed blocks", () => {
  it("BLK-017/P1 the verdict equals the statement", () => {
    check(
      fc.property(
        doubtful,
        ([block, network]) =>
          agree(verdict(block, network), oracle.signetSolutionHolds(block, network) ? "OK" : "BLK-017")
      ),
      120
    )
  })

  it("BLK-017/P2 a signed block stands for its version, parent, time and transactions, not for bits and nonce", () => {
    check(
      fc.property(signedBlock, fc.integer({ min: 1, max: 0xffff }), fc.nat(3), (made, by, kind) => {
        const { block, challenge } = made
        const network = networkOf(challenge)
        const { version, time, bits, nonce, previous } = readHeader(block.header)
        agree(verdict(block, network), "OK")
        agree(verdict(withHeader(block, { bits: bits ^ by, nonce: nonce ^ by }), network), "OK")
        const changed: ReadonlyArray<NaiveBlock> = [
          withHeader(block, { version: version ^ by }),
          withHeader(block, { time: time ^ by }),
          withHeader(block, { previous: previous.map((byte, i) => (i === by % 32 ? byte ^ 1 : byte)) }),
          rerooted(readHeader(block.header), [...block.transactions, { ...block.transactions[0]!, lockTime: by }])
        ]
        agree(verdict(changed[kind]!, network), "BLK-017")
      }),
      40
    )
  })
})
