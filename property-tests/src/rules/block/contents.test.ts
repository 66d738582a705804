import {
  coinbaseStartsWithHeight,
  firstIsCoinbase,
  onlyFirstIsCoinbase
} from "@lockstep/kernel/internal/block/coinbase.ts"
import { transactionsAreFinal } from "@lockstep/kernel/internal/block/final-transactions.ts"
import { blockIsNotTooHeavy, blockLength, legacySigOpsFitBlock } from "@lockstep/kernel/internal/block/limits.ts"
import fc, { type Arbitrary } from "fast-check"
import { assert, describe, it } from "vitest"
import { agree } from "../../agree.ts"
import { anyBlock } from "../../arbitraries/block.ts"
import { edgeUint32 } from "../../arbitraries/number.ts"
import { doubtfulTransaction, witnessStack } from "../../arbitraries/transaction.ts"
import { anyScenario, validScenario } from "../../arbitraries/world.ts"
import { check } from "../../check.ts"
import { blockWeight, type NaiveBlock } from "../../oracles/block.ts"
import { join } from "../../oracles/byte-string.ts"
import * as oracle from "../../oracles/check-block.ts"
import { legacySigOps } from "../../oracles/sigops.ts"
import { type NaiveTransaction, serializeWithoutWitness } from "../../oracles/transaction.ts"
import { kernelBlock } from "../../subject/chain.ts"
import { verdictName } from "../../subject/kernel.ts"

const HEADER = new Uint8Array(80)

const block: Arbitrary<NaiveBlock> = fc.oneof(
  { weight: 2, arbitrary: anyScenario.map((made) => made.block) },
  { weight: 1, arbitrary: anyBlock },
  {
    weight: 1,
    arbitrary: fc.array(doubtfulTransaction, { maxLength: 3 }).map((transactions) => ({ header: HEADER, transactions }))
  }
)

const withFirst = (given: NaiveBlock, change: (tx: NaiveTransaction) => NaiveTransaction): NaiveBlock => ({
  ...given,
  transactions: given.transactions.map((tx, i) => (i === 0 ? change(tx) : tx))
})

const paying = (given: NaiveBlock, script: Uint8Array): NaiveBlock =>
  withFirst(given, (tx) => ({ ...tx, outputs: [...tx.outputs, { value: 0n, script }] }))

const strippedLength = (given: NaiveBlock): number =>
  81 + given.transactions.reduce((size, tx) => size + serializeWithoutWitness(tx).length, 0)

/** Blocks of about a million bytes without their witnesses. */
const longBlock = fc.tuple(validScenario, fc.constantFrom(999_999, 1_000_000, 1_000_000, 1_000_001)).map(
  ([made, size]) => {
    const room = size - strippedLength(paying(made.block, new Uint8Array(100_000)))
    return paying(made.block, new Uint8Array(100_000 + room))
  }
)

/** Blocks of about four million weight units, most of them in one witness. */
const heavyBlock = fc.tuple(validScenario, fc.constantFrom(3_999_999, 4_000_000, 4_000_000, 4_000_001)).map(
  ([made, weight]) => {
    const witnessed = (size: number): NaiveBlock =>
      withFirst(
        made.block,
        (tx) => ({ ...tx, inputs: tx.inputs.map((input) => ({ ...input, witness: [new Uint8Array(size)] })) })
      )
    return witnessed(100_000 + weight - blockWeight(witnessed(100_000)))
  }
)

/** Blocks with 20,000 signature operations, or one more or less. */
const countedBlock = fc
  .tuple(validScenario, fc.constantFrom(19_999, 20_000, 20_000, 20_001), fc.constantFrom(0xac, 0xad))
  .map(([made, count, opcode]) => {
    const there = made.block.transactions.reduce((sum, tx) => sum + legacySigOps(tx), 0)
    return paying(made.block, new Uint8Array(count - there).fill(opcode))
  })

const heights = fc.oneof(
  fc.nat(20),
  fc.constantFrom(127, 128, 255, 256, 32_767, 32_768, 65_536, 0x7fffff, 0x800000),
  fc.nat(2_000_000)
)

/** A height, and a coinbase script that starts with it, nearly does, or names another. */
const named = fc.tuple(heights, heights, fc.uint8Array({ maxLength: 5 }), fc.nat(6)).map(
  ([height, other, rest, kind]) => {
    const push = oracle.heightPush(height)
    const scripts = [
      push,
      push,
      oracle.heightPush(other),
      push.subarray(0, -1),
      join([0x4c], push),
      join(push.subarray(0, -1), [0]),
      rest
    ]
    return { height, script: join(scripts[kind]!, kind === 3 ? [] : rest) }
  }
)

const coinbaseOf = (script: Uint8Array): NaiveBlock => ({
  header: HEADER,
  transactions: [
    {
      version: 1,
      inputs: [{ txid: new Uint8Array(32), vout: 0xffffffff, script, sequence: 0, witness: [] }],
      outputs: [],
      lockTime: 0
    }
  ]
})

const startsWith = (script: Uint8Array, height: number): string =>
  verdictName(coinbaseStartsWithHeight(kernelBlock(coinbaseOf(script)), height))

describe("BLK what a block holds", () => {
  it("BLK-004/P1 the verdict equals the statement", () => {
    check(fc.property(block, (given) => agree(verdictName(blockLength(kernelBlock(given))), oracle.blockLength(given))))
    check(
      fc.property(longBlock, (given) => agree(verdictName(blockLength(kernelBlock(given))), oracle.blockLength(given))),
      12
    )
    agree(verdictName(blockLength(kernelBlock({ header: HEADER, transactions: [] }))), "BLK-004")
  })

  it("BLK-004/P2 witnesses have no influence on it", () => {
    check(
      fc.property(
        fc.oneof({ weight: 20, arbitrary: block }, { weight: 1, arbitrary: longBlock }),
        witnessStack,
        (given, witness) => {
          const other = {
            ...given,
            transactions: given.transactions.map((tx) => ({
              ...tx,
              inputs: tx.inputs.map((input) => ({ ...input, witness }))
            }))
          }
          agree(verdictName(blockLength(kernelBlock(other))), verdictName(blockLength(kernelBlock(given))))
        }
      ),
      100
    )
  })

  it("BLK-005/P1 the verdict equals the statement", () => {
    check(
      fc.property(
        block,
        (given) => agree(verdictName(firstIsCoinbase(kernelBlock(given))), oracle.firstIsCoinbase(given))
      )
    )
  })

  it("BLK-006/P1 the verdict equals the statement", () => {
    check(
      fc.property(
        block,
        (given) => agree(verdictName(onlyFirstIsCoinbase(kernelBlock(given))), oracle.onlyFirstIsCoinbase(given))
      )
    )
  })

  it("BLK-008/P1 the verdict equals the statement", () => {
    check(
      fc.property(
        fc.oneof(block, countedBlock),
        (given) => agree(verdictName(legacySigOpsFitBlock(kernelBlock(given))), oracle.legacySigOpsFit(given))
      ),
      60
    )
  })

  it("BLK-009/P1 the verdict equals the statement", () => {
    check(
      fc.property(anyScenario, edgeUint32, fc.nat(300), ({ block: given, place }, cutoff, by) => {
        const height = Math.max(0, place.chain.length + by - 150)
        for (const [at, time] of [[place.chain.length, 1_500_000_000 + by * 400] as const, [height, cutoff] as const]) {
          agree(
            verdictName(transactionsAreFinal(kernelBlock(given), at, time)),
            oracle.transactionsAreFinal(given, at, time)
          )
        }
      })
    )
  })

  it("BLK-010/P1 the verdict equals the statement", () => {
    check(
      fc.property(
        named,
        ({ height, script }) =>
          agree(startsWith(script, height), oracle.coinbaseStartsWithHeight(coinbaseOf(script), height))
      ),
      500
    )
  })

  it("BLK-010/P2 a coinbase script satisfies it for one height at most", () => {
    check(
      fc.property(named, heights, ({ height, script }, other) => {
        if (height !== other) assert([startsWith(script, height), startsWith(script, other)].includes("BLK-010"))
      }),
      300
    )
  })

  it("BLK-014/P1 the verdict equals the statement", () => {
    check(
      fc.property(
        block,
        (given) => agree(verdictName(blockIsNotTooHeavy(kernelBlock(given))), oracle.blockIsNotTooHeavy(given))
      ),
      60
    )
    check(
      fc.property(
        heavyBlock,
        (given) => agree(verdictName(blockIsNotTooHeavy(kernelBlock(given))), oracle.blockIsNotTooHeavy(given))
      ),
      8
    )
  })
})
