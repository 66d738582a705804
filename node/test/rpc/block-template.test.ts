import type { NetworkName } from "@lockstep/protocol/networks/network.ts"
import { NETWORKS } from "@lockstep/protocol/networks/table.ts"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { NextBlock } from "../../src/engine/api/engine-calls.ts"
import type { JsonMembers } from "../../src/rpc/json/json-value.ts"
import { readJson } from "../../src/rpc/json/read-json.ts"
import { blockTemplate } from "../../src/rpc/methods/block-template.ts"
import type { RpcNode } from "../../src/rpc/rpc-node.ts"
import { testCrypto } from "../engine/test-engine.ts"
import { STATE } from "./fake-chain.ts"

const NEXT: NextBlock = {
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
  assembled: true
}

interface Situation {
  readonly network: NetworkName
  readonly peers?: number
  readonly initialBlockDownload?: boolean
  readonly next?: Partial<NextBlock>
}

const template = (request: string, { initialBlockDownload = false, network, next, peers = 0 }: Situation) => {
  const state = { ...STATE, initialBlockDownload }
  const node = {
    network: NETWORKS[network],
    crypto: testCrypto,
    peers: () => ({ peers: { size: peers } }),
    chain: { call: () => Effect.succeed({ ...NEXT, ...next }), state: () => state, states: Stream.make(state) }
  }
  return blockTemplate(readJson(request) as JsonMembers, node as unknown as RpcNode)
}

const SEGWIT = "{\"rules\":[\"segwit\"]}"

describe("block templates", () => {
  it.effect("are refused to a miner whose work would be lost", () =>
    Effect.gen(function*() {
      const problem = (situation: Situation) =>
        Effect.map(Effect.flip(template(SEGWIT, situation)), ({ code, message }) => [code, message])
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
      const { code, message } = yield* Effect.flip(template(SEGWIT, signet))
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

  it.effect("tell what can be signalled for, and limits as they were before witnesses", () =>
    Effect.gen(function*() {
      const made = yield* template(SEGWIT, { network: "regtest" })
      assert.deepStrictEqual([made.version, made.vbavailable], [0x20000002, { something: 1 }])
      assert.deepStrictEqual([made.sigoplimit, made.sizelimit, made.weightlimit], [80_000, 4_000_000, 4_000_000])
      const old = yield* template(SEGWIT, { network: "regtest", next: { hasWitness: false } })
      assert.deepStrictEqual([old.sigoplimit, old.sizelimit, old.weightlimit], [20_000, 1_000_000, undefined])
      assert.deepStrictEqual([old.rules, old.default_witness_commitment], [["csv", "else"], undefined])
    }))
})
