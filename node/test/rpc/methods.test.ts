import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as fc from "fast-check"
import type { HostPort } from "../../src/config/config.ts"
import { METHODS } from "../../src/methods/table.ts"
import { temporaryDirectory } from "../storage/temporary-directory.ts"
import { fakeChain } from "./fake-chain.ts"
import { exchange } from "./http-exchange.ts"
import { ask, type RpcAnswer } from "./rpc-client.ts"
import { regtestServer } from "./regtest-server.ts"
import { testServer } from "./test-server.ts"

const ADDRESS = "bcrt1q3zcr7kzscwrlj88gzrqwfwj356wehgxzyh40gc"
const UNKNOWN = "ab".repeat(32)

/** A node on regtest whose engine runs in its own thread. */
const regtest = Effect.gen(function*() {
  const { address, call } = yield* regtestServer({ server: { limits: { maxRequestBytes: 10_000_000 } } })
  return { address, call }
})

const EXTENDED_KEY =
  "tpubD6NzVbkrYhZ4XgiXtGrdW5XDAPFCL9h7we1vwNCpn8tGbBcgfVYjXyhWo4E1xkh56hjod1RhGjxbaTLV3X4FyWuejifB9jusQ46QzG87VKp"

describe("methods on a chain of their own", () => {
  it.live("mine, show, take back and bring back blocks", () =>
    Effect.gen(function*() {
      const { call } = yield* regtest
      const hashes = (yield* call("generatetoaddress", 110, ADDRESS)).result as ReadonlyArray<string>
      assert.strictEqual(hashes.length, 110)
      assert.strictEqual((yield* call("getblockcount")).result, 110)
      assert.strictEqual((yield* call("getbestblockhash")).result, hashes[109])
      assert.strictEqual((yield* call("getblockhash", 50)).result, hashes[49])
      const raw = (yield* call("getblock", hashes[49], 0)).result as string
      assert.strictEqual((yield* call("getblockheader", hashes[49], false)).result as string, raw.slice(0, 160))

      assert.deepStrictEqual((yield* call("invalidateblock", hashes[99])).result, null)
      assert.strictEqual((yield* call("getblockcount")).result, 99)
      const tips = (yield* call("getchaintips")).result as ReadonlyArray<
        { readonly status: string; readonly height: number }
      >
      assert.deepStrictEqual(tips.map(({ height, status }) => `${height} ${status}`), ["110 invalid", "99 active"])
      const header = (yield* call("getblockheader", hashes[109])).result as { readonly confirmations: number }
      assert.strictEqual(header.confirmations, -1)
      const invalid = (yield* call("getblock", hashes[99], 0)).result
      assert.deepStrictEqual((yield* call("submitblock", invalid)).result, "duplicate-invalid")
      yield* call("reconsiderblock", hashes[99])
      assert.strictEqual((yield* call("getblockcount")).result, 110)
      assert.strictEqual((yield* call("submitblock", raw)).result, "duplicate")

      const [coinbase] = ((yield* call("getblock", hashes[9], 1)).result as { readonly tx: ReadonlyArray<string> }).tx
      const coin = (yield* call("gettxout", coinbase, 0)).result as {
        readonly confirmations: number
        readonly coinbase: boolean
      }
      assert.deepStrictEqual([coin.confirmations, coin.coinbase], [101, true])
      const found = (yield* call("getrawtransaction", coinbase, 2, hashes[9])).result as Readonly<
        Record<string, unknown>
      >
      assert.deepStrictEqual([found["in_active_chain"], found["blockhash"]], [true, hashes[9]])
      const elsewhere = yield* call("getrawtransaction", coinbase, 1, hashes[10])
      assert.include(elsewhere.error?.message, "No such transaction found in the provided block")
      assert.include((yield* call("getrawtransaction", coinbase)).error?.message, "Use -txindex")
      assert.strictEqual((yield* call("verifychain", 4, 0)).result, true)
    }))

  it.live("make a block to order, and judge it before it is handed in", () =>
    Effect.gen(function*() {
      const { call } = yield* regtest
      const made = (yield* call("generateblock", ADDRESS, [], false)).result as {
        readonly hash: string
        readonly hex: string
      }
      assert.strictEqual((yield* call("getblockcount")).result, 0)
      assert.strictEqual((yield* call("getblocktemplate", { mode: "proposal", data: made.hex })).result, null)
      const broken = `${made.hex.slice(0, 72)}${"00".repeat(32)}${made.hex.slice(136)}`
      assert.strictEqual(
        (yield* call("getblocktemplate", { mode: "proposal", data: broken })).result,
        "bad-txnmrklroot"
      )
      assert.strictEqual((yield* call("submitblock", made.hex)).result, null)
      assert.strictEqual((yield* call("getbestblockhash")).result, made.hash)
      assert.strictEqual((yield* call("getblocktemplate", { mode: "proposal", data: made.hex })).result, "duplicate")

      const submitted = (yield* call("generateblock", "raw(51)", [])).result as {
        readonly hash: string
        readonly hex?: string
      }
      assert.strictEqual((yield* call("getbestblockhash")).result, submitted.hash)
      assert.isUndefined(submitted.hex)
      type Case = readonly [output: string, transactions: ReadonlyArray<string>, code: number, message: string]
      const wrong: ReadonlyArray<Case> = [
        ["nonsense", [], -5, "Error: Invalid address or descriptor"],
        ["raw(51)#aaaaaaaa", [], -5, "Error: Invalid address or descriptor"],
        [`pkh(${EXTENDED_KEY}/0'/0)`, [], -5, "Cannot derive script without private keys"],
        [
          `pkh(${EXTENDED_KEY}/0/*)`,
          [],
          -8,
          "Ranged descriptor not accepted. Maybe pass through deriveaddresses first?"
        ],
        [ADDRESS, [UNKNOWN], -5, `Transaction ${UNKNOWN} not in mempool.`],
        [ADDRESS, ["zz"], -22, "Transaction decode failed for zz. Make sure the tx has at least one input."]
      ]
      for (const [output, transactions, code, message] of wrong) {
        assert.deepStrictEqual((yield* call("generateblock", output, transactions)).error, { code, message })
      }
    }))

  it.live("hold to their ranges", () =>
    Effect.gen(function*() {
      const { call } = yield* regtest
      const cases: ReadonlyArray<
        readonly [method: string, params: ReadonlyArray<unknown>, code: number, message: string]
      > = [
        [
          "generate",
          [1],
          -32_601,
          "generate\n\nhas been replaced by the -generate cli option. Refer to -help for more information.\n"
        ],
        ["generatetoaddress", [1, "mainnet?"], -5, "Error: Invalid address"],
        ["generatetoaddress", [1, "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4"], -5, "Error: Invalid address"],
        ["getblockhash", [-1], -8, "Block height out of range"],
        ["mockscheduler", [0], -1, "delta_time must be between 1 and 3600 seconds (1 hr)"],
        ["mockscheduler", [3_601], -1, "delta_time must be between 1 and 3600 seconds (1 hr)"],
        ["setmocktime", [-1], -8, "Mocktime must be in the range [0, 4294967295], not -1."],
        ["setmocktime", [4_294_967_296], -8, "Mocktime must be in the range [0, 4294967295], not 4294967296."],
        ["pruneblockchain", [0], -1, "Cannot prune blocks because node is not in prune mode."],
        ["gettxout", [UNKNOWN, -1], -1, "JSON integer out of range"],
        ["gettxoutsetinfo", ["muhash", 0], -8, "Querying specific block heights requires coinstatsindex"],
        ["getblocktemplate", [{ mode: "proposal" }], -3, "Missing data String key for proposal"],
        ["getblocktemplate", [{ mode: "proposal", data: "00" }], -22, "Block decode failed"],
        ["getblocktemplate", [{ mode: 5 }], -8, "Invalid mode"],
        [
          "getblocktemplate",
          [{ rules: ["segwit", 1] }],
          -3,
          "JSON value of type number is not of expected type string"
        ],
        ["submitblock", [""], -22, "Block decode failed"],
        ["submitblock", ["0"], -22, "Block decode failed"]
      ]
      for (const [method, params, code, message] of cases) {
        assert.deepStrictEqual(
          (yield* call(method, ...params)).error,
          { code, message },
          `${method} ${JSON.stringify(params)}`
        )
      }
      assert.deepStrictEqual((yield* call("generatetoaddress", 0, ADDRESS)).result, [])
      assert.strictEqual((yield* call("setmocktime", 1_900_000_000)).result, null)
      const [hash] = (yield* call("generatetoaddress", 1, ADDRESS)).result as ReadonlyArray<string>
      assert.strictEqual(
        ((yield* call("getblockheader", hash)).result as { readonly time: number }).time,
        1_900_000_000
      )
      assert.strictEqual((yield* call("setmocktime", 4_294_967_295)).result, null)
      const [last] = (yield* call("generatetoaddress", 1, ADDRESS)).result as ReadonlyArray<string>
      assert.strictEqual(
        ((yield* call("getblockheader", last)).result as { readonly time: number }).time,
        4_294_967_295
      )
    }))

  it.live("never fail inside, whatever they are called with", () =>
    Effect.gen(function*() {
      const { address, call } = yield* regtest
      const [hash] = (yield* call("generatetoaddress", 3, ADDRESS)).result as ReadonlyArray<string>
      const texts = [hash, UNKNOWN, ADDRESS, "", "00", "zz", "muhash"]
      const likely = fc.constantFrom<unknown>(
        ...texts,
        0,
        1,
        -1,
        2,
        300,
        2 ** 31,
        1e300,
        1.5,
        true,
        false,
        null,
        [],
        {}
      )
      const value = fc.oneof({ weight: 3, arbitrary: likely }, { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 2 }) })
      // Those that wait do so for as long as it takes.
      const names = [...METHODS.keys()].filter((name) => name !== "stop" && !name.startsWith("waitfor"))
      const parameterNames = fc.constantFrom("blockhash", "verbosity", "verbose", "args", "height", "x")
      const params = fc.oneof(fc.array(value, { maxLength: 4 }), fc.dictionary(parameterNames, value))
      yield* Effect.promise(() =>
        fc.assert(
          fc.asyncProperty(fc.constantFrom(...names), params, async (method, given) => {
            const { error, result } = await ask(address, method, given)
            assert.isTrue(error !== undefined || result !== undefined)
            assert.notStrictEqual(error?.code, -32_603, `${method} ${JSON.stringify(given)}: ${error?.message}`)
          }),
          { numRuns: 500 }
        )
      )
      assert.isDefined((yield* call("getblockcount")).result)
    }))
})

/** Bodies and the error (or the result) they are answered with. */
const PARAMETERS: ReadonlyArray<readonly [name: string, method: string, params: string, answer: unknown]> = [
  ["by position", "getblockhash", "[0]", "07".repeat(32)],
  ["by name", "getblockhash", "{\"height\":0}", "07".repeat(32)],
  ["by position in args", "getblockhash", "{\"args\":[0]}", "07".repeat(32)],
  ["an empty args besides a name", "getblockhash", "{\"args\":[],\"height\":0}", "07".repeat(32)],
  ["args that is no array", "getblockhash", "{\"args\":0}", { code: -8, message: "Unknown named parameter args" }],
  ["a name twice", "getblockhash", "{\"height\":0,\"height\":0}", {
    code: -8,
    message: "Parameter height specified multiple times"
  }],
  ["an unknown name", "getblockhash", "{\"height\":0,\"x\":0}", { code: -8, message: "Unknown named parameter x" }],
  ["by an alias, behind a gap", "getblockheader", "{\"verbose\":true}", {
    code: -3,
    message: "Wrong type passed:\n{\n" +
      "    \"Position 1 (blockhash)\": \"JSON value of type null is not of expected type string\"\n}"
  }],
  ["two wrong kinds at once", "gettxout", "[1,\"x\"]", {
    code: -3,
    message:
      "Wrong type passed:\n{\n    \"Position 1 (txid)\": \"JSON value of type number is not of expected type string\",\n" +
      "    \"Position 2 (n)\": \"JSON value of type string is not of expected type number\"\n}"
  }],
  ["null for a parameter that may be missing", "gettxout", `["${UNKNOWN}",0,null]`, null],
  ["null for one that may not", "getblockhash", "[null]", {
    code: -3,
    message:
      "Wrong type passed:\n{\n    \"Position 1 (height)\": \"JSON value of type null is not of expected type number\"\n}"
  }],
  ["digits of another length", "getblockheader", "[\"é\"]", {
    code: -8,
    message: "hash must be of length 64 (not 2, for 'é')"
  }],
  ["a number that is no integer", "getblockhash", "[1.0]", { code: -1, message: "JSON integer out of range" }],
  ["the name that an alias stands for", "getblock", `{"blockhash":"${UNKNOWN}","verbose":"x"}`, {
    code: -3,
    message: "JSON value of type string is not of expected type number"
  }]
]

describe("parameters", () => {
  const chain = fakeChain({
    hashAt: () => Effect.succeed(new Uint8Array(32).fill(7)),
    coin: () => Effect.succeed(undefined),
    outputs: () => Effect.succeed({ tip: new Uint8Array(32), outputs: [undefined] })
  })
  const answerTo = (address: HostPort, method: string, params: string) =>
    Effect.promise(() =>
      exchange(address, { body: `{"jsonrpc":"2.0","id":1,"method":"${method}","params":${params}}` })
    )
  for (const [name, method, params, expected] of PARAMETERS) {
    it.live(name, () =>
      Effect.gen(function*() {
        const { address } = yield* testServer({ directory: yield* temporaryDirectory, chain })
        const { error, result } = JSON.parse((yield* answerTo(address, method, params)).body) as RpcAnswer
        assert.deepStrictEqual(error ?? result, expected)
      }))
  }
})
