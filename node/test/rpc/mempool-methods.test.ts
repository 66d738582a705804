import { assert, describe, it } from "@effect/vitest"
import type { Transaction } from "@lockstep/kernel/model"
import * as Effect from "effect/Effect"
import { hexOf } from "../../src/hex.ts"
import { writeJson } from "../../src/json/write-json.ts"
import { coinbaseAt, idOf, loose, mine, outputOf } from "../engine/mempool/loose-transactions.ts"
import { coin, NOW, spend } from "../engine/txmempool/mempools.ts"
import { fakeChain, STATE } from "./fake-chain.ts"
import { asked, mempoolNode } from "./mempool-server.ts"

const UNKNOWN = "ab".repeat(32)
const REWARD = 5_000_000_000n

const shown = (tx: Transaction): string => Buffer.from(idOf(tx)).reverse().toString("hex")

/** Txids in raw order, as they are shown. */
const inRawOrder = (...transactions: ReadonlyArray<Transaction>): ReadonlyArray<string> =>
  transactions.toSorted((a, b) => Buffer.compare(idOf(a), idOf(b))).map(shown)

/** A diamond, and a transaction by itself that pays most; `left` was sent by the node's user. */
const withFamily = Effect.gen(function*() {
  const node = yield* mempoolNode()
  const parent = spend([coin(1)])
  const left = spend([outputOf(parent, 0)], 1)
  const right = spend([outputOf(parent, 1)], 2)
  const last = spend([outputOf(left), outputOf(right)], 3)
  const alone = spend([coin(2)], 4)
  node.enter(parent, 1_000)
  node.enter(left, 2_000)
  node.enter(right, 300)
  node.enter(last, 5_000, { time: NOW + 7, height: 201 })
  node.enter(alone, 90_000)
  node.state.markUnbroadcast(idOf(left))
  return { ...node, alone, last, left, parent, right }
})

describe("getmempoolinfo", () => {
  it.live("says what Bitcoin Core says, in its order", () =>
    Effect.gen(function*() {
      const { text } = yield* mempoolNode()
      assert.strictEqual(
        yield* text("getmempoolinfo"),
        "{\"loaded\":true,\"size\":0,\"bytes\":0,\"usage\":0,\"total_fee\":0.00000000,\"maxmempool\":300000000," +
          "\"mempoolminfee\":0.00000100,\"minrelaytxfee\":0.00000100,\"incrementalrelayfee\":0.00000100," +
          "\"unbroadcastcount\":0,\"permitbaremultisig\":true,\"maxdatacarriersize\":100000,\"limitclustercount\":64," +
          "\"limitclustersize\":101000,\"optimal\":true}"
      )
    }))

  it.live("counts entries, and shows the larger one of both minimum fees", () =>
    Effect.gen(function*() {
      const { enter, result, state } = yield* mempoolNode({ maxBytes: 20_000, isLoaded: () => false })
      for (let i = 1; i <= 40; i++) enter(spend([coin(i)], i), i * 10_000)
      state.trim()
      const info = yield* result("getmempoolinfo")
      const { count, fees, usage, virtualSize } = state.totals()
      assert.isBelow(count, 40)
      assert.deepStrictEqual(
        [info.loaded, info.size, info.bytes, info.usage, info.maxmempool],
        [false, count, virtualSize, usage, 20_000]
      )
      assert.strictEqual(Math.round(info.total_fee * 1e8), Number(fees))
      assert.strictEqual(Math.round(info.mempoolminfee * 1e8), state.minimumFee(NOW))
      assert.isAbove(info.mempoolminfee, info.minrelaytxfee)
    }))
})

describe("deprecated answers", () => {
  /** A chain of three of which the middle one signals that it may be replaced, and one by itself that does not. */
  const withSignal = Effect.fnUntraced(function*(options: Parameters<typeof mempoolNode>[0] = {}) {
    const node = yield* mempoolNode(options)
    const sequences = [0xfffffffe, 0xfffffffd, 0xffffffff]
    const family: Array<Transaction> = []
    for (const sequence of sequences) {
      const inputs = [family.length === 0 ? coin(1) : outputOf(family.at(-1)!)]
      family.push(loose({ inputs, values: [REWARD - BigInt(family.length)], sequence }))
    }
    family.push(loose({ inputs: [coin(2)], values: [REWARD], sequence: 0xfffffffe }))
    for (const each of family) node.enter(each, 1_000)
    return { ...node, family }
  })

  it.live("are given where the node keeps them: whether a transaction or an ancestor signals replacement", () =>
    Effect.gen(function*() {
      const { family, result } = yield* withSignal({ deprecated: ["bip125", "fullrbf"] })
      const expected = Object.fromEntries(family.map((each, i) => [shown(each), i === 1 || i === 2]))
      const signalsOf = (entries: Readonly<Record<string, Readonly<Record<string, unknown>>>>) =>
        Object.fromEntries(Object.entries(entries).map(([txid, entry]) => [txid, entry["bip125-replaceable"]]))
      const entries = yield* result("getrawmempool", true)
      assert.deepStrictEqual(signalsOf(entries), expected)
      for (const each of family) {
        assert.deepStrictEqual(yield* result("getmempoolentry", shown(each)), entries[shown(each)])
      }
      assert.deepStrictEqual(signalsOf(yield* result("getmempoolancestors", shown(family[2]!), true)), {
        [shown(family[0]!)]: false,
        [shown(family[1]!)]: true
      })
      assert.isTrue((yield* result("getmempoolinfo")).fullrbf)
    }))

  it.live("are left out elsewhere", () =>
    Effect.gen(function*() {
      const { family, result } = yield* withSignal()
      assert.notProperty(yield* result("getmempoolentry", shown(family[1]!)), "bip125-replaceable")
      assert.notProperty(yield* result("getmempoolinfo"), "fullrbf")
    }))

  it.live("show warnings as one text instead of a list", () =>
    Effect.gen(function*() {
      const warnings = ["the first", "the last"]
      const chain = (held: ReadonlyArray<string>) => fakeChain({}, () => ({ ...STATE, warnings: held }))
      const kept = yield* asked({ chain: chain(warnings), deprecated: ["warnings"] })
      assert.strictEqual((yield* kept.result("getblockchaininfo")).warnings, "the last")
      const none = yield* asked({ chain: chain([]), deprecated: ["warnings"] })
      assert.strictEqual((yield* none.result("getblockchaininfo")).warnings, "")
      const usual = yield* asked({ chain: chain(warnings) })
      assert.deepStrictEqual((yield* usual.result("getblockchaininfo")).warnings, warnings)
    }))
})

describe("getrawmempool", () => {
  it.live("lists ids in mining order, alone, with a sequence number or with entries", () =>
    Effect.gen(function*() {
      const { alone, error, last, left, parent, result, right } = yield* withFamily
      const ids = [alone, parent, left, right, last].map(shown)
      assert.deepStrictEqual(yield* result("getrawmempool"), ids)
      assert.deepStrictEqual(yield* result("getrawmempool", false, true), { txids: ids, mempool_sequence: 6 })
      const entries = yield* result("getrawmempool", true)
      assert.deepStrictEqual(Object.keys(entries), ids)
      for (const id of ids) assert.deepStrictEqual(entries[id], yield* result("getmempoolentry", id))
      assert.strictEqual(
        yield* error("getrawmempool", true, true),
        "-8 Verbose results cannot contain mempool sequence values."
      )
    }))
})

describe("getmempoolentry", () => {
  it.live("describes an entry in Bitcoin Core's order, parents sorted as they are shown", () =>
    Effect.gen(function*() {
      const { last, left, parent, right, state, text } = yield* withFamily
      state.prioritise(idOf(last), -200n)
      const size = (...transactions: ReadonlyArray<Transaction>): number =>
        transactions.reduce((sum, { bytes }) => sum + bytes.length, 0)
      const total = size(parent, left, right, last)
      const depends = [shown(left), shown(right)].toSorted()
      assert.strictEqual(
        yield* text("getmempoolentry", [shown(last)]),
        `{"vsize":${size(last)},"weight":${4 * size(last)},"time":${NOW + 7},"height":201,"descendantcount":1,` +
          `"descendantsize":${size(last)},"ancestorcount":4,"ancestorsize":${total},"wtxid":"${shown(last)}",` +
          `"chunkweight":${4 * total},"fees":{"base":0.00005000,"modified":0.00004800,"ancestor":0.00008100,` +
          `"descendant":0.00004800,"chunk":0.00008100},"depends":${JSON.stringify(depends)},"spentby":[],` +
          "\"unbroadcast\":false}"
      )
    }))

  it.live("lists what spends an entry in raw order, and says what no peer has fetched", () =>
    Effect.gen(function*() {
      const { left, parent, result, right } = yield* withFamily
      assert.deepStrictEqual((yield* result("getmempoolentry", shown(parent))).spentby, inRawOrder(left, right))
      assert.isTrue((yield* result("getmempoolentry", shown(left))).unbroadcast)
    }))
})

describe("getmempoolancestors and getmempooldescendants", () => {
  it.live("list relatives in raw order of their ids, with entries if wanted", () =>
    Effect.gen(function*() {
      const { alone, last, left, parent, result, right } = yield* withFamily
      const above = inRawOrder(parent, left, right)
      assert.deepStrictEqual(yield* result("getmempoolancestors", shown(last)), above)
      assert.deepStrictEqual(yield* result("getmempooldescendants", shown(parent)), inRawOrder(left, right, last))
      assert.deepStrictEqual(yield* result("getmempooldescendants", shown(alone)), [])
      const verbose = yield* result("getmempoolancestors", shown(last), true)
      assert.deepStrictEqual(Object.keys(verbose), above)
      assert.deepStrictEqual(verbose[shown(right)], yield* result("getmempoolentry", shown(right)))
      assert.deepStrictEqual(yield* result("getmempooldescendants", shown(alone), true), {})
    }))
})

describe("getmempoolcluster and getmempoolfeeratediagram", () => {
  it.live("show chunks in the order in which they are mined", () =>
    Effect.gen(function*() {
      const { enter, text } = yield* mempoolNode()
      const parent = spend([coin(1)])
      const poor = spend([outputOf(parent)], 1)
      enter(parent, 3_000)
      enter(poor, 100)
      const weight = 4 * parent.bytes.length
      assert.strictEqual(
        yield* text("getmempoolcluster", [shown(poor)]),
        `{"clusterweight":${2 * weight},"txcount":2,"chunks":[{"chunkfee":0.00003000,"chunkweight":${weight},"txs":["${
          shown(parent)
        }"]},{"chunkfee":0.00000100,"chunkweight":${weight},"txs":["${shown(poor)}"]}]}`
      )
      assert.strictEqual(
        yield* text("getmempoolfeeratediagram"),
        `[{"weight":0,"fee":0.00000000},{"weight":${weight},"fee":0.00003000},{"weight":${
          2 * weight
        },"fee":0.00003100}]`
      )
    }))
})

describe("methods about one transaction of the mempool", () => {
  it.live("fail for one that is not there, and for what is no id", () =>
    Effect.gen(function*() {
      const { error } = yield* mempoolNode()
      const methods = ["getmempoolentry", "getmempoolancestors", "getmempooldescendants", "getmempoolcluster"]
      for (const name of methods) {
        assert.strictEqual(yield* error(name, UNKNOWN), "-5 Transaction not in mempool", name)
        assert.strictEqual(yield* error(name, "zz"), "-8 txid must be of length 64 (not 2, for 'zz')", name)
      }
    }))
})

describe("gettxspendingprevout", () => {
  it.live("names the transaction that spends an output, and shows it if wanted", () =>
    Effect.gen(function*() {
      const { answer, error, left, parent, result, text } = yield* withFamily
      const [spent, unspent] = [{ txid: shown(parent), vout: 0 }, { txid: UNKNOWN, vout: 3 }]
      assert.strictEqual(
        yield* text("gettxspendingprevout", [[spent, unspent]]),
        `[{"txid":"${spent.txid}","vout":0,"spendingtxid":"${shown(left)}"},{"txid":"${UNKNOWN}","vout":3}]`
      )
      const withBytes = [{ ...spent, spendingtxid: shown(left), spendingtx: hexOf(left.bytes) }]
      assert.deepStrictEqual(yield* result("gettxspendingprevout", [spent], { return_spending_tx: true }), withBytes)
      assert.deepStrictEqual(
        yield* result("gettxspendingprevout", [spent], { return_spending_tx: true, mempool_only: false }),
        withBytes
      )
      assert.strictEqual(
        yield* error("gettxspendingprevout", [spent, unspent], { mempool_only: false }),
        "-1 Mempool lacks a relevant spend, and txospenderindex is unavailable."
      )
      assert.strictEqual(
        yield* text("gettxspendingprevout", { outputs: [spent], return_spending_tx: true }),
        JSON.stringify(withBytes)
      )
      const twice = yield* answer("gettxspendingprevout", { outputs: [spent], options: {}, mempool_only: true })
      assert.include(writeJson(twice), "Parameter options conflicts with parameter mempool_only")
    }))

  it.live("refuses what is no output", () =>
    Effect.gen(function*() {
      const { error } = yield* mempoolNode()
      const txid = UNKNOWN
      const wrong: ReadonlyArray<readonly [string, unknown, unknown?]> = [
        ["-8 Invalid parameter, outputs are missing", []],
        ["-8 Invalid parameter, vout cannot be negative", [{ txid, vout: -1 }]],
        ["-3 Missing vout", [{ txid }]],
        ["-3 Missing txid", [{ vout: 0 }]],
        ["-3 Missing txid", [{}]],
        ["-3 JSON value of type number for field txid is not of expected type string", [{ txid: 42, vout: 0 }]],
        ["-3 JSON value of type string for field vout is not of expected type number", [{ txid, vout: "0" }]],
        ["-3 Unexpected key unknown", [{ txid, vout: 0, unknown: 42 }]],
        ["-8 txid must be of length 64 (not 2, for 'ab')", [{ txid: "ab", vout: 0 }]],
        ["-3 JSON value of type string is not of expected type object", ["ab"]],
        ["-3 Unexpected key more", [{ txid, vout: 0 }], { more: 1 }],
        ["-3 JSON value of type string for field mempool_only is not of expected type bool", [{ txid, vout: 0 }], {
          mempool_only: "yes"
        }]
      ]
      for (const [message, outputs, options = {}] of wrong) {
        assert.strictEqual(yield* error("gettxspendingprevout", outputs, options), message)
      }
    }))
})

describe("prioritisetransaction and getprioritisedtransactions", () => {
  it.live("add up for entries and others, in raw order of ids, until the sum is nothing", () =>
    Effect.gen(function*() {
      const { error, parent, result } = yield* withFamily
      const later = spend([coin(7)], 9)
      assert.deepStrictEqual(yield* result("getprioritisedtransactions"), {})
      assert.isTrue(yield* result("prioritisetransaction", shown(parent), 0, 5_000))
      assert.isTrue(yield* result("prioritisetransaction", shown(parent), null, -1))
      assert.isTrue(yield* result("prioritisetransaction", shown(later), 0.0, -7))
      const all = yield* result("getprioritisedtransactions")
      assert.deepStrictEqual(Object.keys(all), inRawOrder(parent, later))
      assert.deepStrictEqual(all, {
        [shown(parent)]: { fee_delta: 4_999, in_mempool: true, modified_fee: 5_999 },
        [shown(later)]: { fee_delta: -7, in_mempool: false }
      })
      assert.isTrue(yield* result("prioritisetransaction", shown(later), 0, 7))
      assert.deepStrictEqual(Object.keys(yield* result("getprioritisedtransactions")), [shown(parent)])
      assert.strictEqual(
        yield* error("prioritisetransaction", shown(parent), 1.5, 1),
        "-8 Priority is no longer supported, dummy argument to prioritisetransaction must be 0."
      )
    }))

  it.live("take any 64-bit amount and no other, and none for a transaction with dust", () =>
    Effect.gen(function*() {
      const { answer, enter, error, text } = yield* mempoolNode()
      for (const amount of [1e30, 0.5, 2 ** 63]) {
        assert.strictEqual(yield* error("prioritisetransaction", UNKNOWN, 0, amount), "-1 JSON integer out of range")
      }
      assert.strictEqual(
        yield* error("prioritisetransaction", UNKNOWN, 0, "foo"),
        "-3 Wrong type passed:"
      )
      assert.strictEqual(
        yield* error("prioritisetransaction", "foo", 0, 0),
        "-8 txid must be of length 64 (not 3, for 'foo')"
      )
      const dusty = loose({ inputs: [coin(1)], values: [10_000n, 1n] })
      enter(dusty, 0)
      assert.strictEqual(
        yield* error("prioritisetransaction", shown(dusty), 0, 1),
        "-8 Priority is not supported for transactions with dust outputs."
      )
      yield* answer("prioritisetransaction", [UNKNOWN, 0, 2 ** 53 - 1])
      yield* answer("prioritisetransaction", [UNKNOWN, 0, 1])
      assert.strictEqual(
        yield* text("getprioritisedtransactions"),
        `{"${UNKNOWN}":{"fee_delta":${2n ** 53n},"in_mempool":false}}`
      )
    }))
})

describe("methods that see the mempool", () => {
  it.live("gettxout finds its outputs, and not what it spends, unless it is left out", () =>
    Effect.gen(function*() {
      const { engine, enter, result } = yield* mempoolNode()
      yield* mine(engine, 3)
      const [first, second] = [yield* coinbaseAt(engine, 1), yield* coinbaseAt(engine, 2)]
      const tx = loose({ inputs: [first], values: [1_000n, 2_000n] })
      enter(tx, 1_000)
      enter(loose({ inputs: [outputOf(tx, 1)], values: [1_500n] }), 500)
      const txid = Buffer.from(first.txid).reverse().toString("hex")
      const tip = Buffer.from(engine.chain.tree.tip.hash).reverse().toString("hex")
      const found = yield* result("gettxout", shown(tx), 0)
      assert.deepStrictEqual(
        [found.bestblock, found.confirmations, found.value, found.coinbase, found.scriptPubKey.hex],
        [tip, 0, 0.00001, false, hexOf(tx.outputs[0]!.script)]
      )
      assert.isNull(yield* result("gettxout", shown(tx), 0, false))
      assert.isNull(yield* result("gettxout", shown(tx), 1))
      assert.isNull(yield* result("gettxout", shown(tx), 2))
      assert.isNull(yield* result("gettxout", txid, 0))
      assert.strictEqual((yield* result("gettxout", txid, 0, false)).confirmations, 3)
      const other = Buffer.from(second.txid).reverse().toString("hex")
      const there = yield* result("gettxout", other, 0)
      assert.deepStrictEqual([there.confirmations, there.value, there.coinbase], [2, Number(REWARD) / 1e8, true])
      assert.deepStrictEqual(there, yield* result("gettxout", other, 0, false))
    }))

  it.live("getrawtransaction shows a transaction of it, which has no block, and looks for no other in a given block", () =>
    Effect.gen(function*() {
      const { engine, enter, error, result } = yield* mempoolNode()
      yield* mine(engine, 1)
      const tx = loose({ inputs: [coin(1)], values: [1_000n] })
      enter(tx, 1_000)
      assert.strictEqual(yield* result("getrawtransaction", shown(tx)), hexOf(tx.bytes))
      const full = yield* result("getrawtransaction", shown(tx), 1)
      assert.deepStrictEqual(Object.keys(full), [
        "txid",
        "hash",
        "version",
        "size",
        "vsize",
        "weight",
        "locktime",
        "vin",
        "vout",
        "hex"
      ])
      assert.deepStrictEqual([full.txid, full.hex], [shown(tx), hexOf(tx.bytes)])
      assert.deepStrictEqual(yield* result("getrawtransaction", shown(tx), 2), full)
      const tip = Buffer.from(engine.chain.tree.tip.hash).reverse().toString("hex")
      assert.notInclude(yield* error("getrawtransaction", shown(tx), 0, tip), "mempool")
    }))

  it.live("signrawtransactionwithkey signs for its outputs", () =>
    Effect.gen(function*() {
      const { enter, result } = yield* mempoolNode()
      // Pays to the hash of the public key of the secret key 1.
      const output = Buffer.from("0014751e76e8199196d454941c45d1b3a323f1433bd6", "hex")
      const parent = loose({ inputs: [coin(1)], values: [50_000n], outputScript: new Uint8Array(output) })
      const child = loose({ inputs: [outputOf(parent)], values: [40_000n] })
      const key = "cMahea7zqjxrtgAbB7LSGbcQUr1uX1ojuat9jZodMN87JcbXMTcA"
      const before = yield* result("signrawtransactionwithkey", hexOf(child.bytes), [key])
      assert.isFalse(before.complete)
      enter(parent, 1_000)
      assert.isTrue((yield* result("signrawtransactionwithkey", hexOf(child.bytes), [key])).complete)
      enter(loose({ inputs: [outputOf(parent)], values: [30_000n] }), 1_000)
      assert.isTrue((yield* result("signrawtransactionwithkey", hexOf(child.bytes), [key])).complete, "spent already")
    }))
})
