import type { NetworkName } from "@lockstep/protocol/networks/network.ts"
import { NETWORKS } from "@lockstep/protocol/networks/table.ts"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { BlockTemplate } from "../../src/engine/api/mining-calls.ts"
import type { JsonMembers } from "../../src/json/json-value.ts"
import { readJson } from "../../src/json/read-json.ts"
import { blockTemplate } from "../../src/methods/mining/block-template.ts"
import type { MethodNode } from "../../src/methods/definition/method-node.ts"
import { rpcErrorOf } from "../../src/rpc/rpc-error.ts"
import { STATE } from "./fake-chain.ts"

const MADE: BlockTemplate = {
  previous: STATE.hash,
  height: 323,
  version: 0x20000002,
  bits: 0x1d00ffff,
  minTime: 1_699_999_001,
  time: 1_700_000_100,
  subsidy: 5_000_000_000n,
  hasWitness: true,
  available: [{ name: "something", bit: 1 }],
  active: ["else"],
  signetChallenge: undefined,
  transactions: [],
  fees: 0n,
  witnessCommitment: Uint8Array.of(0x6a, 1),
  updates: 12
}

interface Situation {
  readonly network: NetworkName
  readonly peers?: number
  readonly initialBlockDownload?: boolean
  readonly next?: Partial<BlockTemplate>
}

const template = (request: string, { initialBlockDownload = false, network, next, peers = 0 }: Situation) => {
  const state = { ...STATE, initialBlockDownload }
  const node = {
    network: NETWORKS[network],
    peers: () => ({ peers: { size: peers } }),
    chain: { call: () => Effect.succeed({ ...MADE, ...next }), state: () => state, states: Stream.make(state) }
  }
  return blockTemplate(readJson(request) as JsonMembers, node as unknown as MethodNode)
}

const SEGWIT = "{\"rules\":[\"segwit\"]}"

describe("block templates", () => {
  it.effect("are refused to a miner whose work would be lost", () =>
    Effect.gen(function*() {
      const problem = (situation: Situation) =>
        Effect.map(Effect.flip(template(SEGWIT, situation)), (error) => Object.values(rpcErrorOf(error)))
      assert.deepStrictEqual(yield* problem({ network: "mainnet" }), [-9, "Lockstep is not connected!"])
      assert.deepStrictEqual(yield* problem({ network: "mainnet", peers: 1, initialBlockDownload: true }), [
        -10,
        "Lockstep is in initial sync and waiting for blocks..."
      ])
      assert.strictEqual((yield* template(SEGWIT, { network: "mainnet", peers: 1 })).height, 323)
      assert.strictEqual((yield* template(SEGWIT, { network: "testnet4", initialBlockDownload: true })).height, 323)
    }))

  it.effect("ask for the rules of signet where they hold", () =>
    Effect.gen(function*() {
      const signet: Situation = { network: "signet", next: { signetChallenge: Uint8Array.of(0x51) } }
      const { code, message } = rpcErrorOf(yield* Effect.flip(template(SEGWIT, signet)))
      assert.deepStrictEqual([code, message], [
        -8,
        "getblocktemplate must be called with the signet rule set (call with {\"rules\": [\"segwit\", \"signet\"]})"
      ])
      const made = yield* template("{\"rules\":[\"segwit\",\"signet\"]}", signet)
      assert.deepStrictEqual([made.signet_challenge, made.rules], ["51", [
        "csv",
        "!segwit",
        "taproot",
        "!signet",
        "else"
      ]])
    }))

  it.effect("state what can be signalled for, and limits as they were before witnesses", () =>
    Effect.gen(function*() {
      const made = yield* template(SEGWIT, { network: "regtest" })
      assert.deepStrictEqual([made.version, made.vbavailable], [0x20000002, { something: 1 }])
      assert.deepStrictEqual([made.sigoplimit, made.sizelimit, made.weightlimit], [80_000, 4_000_000, 4_000_000])
      const old = yield* template(SEGWIT, {
        network: "regtest",
        next: { hasWitness: false, witnessCommitment: undefined }
      })
      assert.deepStrictEqual([old.sigoplimit, old.sizelimit, old.weightlimit], [20_000, 1_000_000, undefined])
      assert.deepStrictEqual([old.rules, old.default_witness_commitment], [["csv", "else"], undefined])
    }))

  it.effect("show their transactions in order, what they pay, and the counter they were made at", () =>
    Effect.gen(function*() {
      const transaction = (byte: number, depends: ReadonlyArray<number>, fee: bigint) => ({
        bytes: Uint8Array.of(byte, 0xff),
        txid: new Uint8Array(32).fill(byte, 31),
        wtxid: new Uint8Array(32).fill(byte + 1, 31),
        depends,
        fee,
        sigOpCost: 10,
        weight: 400 + byte
      })
      const next = { transactions: [transaction(1, [], 700n), transaction(3, [1, 1], 50n)], fees: 750n }
      const made = yield* template(SEGWIT, { network: "regtest", next })
      const zeros = "0".repeat(62)
      assert.deepStrictEqual(made.transactions, [
        { data: "01ff", txid: `01${zeros}`, hash: `02${zeros}`, depends: [], fee: 700, sigops: 10, weight: 401 },
        { data: "03ff", txid: `03${zeros}`, hash: `04${zeros}`, depends: [1, 1], fee: 50, sigops: 10, weight: 403 }
      ])
      assert.deepStrictEqual([made.coinbasevalue, made.longpollid], [5_000_000_750, `${made.previousblockhash}12`])
      assert.strictEqual(made.default_witness_commitment, "6a01")
      const old = yield* template(SEGWIT, { network: "regtest", next: { ...next, hasWitness: false } })
      assert.deepStrictEqual(old.transactions.map(({ sigops }) => sigops), [2, 2])
    }))
})
