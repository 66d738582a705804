import {
  coinbasePaysAtMost,
  feesAreInRange,
  overwritesNoCoin,
  sigOpCostFitsBlock
} from "@lockstep/kernel/internal/connect/block-rules.ts"
import { blockSubsidy } from "@lockstep/kernel/internal/connect/subsidy.ts"
import { applyTransaction, type Overlay, overlayOn } from "@lockstep/kernel/internal/utxo/overlay.ts"
import { isUnspendable } from "@lockstep/kernel/internal/utxo/spendable.ts"
import { disconnectBlock } from "@lockstep/kernel/internal/utxo/undo.ts"
import fc, { type Arbitrary } from "fast-check"
import { assert, describe, it } from "vitest"
import { agree } from "../../agree.ts"
import { anyBytes } from "../../arbitraries/bytes.ts"
import { anyCoin, fewIds, fewOutPoints, someCoins, spendingTransaction } from "../../arbitraries/coins.ts"
import { edgeAmount } from "../../arbitraries/number.ts"
import { anySpend } from "../../arbitraries/doubtful-spend.ts"
import { flagSet } from "../../arbitraries/flags.ts"
import { filled } from "../../arbitraries/transaction.ts"
import { check } from "../../check.ts"
import type { NaiveBlock } from "../../oracles/block.ts"
import * as oracle from "../../oracles/coins.ts"
import { disconnectBlock as naiveDisconnect, type NaiveUndo, overwrites } from "../../oracles/connect.ts"
import { type NaiveTransaction, transactionId } from "../../oracles/transaction.ts"
import {
  changesOf,
  inOrder,
  kernelBlock,
  kernelIds,
  kernelUndo,
  kernelView,
  placedCoin,
  withChanges
} from "../../subject/chain.ts"
import { kernelTransaction, kernelVerdict, verdictName } from "../../subject/kernel.ts"

const outputScript = fc.oneof(
  anyBytes(6),
  anyBytes(4).map((rest) => Uint8Array.of(0x6a, ...rest)),
  fc
    .tuple(fc.constantFrom(9_999, 10_000, 10_001, 12_000), fc.constantFrom(0x51, 0x6a, 0))
    .map(([n, byte]) => new Uint8Array(n).fill(byte))
)

const step = fc.record({ tx: spendingTransaction, txid: fewIds, height: fc.nat(200), isCoinbase: fc.boolean() })

/** Makes more coins than a table begins with room for. */
const prolific = fc.tuple(step, fc.integer({ min: 20, max: 200 })).map(([made, count]) => ({
  ...made,
  tx: {
    ...made.tx,
    outputs: Array.from({ length: count }, (_, i) => ({ value: BigInt(i), script: Uint8Array.of(0x51) }))
  }
}))

const HEADER = new Uint8Array(80)

interface Disconnection {
  readonly block: NaiveBlock
  readonly height: number
  readonly undo: NaiveUndo
  readonly coins: oracle.NaiveCoins
}

/**
 * A block as it was connected to some coins, whatever rules that breaks; it may make outputs that were there already.
 */
const connected: Arbitrary<Disconnection> = fc
  .tuple(
    fc.array(spendingTransaction, { minLength: 1, maxLength: 4 }),
    someCoins(200),
    anyCoin(200),
    fc.nat(200),
    fc.array(fc.tuple(fc.nat(3), fc.nat(2)), { maxLength: 3 })
  )
  .map(([transactions, placed, filler, height, repeated]) => {
    const there = repeated.flatMap(([index, vout]) =>
      transactions[index] === undefined
        ? []
        : [[oracle.outPointKey(transactionId(transactions[index]), vout), filler] as const]
    )
    const spent: Array<ReadonlyArray<oracle.NaiveCoin>> = []
    const replaced: Array<readonly [string, oracle.NaiveCoin]> = []
    let coins: oracle.NaiveCoins = new Map([...placed, ...there])
    for (const [i, tx] of transactions.entries()) {
      const keys = tx.inputs.map(oracle.prevoutKey)
      if (i > 0) spent.push(keys.map((key) => coins.get(key) ?? filler))
      const after = oracle.applyTransaction(coins, tx, transactionId(tx), height, i === 0)
      coins = after.coins
      replaced.push(...after.replaced)
    }
    return { block: { header: HEADER, transactions }, height, undo: { spent, replaced }, coins }
  })

/** A coin a little different. */
const otherCoin = (coin: oracle.NaiveCoin, how: number): oracle.NaiveCoin => {
  switch (how % 4) {
    case 0:
      return { ...coin, value: coin.value + 1n }
    case 1:
      return { ...coin, height: coin.height + 1 }
    case 2:
      return { ...coin, isCoinbase: !coin.isCoinbase }
    default:
      return { ...coin, script: Uint8Array.of(...coin.script, 0) }
  }
}

/** The same with one thing that does not fit any more. */
const doubtful: Arbitrary<Disconnection> = fc
  .tuple(connected, fc.nat(7), fc.nat(), fewOutPoints)
  .map(([made, kind, at, place]) => {
    const { spent } = made.undo
    const keys = [...made.coins.keys()]
    const [key] = keys.slice(at % Math.max(1, keys.length))
    const undoWith = (changed: NaiveUndo["spent"]): Disconnection => ({
      ...made,
      undo: { ...made.undo, spent: changed }
    })
    switch (kind) {
      case 0:
        return undoWith(spent.slice(1))
      case 1:
        return undoWith([...spent, []])
      case 2:
        return undoWith(spent.map((coins, i) => (i === at % spent.length ? coins.slice(1) : coins)))
      case 3:
        return undoWith(spent.map((coins) => coins.map((coin) => otherCoin(coin, at))))
      case 4:
        return { ...made, height: made.height + 1 }
      case 5:
        return { ...made, coins: new Map([...made.coins].filter(([each]) => each !== key)) }
      case 6:
        return {
          ...made,
          coins: new Map([...made.coins].map(([each, coin]) => [each, each === key ? otherCoin(coin, at) : coin]))
        }
      default:
        return {
          ...made,
          coins: new Map([
            ...made.coins,
            [oracle.outPointKey(place.txid, place.vout), { value: 1n, script: HEADER, height: 0, isCoinbase: false }]
          ])
        }
    }
  })

describe("UTX coins", () => {
  it("UTX-001/P1 the value equals the statement", () => {
    check(
      fc.property(outputScript, (script) => agree(isUnspendable(script), oracle.isUnspendable(script))),
      300
    )
  })

  it("UTX-001/P2 no spend of such an output is valid", () => {
    const unspendable = outputScript.filter(oracle.isUnspendable)
    check(
      fc.property(anySpend, unspendable, flagSet, (spend, script, flags) => {
        const { script: scriptSig, witness } = spend.tx.inputs[spend.index]!
        assert.notStrictEqual(kernelVerdict({ ...filled(spend, scriptSig, script, witness), flags }), "OK")
      })
    )
  })

  it("UTX-002/P1 view and value equal the statement", () => {
    check(
      fc.property(
        someCoins(),
        fc.array(fc.oneof({ weight: 9, arbitrary: step }, { weight: 1, arbitrary: prolific }), {
          minLength: 1,
          maxLength: 4
        }),
        (before, steps) => {
          const overlay = overlayOn(kernelView(before), 1, steps.length)
          let coins = before
          for (const { tx, txid, height, isCoinbase } of steps) {
            const expected = oracle.applyTransaction(coins, tx, txid, height, isCoinbase)
            agree(
              applyTransaction(overlay, kernelTransaction(tx), txid, height, isCoinbase),
              expected.replaced.map(placedCoin)
            )
            coins = expected.coins
            agree(inOrder(withChanges(before, overlay)), inOrder(coins))
            for (const [key, was] of changesOf(overlay)) agree(was, before.get(key))
            for (const [key, coin] of coins) agree(overlay.coinAt(placedCoin([key, coin]).outpoint), coin)
          }
        }
      ),
      300
    )
  })

  it("UTX-002/P2 the view below is never written to", () => {
    check(
      fc.property(someCoins(), step, (coins, { tx, txid, height, isCoinbase }) => {
        const before = inOrder(coins)
        const below: Overlay = overlayOn(kernelView(coins), 4, 7)
        applyTransaction(overlayOn(below, 4, 7), kernelTransaction(tx), txid, height, isCoinbase)
        agree(changesOf(below), [])
        agree(inOrder(coins), before)
      })
    )
  })

  it("UTX-003/P1 verdict and view equal the statement", () => {
    check(
      fc.property(fc.oneof(connected, doubtful, doubtful), ({ block, height, undo, coins }) => {
        const verdict = disconnectBlock(
          kernelBlock(block),
          kernelIds(block),
          height,
          kernelUndo(undo),
          kernelView(coins),
          height
        )
        const expected = naiveDisconnect(block, height, undo, coins)
        agree(verdictName(verdict), expected === undefined ? "UTX-003" : "OK")
        if (verdict._tag === "Success") agree(inOrder(withChanges(coins, verdict.success)), inOrder(expected!))
      }),
      600
    )
  })

  const period = fc.tuple(fc.constantFrom(1, 2, 3, 150, 210_000), fc.nat(70), fc.nat(), fc.constantFrom(-1, 0, 1, 2))
  const heightOf = ([interval, halvings, more, by]: readonly [number, number, number, number]): number =>
    Math.max(0, interval * halvings + (by < 2 ? by : more % interval))

  it("UTX-004/P1 the value equals the statement", () => {
    check(
      fc.property(period, (at) => agree(blockSubsidy(heightOf(at), at[0]), oracle.blockSubsidy(heightOf(at), at[0]))),
      500
    )
    agree(blockSubsidy(0x7fffffff, 1), 0n)
  })

  it("UTX-004/P2 the subsidies of all heights add up to 2,099,999,997,690,000 satoshis", () => {
    let total = 0n
    for (let halvings = 0; halvings <= 65; halvings++) {
      const first = blockSubsidy(halvings * 210_000, 210_000)
      for (const at of [1, 2, 104_999, 209_998, 209_999]) agree(blockSubsidy(halvings * 210_000 + at, 210_000), first)
      total += 210_000n * first
    }
    agree(total, 2_099_999_997_690_000n)
    agree(blockSubsidy(33 * 210_000 - 1, 210_000), 1n)
    agree(blockSubsidy(33 * 210_000, 210_000), 0n)
  })

  it("UTX-004/P3 a greater height never has a greater subsidy", () => {
    check(
      fc.property(
        period,
        fc.nat(500_000),
        (at, more) => assert(blockSubsidy(heightOf(at) + more, at[0]) <= blockSubsidy(heightOf(at), at[0]))
      ),
      300
    )
  })

  it("UTX-005/P1 the verdict equals the statement", () => {
    const met = fc
      .tuple(fc.array(spendingTransaction, { maxLength: 3 }), someCoins(), anyCoin(), fc.nat(), fc.nat(3))
      .map(([transactions, coins, coin, at, vout]) => {
        const tx: NaiveTransaction | undefined = transactions[at % Math.max(1, transactions.length)]
        const there = tx === undefined ? [] : [[oracle.outPointKey(transactionId(tx), vout), coin] as const]
        return { block: { header: HEADER, transactions }, coins: new Map([...coins, ...there]) }
      })
    check(
      fc.property(met, ({ block, coins }) =>
        agree(
          verdictName(overwritesNoCoin(kernelBlock(block), kernelIds(block), kernelView(coins))),
          overwrites(block, coins) ? "UTX-005" : "OK"
        )),
      300
    )
  })

  it("UTX-006/P1 the verdict equals the statement", () => {
    check(
      fc.property(
        edgeAmount,
        (fees) =>
          agree(verdictName(feesAreInRange(fees)), fees >= 0n && fees <= 2_100_000_000_000_000n ? "OK" : "UTX-006")
      )
    )
  })

  it("UTX-007/P1 the verdict equals the statement", () => {
    check(
      fc.property(
        fc.oneof(fc.integer({ min: 79_990, max: 80_010 }), fc.nat()),
        (cost) => agree(verdictName(sigOpCostFitsBlock(cost)), cost <= 80_000 ? "OK" : "UTX-007")
      )
    )
  })

  it("UTX-008/P1 the verdict equals the statement", () => {
    const amounts = fc
      .tuple(edgeAmount, fc.oneof(fc.constantFrom(-1n, 0n, 1n), edgeAmount))
      .map(([limit, by]) => [limit + by, limit] as const)
    check(
      fc.property(
        amounts,
        ([paid, limit]) => agree(verdictName(coinbasePaysAtMost(paid, limit)), paid <= limit ? "OK" : "UTX-008")
      )
    )
  })
})
