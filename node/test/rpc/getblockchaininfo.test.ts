import { assert, describe, it } from "@effect/vitest"
import { NETWORKS } from "@lockstep/protocol/networks/table.ts"
import type { NetworkName } from "@lockstep/protocol/networks/network.ts"
import * as Effect from "effect/Effect"
import { METHODS } from "../../src/methods/table.ts"
import type { MethodNode } from "../../src/methods/definition/method-node.ts"
import { STATE } from "./fake-chain.ts"

type Answered = Effect.Effect<Readonly<Record<string, unknown>>>

const informationOf = (network: NetworkName): Answered => {
  const node = {
    network: NETWORKS[network],
    pruning: "off",
    peers: () => undefined,
    chain: { state: () => STATE },
    deprecated: new Set()
  }
  const call = METHODS.get("getblockchaininfo")!.call as unknown as (args: object, node: MethodNode) => Answered
  return call({}, node as unknown as MethodNode)
}

describe("getblockchaininfo", () => {
  it.effect("shows the challenge of a signet before its warnings, and none elsewhere", () =>
    Effect.gen(function*() {
      const signet = yield* informationOf("signet")
      assert.match(String(signet["signet_challenge"]), /^5121[0-9a-f]{66}21[0-9a-f]{66}52ae$/)
      assert.deepStrictEqual(Object.keys(signet).slice(-2), ["signet_challenge", "warnings"])
      for (const network of ["mainnet", "testnet3", "testnet4", "regtest"] as const) {
        assert.isUndefined((yield* informationOf(network))["signet_challenge"], network)
      }
    }))
})
