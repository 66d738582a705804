import { assert, describe, it } from "@effect/vitest"
import { concatBytes } from "@lockstep/kernel/bytes"
import { merkleRoot } from "@lockstep/kernel/block"
import { type Transaction, transactionId, transactionOf } from "@lockstep/kernel/model"
import * as Effect from "effect/Effect"
import { temporaryDirectory } from "../../storage/temporary-directory.ts"
import { testCrypto, testEngine } from "../test-engine.ts"

const NONCE = new Uint8Array(32)

const transaction = (
  vout: number,
  witness: ReadonlyArray<Uint8Array> = [],
  txid: Uint8Array = new Uint8Array(32).fill(7),
  script: Uint8Array = Uint8Array.of(0x51)
): Transaction =>
  transactionOf({
    version: 2,
    inputs: [{ prevout: { txid, vout }, script: Uint8Array.of(0x51, 0x51), sequence: 0, witness }],
    outputs: [{ value: 1n, script }],
    lockTime: 0
  })

const coinbase = (witness: ReadonlyArray<Uint8Array> = [], script?: Uint8Array): Transaction =>
  transaction(0xffffffff, witness, new Uint8Array(32), script)

/** An output that commits to no witnesses there are. */
const COMMITMENT = concatBytes([Uint8Array.of(0x6a, 0x24, 0xaa, 0x21, 0xa9, 0xed), new Uint8Array(32).fill(9)])

const idsOf = (transactions: ReadonlyArray<Transaction>): Uint8Array =>
  concatBytes(transactions.map((tx) => transactionId(tx, testCrypto)))

/** A block on `previous` whose header commits to the first `committed` of its transactions. */
const blockOf = (
  previous: Uint8Array,
  transactions: ReadonlyArray<Transaction>,
  committed = transactions.length
): Uint8Array => {
  const header = new Uint8Array(80)
  header.set(previous, 4)
  header.set(merkleRoot(idsOf(transactions.slice(0, committed)), testCrypto).root, 36)
  return concatBytes([
    header,
    Uint8Array.of(transactions.length),
    ...transactions.map(({ bytes }) => new Uint8Array(bytes))
  ])
}

describe("a mutated block of a peer", () => {
  it.live("is refused with what is wrong with it, and its header is not marked", () =>
    Effect.gen(function*() {
      const { call, chain } = yield* testEngine({ directory: yield* temporaryDirectory })
      const { hash } = chain.tree.tip
      const [a, b, c] = [coinbase(), transaction(1), transaction(2)]
      const cases: ReadonlyArray<readonly [reason: string, bytes: Uint8Array]> = [
        ["bad-txnmrklroot", blockOf(hash, [a, b], 1)],
        ["bad-txns-duplicate", blockOf(hash, [a, b, c, c], 3)],
        ["unexpected-witness", blockOf(hash, [a, transaction(1, [Uint8Array.of(1)])])],
        ["bad-witness-nonce-size", blockOf(hash, [coinbase([Uint8Array.of(1)], COMMITMENT)])],
        ["bad-witness-merkle-match", blockOf(hash, [coinbase([NONCE], COMMITMENT)])]
      ]
      for (const [reason, bytes] of cases) {
        const { isNew, rejection } = yield* call("acceptBlock", { bytes, requested: true })
        assert.isFalse(isNew, reason)
        assert.deepInclude(rejection, { reason, class: "mutated" })
      }
      assert.strictEqual(chain.tree.nodes.length, 1)
    }))

  it.live("is looked at with its witnesses from the height on at which segregated witness is active", () =>
    Effect.gen(function*() {
      for (
        const [segwit, reason] of [[0, "bad-witness-merkle-match"], [1, "bad-witness-merkle-match"], [
          2,
          "unexpected-witness"
        ]] as const
      ) {
        const { call, chain } = yield* testEngine({
          directory: yield* temporaryDirectory,
          parts: (parts) => ({
            ...parts,
            parameters: { ...parts.parameters, heights: { ...parts.parameters.heights, segwit } }
          })
        })
        const bytes = blockOf(chain.tree.tip.hash, [coinbase([NONCE], COMMITMENT)])
        const { rejection } = yield* call("acceptBlock", { bytes, requested: true })
        assert.deepInclude(rejection, { reason, class: "mutated" })
      }
    }))

  it.live("whose transactions could be nodes of its tree is called what it is", () =>
    Effect.gen(function*() {
      const { call, chain } = yield* testEngine({ directory: yield* temporaryDirectory })
      // Sixty-four bytes: 4 + 1 + 36 + 1 + 2 + 4 + 1 + 8 + 1 + 2 + 4.
      const node = transaction(1, [], undefined, Uint8Array.of(0x51, 0x51))
      assert.strictEqual(node.bytes.length, 64)
      const { rejection } = yield* call("acceptBlock", { bytes: blockOf(chain.tree.tip.hash, [node]), requested: true })
      assert.deepStrictEqual(rejection, { reason: "mutated block", class: "mutated", rule: "BLK-018" })
    }))
})
