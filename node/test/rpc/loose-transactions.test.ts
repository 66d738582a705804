import { assert, describe, it } from "@effect/vitest"
import { decodeBlock, type Transaction } from "@lockstep/kernel/model"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { startChain } from "../../src/engine-client/start-chain.ts"
import { loose, mine, outputOf } from "../engine/mempool/loose-transactions.ts"
import { regtestOptions } from "../engine/test-engine.ts"
import { temporaryDirectory } from "../storage/temporary-directory.ts"
import { ask, type RpcAnswer } from "./rpc-client.ts"
import { testServer } from "./test-server.ts"

const REWARD = 5_000_000_000n

const regtest = Effect.gen(function*() {
  const directory = yield* temporaryDirectory
  const chain = yield* startChain(regtestOptions(directory))
  yield* chain.ready
  const { address } = yield* testServer({ directory, chain })
  const call = (method: string, ...params: ReadonlyArray<unknown>): Effect.Effect<RpcAnswer> =>
    Effect.promise(() => ask(address, method, params))
  return { chain, call }
})

const hexOf = ({ bytes }: Transaction): string => Buffer.from(bytes).toString("hex")

/** The error as code and message, or the result. */
const said = ({ error, result }: RpcAnswer): unknown => error === undefined ? result : `${error.code} ${error.message}`

describe("loose transactions over RPC", () => {
  it.live(
    "are handed in, listed, confirmed, and refused in the words and codes of Bitcoin Core",
    () =>
      Effect.gen(function*() {
        const { call, chain } = yield* regtest
        const { hashes } = yield* mine(chain, 103)
        const coinbases: Array<Transaction> = []
        for (const hash of hashes.slice(0, 3)) {
          const { result } = yield* call("getblock", Buffer.from(hash).reverse().toString("hex"), 0)
          coinbases.push(
            Result.getOrThrow(decodeBlock(new Uint8Array(Buffer.from(String(result), "hex")))).transactions[0]!
          )
        }
        const inputs = [outputOf(coinbases[0]!)]
        const spend = loose({ inputs, values: [REWARD - 1_000n] })
        const txid = said(yield* call("sendrawtransaction", hexOf(spend)))
        assert.match(String(txid), /^[0-9a-f]{64}$/)
        assert.strictEqual(said(yield* call("sendrawtransaction", hexOf(spend))), txid, "once more is no error")
        assert.deepStrictEqual((yield* call("getrawmempool")).result, [txid])
        const other = [outputOf(coinbases[1]!)]
        const refusals: ReadonlyArray<readonly [string, ReadonlyArray<unknown>]> = [
          ["-22 TX decode failed. Make sure the tx has at least one input.", ["00zz"]],
          ["-25 bad-txns-inputs-missingorspent", [hexOf(loose({ inputs: [outputOf(spend, 7)], values: [1_000n] }))]],
          ["-26 txn-mempool-conflict", [hexOf(loose({ inputs, values: [REWARD - 5_000n] }))]],
          ["-26 min relay fee not met, 5 < 7", [hexOf(loose({ inputs: other, values: [REWARD - 5n] }))]],
          ["-25 Fee exceeds maximum configured by user (e.g. -maxtxfee, maxfeerate)", [
            hexOf(loose({ inputs: other, values: [1_000n] }))
          ]],
          [
            "-25 Unspendable output exceeds maximum configured by user (maxburnamount)",
            [hexOf(
              loose({ inputs: other, values: [REWARD - 1_000n], outputScript: Uint8Array.of(0x6a, 0, 0, 0, 0, 0) })
            )]
          ],
          [
            "-25 Unspendable output exceeds maximum configured by user (maxburnamount)",
            [hexOf(loose({ inputs: other, values: [REWARD - 1_000n], outputScript: Uint8Array.of(0xff) }))]
          ],
          [
            "-25 Unspendable output exceeds maximum configured by user (maxburnamount)",
            [hexOf(loose({ inputs: other, values: [REWARD - 1_000n], outputScript: Uint8Array.of(0x02, 0x01) }))]
          ],
          ["-8 Fee rates larger than or equal to 1BTC/kvB are not accepted", [hexOf(spend), 2]],
          ["-3 Amount out of range", [hexOf(spend), -1]]
        ]
        for (const [expected, params] of refusals) {
          assert.strictEqual(said(yield* call("sendrawtransaction", ...params)), expected)
        }
        const rich = loose({ inputs: other, values: [1_000n] })
        assert.match(
          String(said(yield* call("sendrawtransaction", hexOf(rich), 0))),
          /^[0-9a-f]{64}$/,
          "any fee, if that is what is asked for"
        )
        yield* mine(chain, 1, [spend, rich])
        assert.deepStrictEqual((yield* call("getrawmempool")).result, [])
        assert.strictEqual(
          said(yield* call("sendrawtransaction", hexOf(spend))),
          "-27 Transaction outputs already in utxo set"
        )
      })
  )
})
