import { assert, describe, it } from "vitest"
import type { Node, Reply } from "../../src/bitcoin-cli/call-node.ts"
import { failClient } from "../../src/bitcoin-cli/client-failure.ts"
import { withWalletAdvice } from "../../src/bitcoin-cli/wallet-advice.ts"
import type { JsonRead } from "../../src/json/json-value.ts"
import { readJson } from "../../src/json/read-json.ts"

const errorOf = (code: number): Reply => ({ result: null, error: readJson(`{"code":${code},"message":"text"}`)! })

/** A node that answers `getnetworkinfo` so. */
const nodeOf = (answer: () => JsonRead): Node => ({
  call: async () => ({ result: answer(), error: null }),
  calls: async () => []
})

const named = (subversion: string): Node => nodeOf(() => readJson(`{"subversion":"${subversion}"}`)!)

const OWN = named("/Satoshi:31.99.0/Lockstep:0.1.0/")

describe("advice below the error of a method of a wallet", () => {
  it("is given for this node alone, by the name that it calls itself", async () => {
    const nodes: ReadonlyArray<readonly [node: Node, isAdvised: boolean]> = [
      [OWN, true],
      [named("/Lockstep:0.1.0/"), true],
      [named("/Satoshi:31.0.0/"), false],
      [nodeOf(() => null), false],
      [nodeOf(() => failClient("timeout")), false]
    ]
    for (const [node, isAdvised] of nodes) {
      const { advice, ...reply } = await withWalletAdvice(node, "createwallet", errorOf(-32601))
      assert.strictEqual(advice !== undefined, isAdvised)
      assert.deepStrictEqual(reply, errorOf(-32601))
    }
  })

  it("is not given for other errors, for results and for methods that no wallet has", async () => {
    const done: Reply = { result: "x", error: null }
    assert.deepStrictEqual(await withWalletAdvice(OWN, "createwallet", errorOf(-4)), errorOf(-4))
    assert.deepStrictEqual(await withWalletAdvice(OWN, "createwallet", done), done)
    assert.deepStrictEqual(await withWalletAdvice(OWN, "getblock", errorOf(-32601)), errorOf(-32601))
  })
})
