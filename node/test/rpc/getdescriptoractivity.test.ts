import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { temporaryDirectory } from "../storage/temporary-directory.ts"
import { fakeChain } from "./fake-chain.ts"
import { regtestServer, type Shown } from "./regtest-server.ts"
import { ask } from "./rpc-client.ts"
import { testServer } from "./test-server.ts"

const WATCHED = "raw(5187)"
const OTHER = "raw(5287)"

/** An output that can be spent without a signature, as the policy of relay allows it. */
const ANCHOR = "raw(51024e73)"
const ANCHOR_ADDRESS = "bcrt1pfeesnyr2tx"
const OTHER_ADDRESS = "bcrt1qy75rd2qqjy87s28m7zyfraguevmy8zwyvdpfc9"

/** An output of nothing, so that a transaction is not too small. */
const PADDING = { data: "00" }

describe("getdescriptoractivity", () => {
  it.live("reports what blocks and the mempool spend and pay, in the order of the chain", () =>
    Effect.gen(function*() {
      const { show: call } = yield* regtestServer()
      const [made] = yield* call("generatetodescriptor", 1, "raw(51)")
      const [coinbase] = (yield* call("getblock", made)).tx
      yield* call("generatetodescriptor", 100, "raw(51)")
      const raw = yield* call("createrawtransaction", [{ txid: coinbase, vout: 0 }], [{ data: "00" }])
      const { hash: spent } = yield* call("generateblock", WATCHED, [raw])
      const [other] = yield* call("generatetodescriptor", 1, OTHER)
      const of = (blocks: ReadonlyArray<string>, ...descriptors: ReadonlyArray<string>) =>
        Effect.map(call("getdescriptoractivity", blocks, descriptors), ({ activity }) => activity)
      const all = yield* of([spent, made, spent], "raw(51)")
      assert.deepStrictEqual(all.map(({ height, type }: Shown) => [type, height]), [["receive", 1], ["spend", 102]])
      assert.deepInclude(all[1], {
        blockhash: spent,
        prevout_txid: coinbase,
        prevout_vout: 0,
        spend_vin: 0,
        amount: 50
      })
      assert.deepInclude(all[0], { blockhash: made, txid: coinbase, vout: 0 })
      assert.strictEqual(all[0].output_spk.hex, "51")
      assert.lengthOf(yield* of([other], WATCHED), 0)
      assert.deepInclude((yield* of([spent], WATCHED))[0], { type: "receive", height: 102 })
      assert.lengthOf(yield* of([], "raw(51)"), 0)
      const unknown = yield* call("getdescriptoractivity", ["ab".repeat(32)], [])
      assert.deepStrictEqual(unknown, { code: -5, message: "Block not found" })
      yield* call("invalidateblock", other)
      const stale = yield* call("getdescriptoractivity", [other], [])
      assert.deepStrictEqual(stale, { code: -8, message: "Block is not in main chain" })
    }))

  it.live("reports what the mempool spends and pays, after the blocks, unless asked to leave it out", () =>
    Effect.gen(function*() {
      const { show: call } = yield* regtestServer()
      const [made] = yield* call("generatetodescriptor", 101, ANCHOR)
      const [coinbase] = (yield* call("getblock", made)).tx
      const send = Effect.fnUntraced(function*(txid: string, amount: number, to: string) {
        const raw = yield* call("createrawtransaction", [{ txid, vout: 0 }], [{ [to]: amount }, PADDING])
        return yield* call("sendrawtransaction", raw)
      })
      const parent = yield* send(coinbase, 49.999, ANCHOR_ADDRESS)
      const child = yield* send(parent, 49.998, OTHER_ADDRESS)
      const of = (...params: ReadonlyArray<unknown>) =>
        Effect.map(call("getdescriptoractivity", ...params), ({ activity }) => activity)
      const all = yield* of([made], [ANCHOR])
      const steps = all.map(({ spend_txid, txid, type, amount }: Shown) => [type, spend_txid ?? txid, amount])
      assert.deepStrictEqual(steps[0], ["receive", coinbase, 50])
      assert.sameDeepMembers(steps.slice(1), [
        ["spend", parent, 50],
        ["receive", parent, 49.999],
        ["spend", child, 49.999]
      ])
      for (const { blockhash, height } of all.slice(1)) {
        assert.deepStrictEqual([blockhash, height], [undefined, undefined])
      }
      const paid = yield* of([], [`addr(${OTHER_ADDRESS})`])
      assert.deepStrictEqual(paid.map(({ txid, vout }: Shown) => [txid, vout]), [[child, 0]])
      assert.lengthOf(yield* of([], [ANCHOR], false), 0)
      yield* call("generatetodescriptor", 1, OTHER)
      assert.lengthOf(yield* of([], [ANCHOR]), 0, "what is mined has left the mempool")
    }))

  it.live("methods that need what this node has not refuse as Bitcoin Core does without it", () =>
    Effect.gen(function*() {
      const { address } = yield* testServer({ directory: yield* temporaryDirectory, chain: fakeChain() })
      const call = (method: string, ...params: ReadonlyArray<unknown>) =>
        Effect.promise(() => ask(address, method, params))
      const signers = yield* call("enumeratesigners")
      assert.deepStrictEqual(signers.error, { code: -1, message: "Error: restart bitcoind with -signer=<cmd>" })
      const asmap = yield* call("exportasmap", "asmap.dat")
      assert.deepStrictEqual(asmap.error, { code: -1, message: "No embedded ASMap data available" })
    }))
})
