import { merkleRoot } from "@lockstep/kernel/internal/block/merkle.ts"
import { merkleRootCommits, transactionsAreNotRepeated } from "@lockstep/kernel/internal/block/merkle-commitment.ts"
import {
  checkWitnessCommitment,
  noWitnessWithoutCommitment,
  witnessCommitmentIndex,
  witnessCommitmentMatches,
  witnessNonceSize
} from "@lockstep/kernel/internal/block/witness-commitment.ts"
import { nobleCrypto } from "@lockstep/kernel/internal/crypto/noble.ts"
import fc, { type Arbitrary } from "fast-check"
import { assert, describe, it } from "vitest"
import { agree } from "../../agree.ts"
import { anyBlock } from "../../arbitraries/block.ts"
import { bytesOf, mutated } from "../../arbitraries/bytes.ts"
import { anyTransaction, witnessStack } from "../../arbitraries/transaction.ts"
import { anyScenario, validScenario } from "../../arbitraries/world.ts"
import { check } from "../../check.ts"
import type { NaiveBlock } from "../../oracles/block.ts"
import { join } from "../../oracles/byte-string.ts"
import * as oracle from "../../oracles/check-block.ts"
import { type NaiveTransaction, serializeWithoutWitness } from "../../oracles/transaction.ts"
import { kernelBlock, kernelIdentity, kernelIdentityWithRoots, kernelIds } from "../../subject/chain.ts"
import { kernelTransaction, verdictName } from "../../subject/kernel.ts"

const rooted = (block: NaiveBlock): string =>
  verdictName(merkleRootCommits(kernelBlock(block), merkleRoot(kernelIds(block), nobleCrypto)))
const unrepeated = (block: NaiveBlock): string =>
  verdictName(transactionsAreNotRepeated(merkleRoot(kernelIds(block), nobleCrypto)))

const block: Arbitrary<NaiveBlock> = fc.oneof(
  { weight: 4, arbitrary: anyScenario.map((made) => made.block) },
  { weight: 1, arbitrary: anyBlock }
)

const validBlock = validScenario.map((made) => made.block)

/** A list of transactions with one changed outside its witness, left out, put in, or swapped with another. */
const editedList = (
  transactions: ReadonlyArray<NaiveTransaction>,
  kind: number,
  at: number,
  other: NaiveTransaction
): ReadonlyArray<NaiveTransaction> => {
  const index = at % transactions.length
  const [tx, next] = [transactions[index]!, transactions[(index + 1) % transactions.length]!]
  switch (kind) {
    case 0:
      return transactions.map((each) => (each === tx ? { ...each, lockTime: each.lockTime + 1 } : each))
    case 1:
      return transactions.filter((each) => each !== tx)
    case 2:
      return [...transactions.slice(0, index), other, ...transactions.slice(index)]
    case 3:
      return [...transactions, ...transactions.slice(-1 - index)]
    default:
      return transactions.map((each) => (each === tx ? next : each === next ? tx : each))
  }
}

/** What is in a block's list but for the witnesses. */
const stripped = (transactions: ReadonlyArray<NaiveTransaction>): string =>
  transactions.map((tx) => Buffer.from(serializeWithoutWitness(tx)).toString("hex")).join(" ")

/** Scripts that are commitments, nearly are, or have more behind. */
const commitmentScript: Arbitrary<Uint8Array> = fc.oneof(
  bytesOf(32).map((hash) => join([0x6a, 0x24, 0xaa, 0x21, 0xa9, 0xed], hash)),
  fc.integer({ min: 30, max: 34 }).map((size) => join([0x6a, 0x24, 0xaa, 0x21, 0xa9, 0xed], new Uint8Array(size))),
  mutated(bytesOf(32).map((hash) => join([0x6a, 0x24, 0xaa, 0x21, 0xa9, 0xed], hash))),
  fc.uint8Array({ maxLength: 45 })
)

const committing: Arbitrary<NaiveTransaction> = fc
  .tuple(
    anyTransaction,
    fc.array(fc.record({ value: fc.bigInt({ min: 0n, max: 9n }), script: commitmentScript }), { maxLength: 4 })
  )
  .map(([tx, outputs]) => ({ ...tx, outputs }))

const nonceWitness = fc.oneof(
  witnessStack,
  fc.array(
    fc.constantFrom(31, 32, 32, 33, 0).map((size) => new Uint8Array(size)),
    { maxLength: 3 }
  )
)

const isCommitted = ({ transactions }: NaiveBlock): boolean =>
  transactions.length > 0 &&
  oracle.witnessCommitmentIndex(transactions[0]!) >= 0 &&
  oracle.witnessNonceSize(transactions[0]!) === "OK"

const matches = (given: NaiveBlock): string => {
  const index = oracle.witnessCommitmentIndex(given.transactions[0]!)
  const { witnessRoot } = kernelIdentityWithRoots(given)
  return verdictName(witnessCommitmentMatches(kernelBlock(given), index, witnessRoot!, nobleCrypto))
}

const witnessed = (given: NaiveBlock, expected: boolean, identityOf = kernelIdentity): string =>
  verdictName(checkWitnessCommitment(kernelBlock(given), identityOf(given), expected, nobleCrypto))

describe("BLK what a block commits to", () => {
  it("BLK-002/P1 the verdict equals the statement", () => {
    check(
      fc.property(block, (given) => agree(rooted(given), oracle.merkleRootCommits(given))),
      150
    )
  })

  it("BLK-002/P2 changing the list of transactions breaks it, but for repetitions that are found", () => {
    check(
      fc.property(validBlock, fc.nat(4), fc.nat(), anyTransaction, (given, kind, at, other) => {
        const transactions = editedList(given.transactions, kind, at, other)
        if (stripped(transactions) === stripped(given.transactions)) return
        const edited = { ...given, transactions }
        assert(rooted(edited) === "BLK-002" || unrepeated(edited) === "BLK-003")
      }),
      200
    )
  })

  it("BLK-003/P1 the verdict equals the statement", () => {
    check(
      fc.property(block, (given) => agree(unrepeated(given), oracle.transactionsAreNotRepeated(given))),
      150
    )
    check(
      fc.property(validBlock, fc.nat(3), (given, power) => {
        const repeated = { ...given, transactions: [...given.transactions, ...given.transactions.slice(-(1 << power))] }
        agree(unrepeated(repeated), oracle.transactionsAreNotRepeated(repeated))
      })
    )
  })

  it("BLK-011/P1 the verdict equals the statement", () => {
    check(
      fc.property(anyTransaction, nonceWitness, (tx, witness) => {
        const coinbase = { ...tx, inputs: tx.inputs.map((input, i) => (i === 0 ? { ...input, witness } : input)) }
        agree(verdictName(witnessNonceSize(kernelTransaction(coinbase))), oracle.witnessNonceSize(coinbase))
      })
    )
  })

  it("BLK-012/P1 the verdict equals the statement", () => {
    check(
      fc.property(
        anyScenario.map((made) => made.block).filter(isCommitted),
        (given) =>
          agree(
            matches(given),
            oracle.witnessCommitmentMatches(given, oracle.witnessCommitmentIndex(given.transactions[0]!))
          )
      ),
      150
    )
  })

  it("BLK-012/P2 changing any byte of any witness breaks it", () => {
    check(
      fc.property(validBlock.filter(isCommitted), fc.nat(), fc.integer({ min: 1, max: 255 }), (given, at, by) => {
        const total = given.transactions
          .flatMap(({ inputs }) => inputs.flatMap(({ witness }) => witness))
          .reduce((size, item) => size + item.length, 0)
        let left = at % total
        const changed = (item: Uint8Array): Uint8Array => {
          const here = left
          left -= item.length
          return here >= 0 && left < 0 ? item.map((byte, i) => (i === here ? byte ^ by : byte)) : item
        }
        const transactions = given.transactions.map((tx) => ({
          ...tx,
          inputs: tx.inputs.map((input) => ({ ...input, witness: input.witness.map(changed) }))
        }))
        agree(matches(given), "OK")
        agree(matches({ ...given, transactions }), "BLK-012")
      }),
      150
    )
  })

  it("BLK-013/P1 the verdict equals the statement", () => {
    check(
      fc.property(
        block,
        (given) => agree(verdictName(noWitnessWithoutCommitment(kernelBlock(given))), oracle.noWitness(given))
      )
    )
  })

  it("BLK-019/P1 the value equals the statement", () => {
    check(
      fc.property(
        committing,
        (tx) => agree(witnessCommitmentIndex(kernelTransaction(tx)), oracle.witnessCommitmentIndex(tx))
      ),
      500
    )
  })

  it("BLK-020/P1 the verdict and the rule it names equal the statement", () => {
    check(
      fc.property(block, fc.boolean(), (given, expected) =>
        agree(
          witnessed(given, expected),
          oracle.checkWitnesses(given, expected)
        )),
      300
    )
  })

  it("BLK-020/P2 the verdict and the rule it names are the same with roots", () => {
    check(
      fc.property(block, fc.boolean(), (given, expected) =>
        agree(
          witnessed(given, expected, kernelIdentityWithRoots),
          witnessed(given, expected)
        )),
      150
    )
  })
})
