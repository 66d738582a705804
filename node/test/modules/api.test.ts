import { assert, describe, it } from "@effect/vitest"
import { decodeBlock, transactionId } from "@lockstep/kernel/model"
import { nobleCrypto } from "@lockstep/kernel/noble"
import type { IpcError, ModuleEventPayload, ResponsePayload } from "@lockstep/protocol/module-ipc/index.ts"
import { REGTEST } from "@lockstep/protocol/networks/regtest.ts"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Queue from "effect/Queue"
import * as Result from "effect/Result"
import { join } from "node:path"
import { startChain } from "../../src/engine-client/start-chain.ts"
import type { ModuleApi } from "../../src/modules/api/api-call.ts"
import { chainFollower } from "../../src/modules/api/chain-follower.ts"
import { CHAIN_REQUESTS } from "../../src/modules/api/chain-requests.ts"
import { MEMPOOL_REQUESTS } from "../../src/modules/api/mempool-requests.ts"
import { MINING_REQUESTS } from "../../src/modules/api/mining-requests.ts"
import type { ModuleContext } from "../../src/modules/api/module-context.ts"
import { receivedBlocks } from "../../src/modules/api/received-blocks.ts"
import { TRANSACTION_REQUESTS } from "../../src/modules/api/transaction-requests.ts"
import { blockReader } from "../../src/storage/block-files/block-reader.ts"
import { nodeDisk } from "../../src/storage/disk/node-disk.ts"
import { regtestOptions } from "../engine/test-engine.ts"
import { temporaryDirectory } from "../storage/temporary-directory.ts"

const SCRIPT = Uint8Array.of(0x51)
const NOWHERE = new Uint8Array(32).fill(9)

type Answer = Effect.Effect<ResponsePayload, IpcError>

/** The value of an answer of one type. */
const valueOf = <T extends ResponsePayload["_tag"]>(answer: Answer, tag: T) =>
  Effect.map(answer, (payload) => {
    assert.strictEqual(payload._tag, tag)
    return payload as Extract<ResponsePayload, { readonly _tag: T }>
  })

const refusal = (answer: Effect.Effect<unknown, IpcError>) => Effect.map(Effect.flip(answer), ({ text }) => text)

const hex = (bytes: Uint8Array | undefined): string | undefined => bytes && Buffer.from(bytes).toString("hex")

const SEGWIT = { rules: ["segwit"], coinbase_script: undefined, coinbase_address: undefined }

/** What miners and senders of transactions ask, on a chain of at least one block. */
const askAsMiner = Effect.fnUntraced(function*(api: ModuleApi, tip: Uint8Array, block: Uint8Array) {
  const scope = yield* Effect.scope
  const module = { name: "miner", blocks: receivedBlocks(scope) }
  const context = { ...api, module, network: REGTEST, peers: () => undefined } as unknown as ModuleContext
  const template = yield* MINING_REQUESTS.GetBlockTemplate(context, { _tag: "GetBlockTemplate", ...SEGWIT })
  const { bits, coinbase_value, height, longpoll_id, previous_hash } = template.value
  assert.deepStrictEqual([hex(previous_hash), height, bits, coinbase_value], [hex(tip), 3, 0x207fffff, 5_000_000_000])
  const wait = { _tag: "WaitForBlockTemplate", ...SEGWIT, longpoll_id, timeout_seconds: 20 } as const
  for (
    const [answer, words] of [
      [
        MINING_REQUESTS.GetBlockTemplate(context, { ...wait, _tag: "GetBlockTemplate", rules: [] }),
        "rules must hold segwit"
      ],
      [
        MINING_REQUESTS.GetBlockTemplate(context, { ...wait, _tag: "GetBlockTemplate", coinbase_address: "1" }),
        "1 is no address of regtest"
      ],
      [MINING_REQUESTS.WaitForBlockTemplate(context, { ...wait, timeout_seconds: 26 }), "timeout_seconds is up to 25"],
      [
        TRANSACTION_REQUESTS.SubmitTransaction(context, { _tag: "SubmitTransaction", transaction: SCRIPT }),
        "these bytes are no block or transaction"
      ]
    ] as const
  ) assert.include(yield* refusal(answer), words)

  const waiting = yield* Effect.forkScoped(MINING_REQUESTS.WaitForBlockTemplate(context, wait))
  const made = { script: SCRIPT, blocks: 1, maxTries: 1_000_000, transactions: undefined }
  const { block: next } = yield* api.chain.call("generate", { ...made, submit: false })
  yield* MINING_REQUESTS.QueueReceivedBlock(context, { _tag: "QueueReceivedBlock", block_bytes: next! })
  assert.strictEqual((yield* Fiber.join(waiting)).value.height, 4)
  const coinbase = Result.getOrThrow(decodeBlock(new Uint8Array(block))).transactions[0]!.bytes
  const sent = yield* TRANSACTION_REQUESTS.SubmitTransaction(context, {
    _tag: "SubmitTransaction",
    transaction: coinbase
  })
  assert.deepStrictEqual(sent.value, { _tag: "Rejected", reason: "coinbase" })
})

/** The steps that a module receives which follows a chain of three blocks: from the genesis block on, and across a reorganization. */
const followChain = Effect.fnUntraced(function*(api: ModuleApi, height: number) {
  const received = yield* Queue.unbounded<string>()
  const send = (payload: ModuleEventPayload) =>
    Effect.sync(() => {
      const [hash, at] = payload._tag === "NewBlock"
        ? [payload.block_hash, payload.height]
        : payload._tag === "BlockDisconnected"
        ? [payload.hash, -payload.height]
        : [NOWHERE, 0]
      Queue.offerUnsafe(received, `${at} ${hex(hash)}`)
    })
  const hashAt = (at: number) => Effect.map(api.chain.call("hashAt", { height: at }), (hash) => hash!)
  const { follow } = chainFollower(api, yield* Effect.scope, send)
  assert.strictEqual(yield* refusal(follow(NOWHERE)), "the node knows no block of this hash")
  yield* follow(yield* hashAt(0))
  for (let at = 1; at <= height; at++) {
    assert.strictEqual(yield* Queue.take(received), `${at} ${hex(yield* hashAt(at))}`)
  }

  const old = yield* hashAt(height)
  yield* api.chain.call("invalidateBlock", { hash: old })
  const made = { maxTries: 1_000_000, transactions: undefined, submit: true }
  yield* api.chain.call("generate", { ...made, script: Uint8Array.of(0x52), blocks: 2 })
  const wanted = [-height, height, height + 1].map((at) => `${at}`)
  const steps = [yield* Queue.take(received), yield* Queue.take(received), yield* Queue.take(received)]
  assert.deepStrictEqual(steps.map((step) => step.split(" ")[0]), wanted)
  // After a restart it goes on behind the block that it knows, although that one is stale.
  yield* follow(old)
  assert.deepStrictEqual([yield* Queue.take(received), yield* Queue.take(received), yield* Queue.take(received)], steps)
})

/** Of the tip, damaged, and of a next block that lacks proof of work alone. */
const proposeBlocks = Effect.fnUntraced(function*(api: ModuleApi, tip: Uint8Array, damaged: Uint8Array) {
  const propose = (block: Uint8Array) =>
    Effect.map(
      valueOf(CHAIN_REQUESTS.ProposeBlock(api, { _tag: "ProposeBlock", block }), "SubmitBlockResult"),
      ({ value }) => value
    )
  assert.deepStrictEqual(yield* propose(tip), { _tag: "Duplicate" })
  assert.deepStrictEqual(yield* propose(damaged), { _tag: "Rejected", reason: "inconclusive-not-best-prevblk" })
  const made = { script: SCRIPT, blocks: 1, maxTries: 1_000_000, transactions: undefined, submit: false }
  const next = (yield* api.chain.call("generate", made)).block!
  next[76]! ^= 1
  assert.deepStrictEqual(yield* propose(next), { _tag: "Accepted" })
  next[36]! ^= 1
  assert.deepStrictEqual(yield* propose(next), { _tag: "Rejected", reason: "bad-txnmrklroot" })
})

describe("answers of the node to modules", () => {
  it.live("are those of the chain and the mempool, from a running engine", () =>
    Effect.scoped(Effect.gen(function*() {
      const directory = yield* temporaryDirectory
      const chain = yield* startChain(regtestOptions(directory))
      yield* chain.ready
      const blocks = yield* blockReader({
        disk: nodeDisk("block-files"),
        directory: join(directory, "blocks"),
        coreBlocks: undefined,
        magic: REGTEST.magic,
        crypto: nobleCrypto
      })
      const api: ModuleApi = { chain, blocks, crypto: nobleCrypto }
      yield* chain.call("generate", {
        script: SCRIPT,
        blocks: 2,
        maxTries: 1_000_000,
        transactions: undefined,
        submit: true
      })

      const { value: tip } = yield* valueOf(CHAIN_REQUESTS.GetChainTip(api), "Hash")
      const { value: height } = yield* valueOf(CHAIN_REQUESTS.GetBlockHeight(api), "U64")
      assert.strictEqual(height, 2)
      const { value: bytes } = yield* valueOf(CHAIN_REQUESTS.GetBlock(api, { _tag: "GetBlock", hash: tip }), "Block")
      const byHeight = yield* valueOf(
        CHAIN_REQUESTS.GetBlockByHeight(api, { _tag: "GetBlockByHeight", height: 2 }),
        "BlockByHeight"
      )
      assert.strictEqual(hex(byHeight.value), hex(bytes))
      const header = yield* valueOf(
        CHAIN_REQUESTS.GetBlockHeader(api, { _tag: "GetBlockHeader", hash: tip }),
        "BlockHeader"
      )
      assert.strictEqual(hex(header.value), hex(bytes!.subarray(0, 80)))
      const { value: info } = yield* valueOf(CHAIN_REQUESTS.GetChainInfo(api), "ChainInfo")
      assert.deepStrictEqual([hex(info.tip_hash), info.height, info.bits], [hex(tip), 2, 0x207fffff])
      assert.strictEqual(info.chain_work, "6".padStart(64, "0"))

      const block = Result.getOrThrow(decodeBlock(new Uint8Array(bytes!)))
      const txid = transactionId(block.transactions[0]!, nobleCrypto)
      const coin = yield* valueOf(
        CHAIN_REQUESTS.GetUtxo(api, { _tag: "GetUtxo", outpoint: { hash: txid, index: 0 } }),
        "Utxo"
      )
      assert.deepStrictEqual({ ...coin.value, script_pubkey: hex(coin.value?.script_pubkey) }, {
        value: 5_000_000_000,
        script_pubkey: "51",
        height: 2,
        is_coinbase: true
      })
      const has = yield* valueOf(CHAIN_REQUESTS.HasTransaction(api, { _tag: "HasTransaction", hash: txid }), "Bool")
      assert.isTrue(has.value)

      const again = CHAIN_REQUESTS.SubmitBlock(api, { _tag: "SubmitBlock", block: bytes! })
      assert.deepStrictEqual((yield* valueOf(again, "SubmitBlockResult")).value, { _tag: "Duplicate" })
      const damaged = new Uint8Array(bytes!)
      damaged[40]! ^= 1
      const bad = yield* valueOf(
        CHAIN_REQUESTS.SubmitBlock(api, { _tag: "SubmitBlock", block: damaged }),
        "SubmitBlockResult"
      )
      assert.strictEqual(bad.value._tag, "Rejected")

      yield* proposeBlocks(api, bytes!, damaged)

      for (
        const [answer, tag] of [
          [CHAIN_REQUESTS.GetBlock(api, { _tag: "GetBlock", hash: NOWHERE }), "Block"],
          [CHAIN_REQUESTS.GetBlockByHeight(api, { _tag: "GetBlockByHeight", height: 3 }), "BlockByHeight"],
          [CHAIN_REQUESTS.GetBlockHeader(api, { _tag: "GetBlockHeader", hash: NOWHERE }), "BlockHeader"],
          [CHAIN_REQUESTS.GetUtxo(api, { _tag: "GetUtxo", outpoint: { hash: NOWHERE, index: 0 } }), "Utxo"],
          [
            MEMPOOL_REQUESTS.GetMempoolTransaction(api, { _tag: "GetMempoolTransaction", tx_hash: NOWHERE }),
            "MempoolTransaction"
          ]
        ] as const
      ) assert.isUndefined((yield* valueOf(answer, tag)).value, tag)
      assert.strictEqual(
        yield* refusal(CHAIN_REQUESTS.SubmitBlock(api, { _tag: "SubmitBlock", block: Uint8Array.of(1) })),
        "these bytes are no block or transaction"
      )
      assert.strictEqual(
        yield* refusal(CHAIN_REQUESTS.GetTransaction(api, { _tag: "GetTransaction", hash: NOWHERE })),
        "the node has no index of transactions"
      )

      const size = yield* valueOf(MEMPOOL_REQUESTS.GetMempoolSize(api), "MempoolSize")
      assert.deepStrictEqual(size.value, { transaction_count: 0, size_bytes: 0, total_fee_sats: 0 })
      const all = yield* valueOf(MEMPOOL_REQUESTS.GetMempoolTransactions(api), "MempoolTransactions")
      assert.deepStrictEqual(all.value, [])
      yield* askAsMiner(api, tip, bytes!)
      yield* followChain(api, 3)
    })))
})
