import { assert, describe, it } from "@effect/vitest"
import { transactionId } from "@lockstep/kernel/model"
import { NETWORKS } from "@lockstep/protocol/networks/table.ts"
import * as Effect from "effect/Effect"
import type { BlockFacts } from "../../../src/engine/api/chain-calls.ts"
import { type EngineAnswers, hashOf, shownHash } from "../method-node.ts"
import {
  BLOCK,
  bytes,
  coinbase,
  crypto,
  FACTS,
  header,
  idOf,
  payment,
  plain,
  transactions,
  withBlock
} from "./small-block.ts"

describe("getblock", () => {
  it.effect("answers bytes, ids, transactions, and what they spend", () =>
    Effect.gen(function*() {
      const { read, show, text } = withBlock()
      assert.strictEqual(yield* text("getblock", BLOCK, 0), `"${bytes.toString("hex")}"`)
      assert.strictEqual(yield* text("getblock", BLOCK, false), `"${bytes.toString("hex")}"`)
      const ids = yield* show("getblock", BLOCK)
      assert.deepStrictEqual(ids, yield* show("getblock", BLOCK, true))
      assert.deepStrictEqual([ids.tx, ids.size, ids.nTx], [transactions.map(idOf), bytes.length, 3])
      const stripped = transactions.reduce((sum, { body }) => sum + body.length + 8, 81)
      assert.deepStrictEqual([ids.strippedsize, ids.weight], [stripped, 3 * stripped + bytes.length])
      assert.deepStrictEqual(ids.coinbase_tx, {
        version: 1,
        locktime: 3,
        sequence: 9,
        coinbase: "0102",
        witness: shownHash(0)
      })
      assert.deepStrictEqual([ids.mediantime, ids.confirmations, ids.chainwork], [
        1_600_000_000,
        23,
        602n.toString(16).padStart(64, "0")
      ])
      assert.deepStrictEqual([ids.previousblockhash, ids.nextblockhash], [undefined, shownHash(10)])
      assert.strictEqual(ids.difficulty, 4.656542373906925e-10)
      const shown = yield* show("getblock", BLOCK, 2)
      assert.deepStrictEqual(shown.tx.map(({ fee }: { readonly fee?: number }) => fee), [undefined, 2e-6, 4.3e-7])
      assert.notProperty(shown.tx[1].vin[0], "prevout")
      const whole = yield* show("getblock", BLOCK, 3)
      assert.deepInclude(whole.tx[1].vin[0].prevout, { generated: true, height: 11, value: 8e-6 })
      assert.strictEqual(whole.tx[2].vin[0].prevout.scriptPubKey.hex, "53")
      assert.strictEqual(whole.tx[2].hex, Buffer.from(plain.bytes).toString("hex"))
      assert.deepStrictEqual(read.at(-1), [FACTS.undo, header.subarray(4, 36)])
      assert.deepStrictEqual(read[0], [FACTS.block, hashOf(9)])
      const { tx } = yield* withBlock({ undo: undefined }).show("getblock", BLOCK, 3)
      assert.notProperty(tx[1], "fee")
    }))

  it.effect("says why a block is not here", () =>
    Effect.gen(function*() {
      const gone = (reason: string, pruned: boolean) => {
        const fail = () => Effect.fail({ reason, message: "blk00000.dat" })
        return withBlock({ pruned }, {}, { blocks: { block: fail, bytes: fail, undo: fail } }).text("getblock", BLOCK)
      }
      assert.strictEqual(yield* gone("missing", true), "-1 Block not available (pruned data)")
      assert.strictEqual(yield* gone("missing", false), "-1 Block not found on disk")
      assert.strictEqual(yield* gone("damaged", true), "-1 Can't read block from disk: blk00000.dat")
      const absent = (pruned: boolean) => withBlock({ block: undefined, pruned }).text("getblock", BLOCK, 0)
      assert.strictEqual(yield* absent(true), "-1 Block not available (pruned data)")
      assert.strictEqual(yield* absent(false), "-1 Block not available (not fully downloaded)")
      assert.strictEqual(yield* withBlock().text("getblock", shownHash(8)), "-5 Block not found")
      const unread = (reason: string) => {
        const block = () => Effect.succeed({ bytes, header, transactions })
        const undo = () => Effect.fail({ reason, message: "rev00000.dat" })
        return withBlock({}, {}, { blocks: { block, undo } }).text("getblock", BLOCK, 2)
      }
      const why =
        "-32603 Undo data expected but can't be read. This could be due to disk corruption or a conflict with a pruning event."
      assert.strictEqual(yield* unread("missing"), why)
      assert.strictEqual(yield* unread("damaged"), `${why} rev00000.dat`)
    }))

  it.effect("has headers of bytes and of fields", () =>
    Effect.gen(function*() {
      const { show } = withBlock({ next: undefined })
      assert.strictEqual(yield* show("getblockheader", BLOCK, false), Buffer.from(header).toString("hex"))
      const shown = yield* show("getblockheader", BLOCK)
      assert.deepStrictEqual([shown.versionHex, shown.bits, shown.nonce], ["00000001", "207fffff", 2])
      assert.strictEqual(shown.target, `7fffff${"0".repeat(58)}`)
      assert.notProperty(shown, "nextblockhash")
    }))
})

describe("getblockstats", () => {
  it.effect("counts the coinbase in few figures, and not the outputs that never enter the set", () =>
    Effect.gen(function*() {
      const { show } = withBlock()
      const stats = yield* show("getblockstats", 300)
      assert.deepStrictEqual(stats, yield* show("getblockstats", BLOCK, []))
      const sizes = [payment, plain].map((tx) => tx.bytes.length)
      const weights = [payment, plain].map((tx) => 3 * (tx.body.length + 8) + tx.bytes.length)
      const rates = [200, 43].map((fee, i) => Math.trunc(fee * 4 / weights[i]!))
      assert.deepInclude(stats, {
        avgfee: 121,
        avgfeerate: Math.trunc(243 * 4 / (weights[0]! + weights[1]!)),
        avgtxsize: Math.trunc((sizes[0]! + sizes[1]!) / 2),
        blockhash: BLOCK,
        height: 300,
        ins: 3,
        maxfee: 200,
        maxfeerate: rates[0]!,
        maxtxsize: sizes[0]!,
        medianfee: 121,
        minfee: 43,
        minfeerate: rates[1]!,
        mintxsize: sizes[1]!,
        outs: 5,
        subsidy: 1_250_000_000,
        swtotal_size: sizes[0]!,
        swtotal_weight: weights[0]!,
        swtxs: 1,
        total_out: 1_007,
        total_size: sizes[0]! + sizes[1]!,
        total_weight: weights[0]! + weights[1]!,
        totalfee: 243,
        txs: 3,
        utxo_increase: 2,
        utxo_size_inc: 2 * 50,
        utxo_increase_actual: 1,
        utxo_size_inc_actual: 50
      })
    }))

  it.effect("shows the figures that are wanted, and says which it does not have", () =>
    Effect.gen(function*() {
      const { text } = withBlock()
      assert.strictEqual(yield* text("getblockstats", 300, ["txs", "ins", "txs"]), "{\"ins\":3,\"txs\":3}")
      assert.strictEqual(yield* text("getblockstats", 300, ["x", "a", "ins"]), "-8 Invalid selected statistic 'a'")
      assert.match(yield* text("getblockstats", 300, [5]), /^-3 /)
      assert.strictEqual(yield* text("getblockstats", -1), "-8 Target block height -1 is negative")
      assert.strictEqual(yield* text("getblockstats", 323), "-8 Target block height 323 after current tip 322")
      assert.strictEqual(yield* text("getblockstats", 322), "-5 Block not found")
      assert.strictEqual(yield* text("getblockstats", shownHash(8)), "-5 Block not found")
      const none = (pruned: boolean) => withBlock({ undo: undefined, pruned }).text("getblockstats", 300)
      assert.strictEqual(yield* none(true), "-1 Undo data not available (pruned data)")
      assert.strictEqual(yield* none(false), "-1 Can't read undo data from disk")
    }))

  it.effect("does not count the coinbase of the first block, nor one that repeats another", () =>
    Effect.gen(function*() {
      const genesis = yield* withBlock({ height: 0, undo: undefined }, { hashAt: () => hashOf(9) }).show(
        "getblockstats",
        0
      )
      assert.deepStrictEqual([genesis.outs, genesis.utxo_increase_actual], [5, 0])
      const [repeated] = NETWORKS.mainnet.parameters.repeatedCoinbases
      const facts = { ...FACTS, hash: repeated!.hash }
      const { show } = withBlock({}, { blockFacts: () => facts }, { network: NETWORKS.mainnet })
      assert.strictEqual((yield* show("getblockstats", 300)).utxo_increase_actual, 0)
    }))
})

describe("getrawtransaction", () => {
  const id = idOf(payment)
  const hex = Buffer.from(payment.bytes).toString("hex")

  it.effect("looks in the block that is given, and says whether that is in the active chain", () =>
    Effect.gen(function*() {
      const { calls, show, text } = withBlock()
      assert.strictEqual(yield* text("getrawtransaction", id, 0, BLOCK), `"${hex}"`)
      const shown = yield* show("getrawtransaction", id, 1, BLOCK)
      assert.deepStrictEqual([shown.in_active_chain, shown.blockhash, shown.confirmations], [true, BLOCK, 23])
      assert.deepStrictEqual([shown.time, shown.blocktime, shown.hex], [1_296_688_602, 1_296_688_602, hex])
      assert.notProperty(shown, "fee")
      const whole = yield* show("getrawtransaction", id, 2, BLOCK)
      assert.deepStrictEqual([whole.fee, whole.vin[1].prevout.value], [2e-6, 3e-6])
      assert.notProperty(yield* show("getrawtransaction", idOf(coinbase), 2, BLOCK), "fee")
      assert.isFalse(calls.some(([name]) => name === "mempoolTransaction"))
      for (const confirmations of [-1, 0]) {
        const stale = yield* withBlock({ confirmations }).show("getrawtransaction", id, 1, BLOCK)
        assert.deepStrictEqual([stale.in_active_chain, stale.confirmations, stale.time], [false, 0, undefined])
      }
      const once = yield* withBlock({ confirmations: 1 }).show("getrawtransaction", id, 1, BLOCK)
      assert.deepStrictEqual([once.in_active_chain, once.confirmations], [true, 1])
    }))

  it.effect("finds it in the mempool or by the index, and says what is missing", () =>
    Effect.gen(function*() {
      const more = ". Use gettransaction for wallet transactions."
      const text = (answers: EngineAnswers, ...params: ReadonlyArray<unknown>) =>
        withBlock({}, answers).text("getrawtransaction", id, ...params)
      const pooled = { mempoolTransaction: () => ({ bytes: payment.bytes }) }
      assert.strictEqual(yield* text(pooled), `"${hex}"`)
      const shown = yield* withBlock({}, pooled).show("getrawtransaction", id, true)
      assert.deepStrictEqual([shown.hex, shown.blockhash, shown.in_active_chain], [hex, undefined, undefined])
      const index = (synced: boolean) => ({ indexes: () => [{ name: "txindex", synced, bestBlockHeight: 1 }] })
      const place = { transactionPlace: () => ({ block: hashOf(9) }) }
      const indexed = yield* withBlock({}, { ...index(true), ...place }).show("getrawtransaction", id, 1)
      assert.deepStrictEqual([indexed.blockhash, indexed.in_active_chain], [BLOCK, undefined])
      const nowhere = { transactionPlace: () => undefined }
      assert.strictEqual(
        yield* text({ ...index(true), ...nowhere }),
        `-5 No such mempool or blockchain transaction${more}`
      )
      assert.strictEqual(
        yield* text({ ...index(false), ...nowhere }),
        `-5 No such mempool transaction. Blockchain transactions are still in the process of being indexed${more}`
      )
      assert.strictEqual(
        yield* text({}),
        `-5 No such mempool transaction. Use -txindex or provide a block hash to enable blockchain transaction queries${more}`
      )
      assert.strictEqual(yield* text({}, 0, shownHash(8)), "-5 Block hash not found")
      assert.strictEqual(
        yield* withBlock().text("getrawtransaction", shownHash(5), 0, BLOCK),
        `-5 No such transaction found in the provided block${more}`
      )
      assert.strictEqual(
        yield* withBlock({ block: undefined }).text("getrawtransaction", id, 0, BLOCK),
        "-1 Block not available"
      )
      const genesis = "4a5e1e4baab89f3a32518a88c31bc87f618f76673e2cc77ab2127b7afdeda33b"
      assert.match(
        yield* withBlock().text("getrawtransaction", genesis),
        /^-5 The genesis block coinbase is not considered/
      )
      assert.match(yield* withBlock().text("getrawtransaction", "ab"), /^-8 parameter 1 must be of length 64/)
      assert.match(yield* withBlock().text("getrawtransaction", id, 0, "ab"), /^-8 parameter 3 must be of length 64/)
    }))
})

describe("proofs", () => {
  it.effect("are of transactions in one block, found by an output, the index, or as given", () =>
    Effect.gen(function*() {
      const [id, other] = [idOf(payment), idOf(plain)]
      const { calls, show, text } = withBlock({}, { coinBlock: () => undefined })
      const proof = yield* show("gettxoutproof", [id, other], BLOCK)
      assert.isTrue(proof.startsWith(Buffer.from(header).toString("hex")))
      assert.isFalse(calls.some(([name]) => name === "coinBlock"))
      const unknown = "-5 Transaction not yet in block"
      assert.strictEqual(yield* text("gettxoutproof", [id]), unknown)
      const byCoin = withBlock({}, {
        coinBlock: ({ txid }) => Buffer.compare(txid, transactionId(plain, crypto)) === 0 ? hashOf(9) : undefined
      })
      assert.strictEqual(yield* byCoin.show("gettxoutproof", [id, other]), proof)
      const index = { coinBlock: () => undefined, indexes: () => [{ name: "txindex" }] }
      const byIndex = withBlock({}, { ...index, transactionPlace: () => ({ block: hashOf(9) }) })
      assert.strictEqual(yield* byIndex.show("gettxoutproof", [other, id]), proof)
      const lost = withBlock({}, { ...index, transactionPlace: () => undefined })
      assert.strictEqual(yield* lost.text("gettxoutproof", [id]), unknown)
      assert.strictEqual(yield* text("gettxoutproof", []), "-8 Parameter 'txids' cannot be empty")
      assert.strictEqual(yield* text("gettxoutproof", [id, id]), `-8 Invalid parameter, duplicated txid: ${id}`)
      assert.match(yield* text("gettxoutproof", ["ab"]), /^-8 txid must be of length 64/)
      assert.strictEqual(
        yield* text("gettxoutproof", [id, shownHash(5)], BLOCK),
        "-5 Not all transactions found in specified or retrieved block"
      )
    }))

  it.effect("that are no proofs are refused, in Bitcoin Core's words", () =>
    Effect.gen(function*() {
      const { text } = withBlock({}, { blockFacts: () => undefined })
      assert.strictEqual(yield* text("verifytxoutproof", ""), "-8 proof must be hexadecimal string (not '')")
      assert.strictEqual(yield* text("verifytxoutproof", "0"), "-8 proof must be hexadecimal string (not '0')")
      const end = "-1 DataStream::read(): end of data: iostream error"
      for (const length of [79, 83]) assert.strictEqual(yield* text("verifytxoutproof", "00".repeat(length)), end)
      // It proves nothing of a header with another root.
      const none = `${"00".repeat(80)}0100000001${"11".repeat(32)}0101`
      assert.strictEqual(yield* text("verifytxoutproof", none), "[]")
      const single = `${"00".repeat(36)}${"11".repeat(32)}${"00".repeat(12)}0100000001${"11".repeat(32)}0101`
      assert.strictEqual(yield* text("verifytxoutproof", single), "-5 Block not found in chain")
      const known = (facts: Partial<BlockFacts>) =>
        withBlock({}, { blockFacts: () => ({ ...FACTS, transactions: 1, ...facts }) }).text("verifytxoutproof", single)
      assert.strictEqual(yield* known({}), `["${shownHash(0x11)}"]`)
      assert.strictEqual(yield* known({ confirmations: 1 }), `["${shownHash(0x11)}"]`)
      for (const facts of [{ confirmations: 0 }, { transactions: 0 }]) {
        assert.strictEqual(yield* known(facts), "-5 Block not found in chain")
      }
      assert.strictEqual(yield* known({ transactions: 2 }), "[]")
    }))
})
