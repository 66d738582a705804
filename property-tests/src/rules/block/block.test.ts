import { checkBlock, checkBlockInContext } from "@lockstep/kernel/internal/block/check-block.ts"
import {
  coinbaseStartsWithHeight,
  firstIsCoinbase,
  onlyFirstIsCoinbase
} from "@lockstep/kernel/internal/block/coinbase.ts"
import { transactionsAreFinal } from "@lockstep/kernel/internal/block/final-transactions.ts"
import { blockIsNotTooHeavy, blockLength, legacySigOpsFitBlock } from "@lockstep/kernel/internal/block/limits.ts"
import { merkleRoot } from "@lockstep/kernel/internal/block/merkle.ts"
import { merkleRootCommits, transactionsAreNotRepeated } from "@lockstep/kernel/internal/block/merkle-commitment.ts"
import { blockIsMutated } from "@lockstep/kernel/internal/block/mutated.ts"
import { checkWitnessCommitment } from "@lockstep/kernel/internal/block/witness-commitment.ts"
import { nobleCrypto } from "@lockstep/kernel/internal/crypto/noble.ts"
import { medianTimePast } from "@lockstep/kernel/internal/chain/median-time.ts"
import { checkTransaction } from "@lockstep/kernel/internal/tx/check-transaction.ts"
import type { Verdict } from "@lockstep/kernel/internal/verdict.ts"
import { proofOfWork } from "@lockstep/kernel/internal/work/proof-of-work.ts"
import fc, { type Arbitrary } from "fast-check"
import { describe, it } from "vitest"
import { agree } from "../../agree.ts"
import { anyScenario, lockedScenario, type Scenario, validScenario } from "../../arbitraries/world.ts"
import { check } from "../../check.ts"
import type { NaiveBlock } from "../../oracles/block.ts"
import * as oracle from "../../oracles/check-block.ts"
import { merkleRoot as naiveRoot } from "../../oracles/merkle.ts"
import { readHeader, serializeHeader } from "../../oracles/header.ts"
import { type NaiveTransaction, transactionId } from "../../oracles/transaction.ts"
import {
  kernelBlock,
  kernelChain,
  kernelIdentity,
  kernelIdentityWithRoots,
  kernelParameters
} from "../../subject/chain.ts"
import { verdictName } from "../../subject/kernel.ts"

const alone = ({ block, place }: Scenario, identityOf = kernelIdentity): string =>
  verdictName(checkBlock(kernelBlock(block), identityOf(block), kernelParameters(place.parameters), nobleCrypto))

const inContext = ({ block, place }: Scenario): string =>
  verdictName(
    checkBlockInContext(
      kernelBlock(block),
      kernelIdentity(block),
      kernelChain(place.chain),
      kernelParameters(place.parameters),
      nobleCrypto
    )
  )

const isMutated = (block: NaiveBlock, witnesses: boolean, identityOf = kernelIdentity): boolean =>
  blockIsMutated(kernelBlock(block), identityOf(block), witnesses, nobleCrypto)

/** What is asked in context has a coinbase. */
const placed = fc
  .oneof({ weight: 1, arbitrary: anyScenario }, { weight: 1, arbitrary: lockedScenario })
  .filter(({ block }) => oracle.firstIsCoinbase(block) === "OK")

/** A scenario and some order of `count` rules. */
const ordered = (scenario: Arbitrary<Scenario>, count: number): Arbitrary<readonly [Scenario, ReadonlyArray<number>]> =>
  fc.tuple(scenario, fc.shuffledSubarray([...Array(count).keys()], { minLength: count }))

const passes = (rules: ReadonlyArray<() => Verdict<unknown>>, order: ReadonlyArray<number>): boolean =>
  order.every((index) => verdictName(rules[index]!()) === "OK")

const aloneRules = ({ block, place }: Scenario): ReadonlyArray<() => Verdict<unknown>> => {
  const [kernel, { hash, transactionIds }] = [kernelBlock(block), kernelIdentity(block)]
  const computed = merkleRoot(transactionIds, nobleCrypto)
  return [
    () => proofOfWork(hash, kernel.header.bits, place.parameters.work.powLimit),
    () => merkleRootCommits(kernel, computed),
    () => transactionsAreNotRepeated(computed),
    () => blockLength(kernel),
    () => firstIsCoinbase(kernel),
    () => onlyFirstIsCoinbase(kernel),
    () => kernel.transactions.map(checkTransaction).find((each) => each._tag === "Failure") ?? blockLength(kernel),
    () => legacySigOpsFitBlock(kernel)
  ]
}

const contextRules = ({ block, place }: Scenario): ReadonlyArray<() => Verdict<unknown>> => {
  const { heights } = place.parameters
  const [kernel, parent] = [kernelBlock(block), kernelChain(place.chain)]
  const height = parent.height + 1
  const cutoff = height >= heights.csv ? medianTimePast(parent) : kernel.header.time
  const witnesses = (): Verdict<unknown> =>
    checkWitnessCommitment(kernel, kernelIdentity(block), height >= heights.segwit, nobleCrypto)
  return [
    () => transactionsAreFinal(kernel, height, cutoff),
    () => (height >= heights.bip34 ? coinbaseStartsWithHeight(kernel, height) : witnesses()),
    witnesses,
    () => blockIsNotTooHeavy(kernel)
  ]
}

/** Transactions of 63 to 65 bytes, and a header that commits to them. */
const smallTransactions: Arbitrary<NaiveBlock> = fc
  .tuple(
    validScenario,
    fc.array(fc.tuple(fc.nat(3), fc.integer({ min: 3, max: 5 }), fc.boolean()), { minLength: 1, maxLength: 3 }),
    fc.boolean()
  )
  .map(([{ block }, sizes, keepsCoinbase]) => {
    const small = sizes.map(([tag, size, witnessed]): NaiveTransaction => ({
      version: tag,
      inputs: [
        {
          txid: new Uint8Array(32).fill(1),
          vout: tag,
          script: new Uint8Array(size - 2),
          sequence: 0,
          witness: witnessed ? [Uint8Array.of(1)] : []
        }
      ],
      outputs: [{ value: 0n, script: new Uint8Array(2) }],
      lockTime: 0
    }))
    const transactions = keepsCoinbase ? [block.transactions[0]!, ...small] : small
    const root = naiveRoot(transactions.map(transactionId)).root
    return { header: serializeHeader({ ...readHeader(block.header), merkleRoot: root }), transactions }
  })

describe("BLK a block as a whole", () => {
  it("BLK-015/P1 the verdict and the rule it names equal the statement", () => {
    check(
      fc.property(anyScenario, (made) => agree(alone(made), oracle.checkBlock(made.block, made.place.parameters))),
      400
    )
  })

  it("BLK-015/P2 which blocks pass does not depend on the order", () => {
    check(
      fc.property(
        ordered(anyScenario, 8),
        ([made, order]) => agree(passes(aloneRules(made), order), alone(made) === "OK")
      ),
      120
    )
  })

  it("BLK-015/P3 the verdict and the rule it names are the same with roots", () => {
    check(
      fc.property(anyScenario, (made) => agree(alone(made, kernelIdentityWithRoots), alone(made))),
      150
    )
  })

  it("BLK-016/P1 the verdict and the rule it names equal the statement", () => {
    check(
      fc.property(
        placed,
        (made) =>
          agree(inContext(made), oracle.checkBlockInContext(made.block, made.place.chain, made.place.parameters))
      ),
      600
    )
  })

  it("BLK-016/P2 which blocks pass does not depend on the order", () => {
    check(
      fc.property(
        ordered(placed, 4),
        ([made, order]) => agree(passes(contextRules(made), order), inContext(made) === "OK")
      ),
      120
    )
  })

  const suspect = fc.oneof(
    anyScenario.map((made) => made.block),
    smallTransactions
  )

  it("BLK-018/P1 the value equals the statement", () => {
    check(
      fc.property(
        suspect,
        fc.boolean(),
        (given, witnesses) => agree(isMutated(given, witnesses), oracle.blockIsMutated(given, witnesses))
      ),
      250
    )
  })

  it("BLK-018/P2 no honest block is mutated", () => {
    check(
      fc.property(fc.oneof(validScenario, placed), (made) => {
        const { block, place } = made
        if (alone(made) !== "OK" || inContext(made) !== "OK") return
        const witnesses = place.chain.length >= place.parameters.heights.segwit
        agree(isMutated(block, witnesses), false)
      }),
      150
    )
  })

  it("BLK-018/P3 the value is the same with roots", () => {
    check(
      fc.property(
        suspect,
        fc.boolean(),
        (given, witnesses) => agree(isMutated(given, witnesses, kernelIdentityWithRoots), isMutated(given, witnesses))
      ),
      150
    )
  })
})
