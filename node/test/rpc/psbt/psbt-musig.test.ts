import { assert, describe, it } from "@effect/vitest"
import { HDKey } from "@scure/bip32"
import * as Effect from "effect/Effect"
import { startChain } from "../../../src/engine-client/start-chain.ts"
import { regtestOptions } from "../../engine/test-engine.ts"
import { patience } from "../../process/patience.ts"
import { temporaryDirectory } from "../../storage/temporary-directory.ts"
import { ask } from "../rpc-client.ts"
import { testServer } from "../test-server.ts"

// oxlint-disable-next-line typescript/no-explicit-any
type Shown = any

const VERSIONS = { private: 0x04358394, public: 0x043587cf }
const ROOTS = [21, 22].map((byte) => HDKey.fromMasterSeed(new Uint8Array(32).fill(byte), VERSIONS))
const NOTHING_UP = "50929b74c1a04954b78b4b6035e97a5e078a5a0f28ec96d547bfee9ace803ac0"

/** A descriptor of X and Y, of which one signer's key is private. */
const descriptorOf = (text: string, signer?: number): string =>
  text.replace(/[XY]/g, (name) => {
    const place = "XY".indexOf(name)
    return place === signer ? ROOTS[place]!.privateExtendedKey : ROOTS[place]!.publicExtendedKey
  })

const DESCRIPTORS = [
  "tr(musig(X/0,Y/0))",
  "tr(musig(X,Y)/1/2)",
  `tr(${NOTHING_UP},and_v(v:pk(musig(X,Y)/3),older(2)))`
]

/** Two servers of one chain: each of them keeps nonces of its own. */
const servers = Effect.gen(function*() {
  const directory = yield* temporaryDirectory
  const chain = yield* startChain({ ...regtestOptions(directory), transactionIndex: true })
  yield* chain.ready
  const callOf = Effect.fnUntraced(function*() {
    const { address } = yield* testServer({ directory, chain })
    return (method: string, ...params: ReadonlyArray<unknown>) =>
      Effect.promise(async (): Promise<Shown> => {
        const { error, result } = await ask(address, method, params)
        return error ?? result
      })
  })
  return [yield* callOf(), yield* callOf()] as const
})

describe("keys of several signers together, over RPC", () => {
  it.live(
    "sign inputs by key and by leaf in two rounds, and a block takes the transaction",
    () =>
      Effect.gen(function*() {
        const calls = yield* servers
        const [call] = calls
        const coins: Array<Shown> = []
        for (const text of DESCRIPTORS) {
          const [hash] = yield* call("generatetodescriptor", 1, descriptorOf(text))
          coins.push({ txid: (yield* call("getblock", hash)).tx[0], vout: 0, sequence: 5 })
        }
        yield* call("generatetodescriptor", 100, "raw(51)")
        /** Each signer adds to the same transaction what it can, and all of it is combined. */
        const round = Effect.fnUntraced(function*(psbt: string) {
          const parts: Array<string> = []
          for (const [signer, sign] of calls.entries()) {
            const own = DESCRIPTORS.map((text) => descriptorOf(text, signer))
            parts.push((yield* sign("descriptorprocesspsbt", psbt, own)).psbt)
          }
          return (yield* call("combinepsbt", parts)) as string
        })
        const shown = Effect.fnUntraced(function*(psbt: string) {
          const { inputs } = yield* call("decodepsbt", psbt)
          return inputs.map((input: Shown) => [
            input.musig2_pubnonces?.length ?? 0,
            input.musig2_partial_sigs?.length ?? 0
          ])
        })
        const created = yield* call("createpsbt", coins, [{ data: "00" }])
        const nonces = yield* round(created)
        assert.deepStrictEqual(yield* shown(nonces), [[2, 0], [2, 0], [2, 0]])
        // Nonces of one server are none of the other's: a copy of its keys cannot use them.
        const stolen = yield* calls[1](
          "descriptorprocesspsbt",
          nonces,
          DESCRIPTORS.map((text) => descriptorOf(text, 0))
        )
        assert.deepStrictEqual(yield* shown(stolen.psbt), [[2, 0], [2, 0], [2, 0]])
        const signed = yield* round(nonces)
        assert.deepStrictEqual(yield* shown(signed), [[2, 2], [2, 2], [2, 2]])
        const again = yield* round(nonces)
        assert.deepStrictEqual(yield* shown(again), [[2, 0], [2, 0], [2, 0]])
        assert.strictEqual((yield* call("analyzepsbt", signed)).next, "finalizer")
        const { complete, hex } = yield* call("finalizepsbt", signed)
        assert.strictEqual(complete, true)
        const block = yield* call("generateblock", "raw(51)", [hex], false)
        assert.strictEqual(yield* call("getblocktemplate", { mode: "proposal", data: block.hex }), null)
      }),
    patience(120_000)
  )
})
