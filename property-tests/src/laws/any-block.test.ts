import { checkBlock, checkBlockInContext } from "@lockstep/kernel/internal/block/check-block.ts"
import { blockIsMutated } from "@lockstep/kernel/internal/block/mutated.ts"
import { checkWitnessCommitment } from "@lockstep/kernel/internal/block/witness-commitment.ts"
import { collectBlock } from "@lockstep/kernel/internal/connect/collect.ts"
import { judgeScripts } from "@lockstep/kernel/internal/connect/judge.ts"
import { nobleCrypto } from "@lockstep/kernel/internal/crypto/noble.ts"
import { forbidsOverwriting } from "@lockstep/kernel/internal/deployment/repeated-coinbase.ts"
import { deploymentState, signallingStatistics } from "@lockstep/kernel/internal/deployment/version-bits.ts"
import { checkHeader } from "@lockstep/kernel/internal/header/check-header.ts"
import { createMachine } from "@lockstep/kernel/internal/machine/machine.ts"
import { disconnectBlock } from "@lockstep/kernel/internal/utxo/undo.ts"
import { requiredBits, retarget } from "@lockstep/kernel/internal/header/required-work.ts"
import fc, { type Arbitrary } from "fast-check"
import { describe, it } from "vitest"
import { anyBlock } from "../arbitraries/block.ts"
import { anyCoin, someCoins, spendingTransaction } from "../arbitraries/coins.ts"
import { anyTree } from "../arbitraries/header-tree.ts"
import { edgeUint32 } from "../arbitraries/number.ts"
import { networkUpTo } from "../arbitraries/parameters.ts"
import { anyScript } from "../arbitraries/script.ts"
import { doubtfulTransaction } from "../arbitraries/transaction.ts"
import { anyBits, workParameters } from "../arbitraries/work.ts"
import { check } from "../check.ts"
import type { NaiveBlock } from "../oracles/block.ts"
import { firstIsCoinbase } from "../oracles/check-block.ts"
import { readHeader } from "../oracles/header.ts"
import {
  kernelBlock,
  kernelChain,
  kernelChild,
  kernelHeader,
  kernelIdentity,
  kernelParameters,
  kernelView
} from "../subject/chain.ts"
import { kernelTree } from "../subject/tree.ts"

const transactions = fc.array(fc.oneof(doubtfulTransaction, spendingTransaction), { maxLength: 4 })
const block: Arbitrary<NaiveBlock> = fc.oneof(
  anyBlock,
  transactions.map((all) => ({ header: new Uint8Array(80), transactions: all }))
)

const coinbase = doubtfulTransaction
  .filter((tx) => tx.inputs.length === 1)
  .map((tx) => ({
    ...tx,
    inputs: tx.inputs.map((input) => ({ ...input, txid: new Uint8Array(32), vout: 0xffffffff }))
  }))

/** Blocks that begin with a coinbase, as those that are looked at in context do. */
const placedBlock = fc
  .tuple(coinbase, block)
  .map(([first, given]) => ({ ...given, transactions: [first, ...given.transactions] }))
  .filter((given) => firstIsCoinbase(given) === "OK")

const network = networkUpTo(12).chain((parameters) =>
  fc.option(anyScript, { nil: undefined }).map((signetChallenge) =>
    kernelParameters({ ...parameters, signetChallenge })
  )
)

const undo = fc.record({
  spent: fc.array(fc.array(anyCoin(), { maxLength: 4 }), { maxLength: 4 }),
  replaced: fc.constant([])
})

const tree = anyTree(12, anyBits).map(kernelTree)

describe("law: no block or header, however made, throws", () => {
  it("where a block is looked at by itself", () => {
    check(
      fc.property(block, network, fc.boolean(), (given, parameters, expected) => {
        const kernel = kernelBlock(given)
        checkBlock(kernel, kernelIdentity(given), parameters, nobleCrypto)
        blockIsMutated(kernel, kernelIdentity(given), expected, nobleCrypto)
        if (given.transactions.every(({ inputs }) => inputs.length > 0)) {
          checkWitnessCommitment(kernel, kernelIdentity(given), expected, nobleCrypto)
        }
      }),
      800
    )
  })

  it("where it is connected and disconnected", () => {
    check(
      fc.property(placedBlock, network, someCoins(20), tree, undo, (given, parameters, coins, nodes, wrong) => {
        const parent = nodes.at(-1)!
        const kernel = kernelBlock(given)
        const identity = kernelIdentity(given)
        checkBlockInContext(kernel, identity, parent, parameters, nobleCrypto)
        const node = kernelChild(parent, readHeader(given.header))
        const { jobs, delta } = collectBlock(kernel, node, identity, parameters, kernelView(coins))
        const machine = createMachine(nobleCrypto)
        for (const job of jobs) judgeScripts(machine, job)
        disconnectBlock(kernel, identity.transactionIds, node.height, wrong, delta, 0)
        forbidsOverwriting(node, parameters)
      }),
      800
    )
  })

  it("where a header is looked at", () => {
    const deployment = fc.record({
      bit: fc.nat(28),
      startTime: fc.oneof(edgeUint32, fc.constantFrom(-1, -2)),
      timeout: edgeUint32,
      minActivationHeight: edgeUint32,
      period: fc.integer({ min: 1, max: 20 }),
      threshold: fc.nat(30)
    })
    check(
      fc.property(
        tree,
        anyTree(1, anyBits),
        workParameters(6),
        network,
        deployment,
        edgeUint32,
        (nodes, { headers }, work, parameters, given, now) => {
          const [node, header] = [nodes.at(-1)!, kernelHeader(headers[0]!)]
          checkHeader(header, node, now, { ...parameters, work })
          requiredBits(node, now, work)
          retarget(now, header.time, header.bits, work)
          deploymentState(kernelChain(headers), given)
          deploymentState(node, given)
          signallingStatistics(node, given)
        }
      ),
      800
    )
  })
})
