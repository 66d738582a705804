import { ancestorAt } from "@lockstep/kernel/internal/chain/header-node.ts"
import { medianTimePast } from "@lockstep/kernel/internal/chain/median-time.ts"
import { sequenceLocks, sequenceLocksArePassed } from "@lockstep/kernel/internal/tx/sequence-locks.ts"
import fc, { type Arbitrary } from "fast-check"
import { describe, it } from "vitest"
import { agree } from "../../agree.ts"
import { transactionWithCoins } from "../../arbitraries/coins.ts"
import { anyTree, chainIn, chainTo, forwardTree } from "../../arbitraries/header-tree.ts"
import { edgeUint32 } from "../../arbitraries/number.ts"
import { check } from "../../check.ts"
import * as oracle from "../../oracles/coins.ts"
import * as header from "../../oracles/header.ts"
import type { NaiveTransaction } from "../../oracles/transaction.ts"
import { kernelChain } from "../../subject/chain.ts"
import { kernelTransaction, verdictName } from "../../subject/kernel.ts"

const LENGTH = 26
const TIME_LOCK = 0x400000

/** A relative lock: near the age a coin can have, with and without the bits that change its meaning. */
const lock: Arbitrary<number> = fc
  .tuple(
    fc.oneof(fc.nat(LENGTH + 2), fc.constantFrom(0xffff)),
    fc.constantFrom(0, 0, TIME_LOCK, TIME_LOCK, 0x80000000, 0x80400000, 0x3f0000)
  )
  .map(([amount, bits]) => amount + bits)

const version = fc.oneof(fc.constantFrom(2, 2, 1, 0, 3, 0x80000002, 0xffffffff, 0x80000000, 0x7fffffff), edgeUint32)

interface Locked {
  readonly chain: header.NaiveChain
  readonly tx: NaiveTransaction
  readonly coins: ReadonlyArray<oracle.NaiveCoin>
}

/** A transaction whose coins are of some chain, or of the block that goes on top of it. */
const lockedOn = (chains: Arbitrary<header.NaiveChain>): Arbitrary<Locked> =>
  fc
    .tuple(
      chains,
      transactionWithCoins(1_000),
      version,
      fc.array(fc.oneof(lock, edgeUint32), { minLength: 4, maxLength: 4 })
    )
    .map(([chain, { tx, coins }, number, locks]) => ({
      chain,
      tx: { ...tx, version: number, inputs: tx.inputs.map((input, i) => ({ ...input, sequence: locks[i]! })) },
      coins: coins.map((coin) => ({ ...coin, height: coin.height % (chain.length + 1) }))
    }))

const locked = lockedOn(chainIn(fc.oneof(forwardTree(LENGTH), anyTree(LENGTH))))

describe("TXI relative locks", () => {
  it("TXI-007/P1 the value equals the statement", () => {
    check(
      fc.property(
        locked,
        ({ chain, tx, coins }) =>
          agree(sequenceLocks(kernelTransaction(tx), coins, kernelChain(chain)), oracle.sequenceLocks(tx, coins, chain))
      ),
      600
    )
  })

  it("TXI-007/P2 below version 2 there is never a lock", () => {
    check(
      fc.property(
        locked,
        fc.nat(1),
        ({ chain, tx, coins }, below) =>
          agree(sequenceLocks(kernelTransaction({ ...tx, version: below }), coins, kernelChain(chain)), {
            height: -1,
            time: -1
          })
      ),
      100
    )
  })

  it("TXI-008/P1 the verdict equals the statement", () => {
    check(
      fc.property(locked, ({ chain, tx, coins }) => {
        const parent = kernelChain(chain)
        const verdict = sequenceLocksArePassed(sequenceLocks(kernelTransaction(tx), coins, parent), parent)
        agree(verdictName(verdict), oracle.locksHaveRunOut(tx, coins, chain) ? "OK" : "TXI-008")
      }),
      600
    )
    check(
      fc.property(
        chainIn(anyTree(LENGTH)),
        fc.integer({ min: -1, max: 1 }),
        fc.integer({ min: -1, max: 1 }),
        fc.nat(3),
        (chain, a, b, none) => {
          const median = header.medianTimePast(chain)
          const locks = { height: none === 1 ? -1 : chain.length + a, time: none === 2 ? -1 : Math.max(-1, median + b) }
          const holds = locks.height < chain.length && locks.time < median
          agree(verdictName(sequenceLocksArePassed(locks, kernelChain(chain))), holds ? "OK" : "TXI-008")
        }
      )
    )
  })

  it("TXI-008/P2 what has passed for a block has passed for every block on top of it", () => {
    const forward = forwardTree(LENGTH).map((tree) => chainTo(tree, tree.headers.length - 1))
    check(
      fc.property(lockedOn(forward), fc.nat(LENGTH), ({ chain, tx, coins }, back) => {
        const tip = kernelChain(chain)
        const earlier = ancestorAt(tip, Math.max(0, tip.height - back))!
        const old = coins.map((coin) => ({ ...coin, height: coin.height % (earlier.height + 2) }))
        const locks = sequenceLocks(kernelTransaction(tx), old, earlier)
        if (verdictName(sequenceLocksArePassed(locks, earlier)) !== "OK") return
        agree(verdictName(sequenceLocksArePassed(locks, tip)), "OK")
        agree(medianTimePast(tip) >= medianTimePast(earlier), true)
      })
    )
  })
})
