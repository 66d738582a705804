import { parseMiniscript } from "@lockstep/descriptors/descriptor/miniscript/parse-miniscript.ts"
import { scriptOfMiniscript } from "@lockstep/descriptors/descriptor/miniscript/script-of-miniscript.ts"
import { psbtText } from "@lockstep/descriptors/psbt/psbt-text.ts"
import { nobleCrypto } from "@lockstep/kernel/noble"
import { psbtOf } from "@lockstep/protocol/psbt/unsigned-transaction.ts"
import { secp256k1 } from "@noble/curves/secp256k1.js"
import { NETWORKS } from "@lockstep/protocol/networks/table.ts"
import { JsonNumber, type JsonValue, RpcError, startModule } from "@lockstep/sdk"
import { fakeNode } from "@lockstep/sdk/test-kit"
import { readFileSync } from "node:fs"
import { assert, describe, it } from "vitest"
import { analyzeMiniscript } from "../psbt/src/analyze-miniscript.ts"
import { analyzeSpending } from "../psbt/src/analyze-spending.ts"
import { describeDescriptor } from "../psbt/src/describe-descriptor.ts"
import { networkOf } from "../psbt/src/network-of.ts"

// oxlint-disable-next-line typescript/no-explicit-any
type Shown = any

const BIP174: Shown = JSON.parse(
  readFileSync(new URL("../../protocol/test/psbt/bip174.json", import.meta.url), "utf8")
)
const KEYS = Array.from({ length: 15 }, (_, i) => secp256k1.Point.BASE.multiply(BigInt(i + 1)).toBytes(true))
const KEY = "02c6047f9441ed7d6d3045406e95c07cd85c778e4b8cef3ca7abac09b95c709ee5"

const refusal = async (call: () => JsonValue | Promise<JsonValue>): Promise<readonly [number, string]> => {
  try {
    await call()
  } catch (error) {
    if (error instanceof RpcError) return [error.code, error.message]
  }
  throw new Error("it was not refused")
}

describe("the module psbt", () => {
  it("writes amounts in the node's digits", async () => {
    const texts: ReadonlyArray<string> = BIP174.valid.map(({ psbt }: Shown) =>
      Buffer.from(psbt, "hex").toString("base64")
    )
    const fees = await Promise.all(texts.map(async (text) => (await analyzeSpending(text) as Shown).fee))
    const known = fees.filter((fee) => fee !== undefined)
    assert.isNotEmpty(known)
    for (const fee of known) {
      assert.instanceOf(fee, JsonNumber)
      assert.match(fee.digits, /^-?\d+\.\d{8}$/)
    }
  })

  it("shows inputs in short where their ways would not fit a message", async () => {
    const keys = Array.from({ length: 15 }, (_, i) => ({ key: KEYS[i]!, name: `${i === 0 ? "" : "s:"}pk(${i})` }))
    const bytes = (key: number): Uint8Array => keys[key]!.key
    const root = parseMiniscript(`thresh(7,${keys.map(({ name }) => name).join(",")})`, "wsh", Number)!
    const script = scriptOfMiniscript(root, { bytes, hash: (key) => nobleCrypto.hash160(bytes(key)) })
    const output = { value: 1_000n, script: Uint8Array.of(0, 32, ...nobleCrypto.sha256(script)) }
    const inputs = Array.from({ length: 80 }, (_, vout) => ({
      prevout: { txid: new Uint8Array(32).fill(1), vout },
      script: new Uint8Array(0),
      sequence: 0,
      witness: []
    }))
    const psbt = psbtOf({ version: 2, inputs, outputs: [{ value: 1n, script: Uint8Array.of(0x51) }], lockTime: 0 }, 0)
    for (const input of psbt.inputs) Object.assign(input, { witnessUtxo: output, witnessScript: script })
    const answer = await analyzeSpending(psbtText(psbt)) as Shown
    assert.isBelow(JSON.stringify(answer).length, 8 * 1024 * 1024 - 1_024)
    const [first, last] = [answer.inputs[0].spending, answer.inputs.at(-1).spending]
    assert.deepStrictEqual([first.paths.length, first.more_paths], [64, true])
    assert.deepStrictEqual([last.paths, last.miniscripts, last.more_paths], [undefined, undefined, true])
    assert.strictEqual(last.max_witness_size, first.max_witness_size)
    assert.isDefined(answer.max_vsize)
  })

  it("refuses texts with the codes of Bitcoin Core", async () => {
    assert.deepStrictEqual(await refusal(() => analyzeSpending("abc")), [-22, "TX decode failed invalid base64"])
    const [code] = await refusal(() => describeDescriptor("wsh(pk(1))", NETWORKS.regtest))
    assert.strictEqual(code, -5)
  })

  it.each<readonly [JsonValue, readonly [number, string]]>([
    [null, [-1, "miniscript is missing"]],
    [[1], [-3, "miniscript must be a text"]],
    [["pk(A)", "wsh", 1], [-1, "the parameters are miniscript, context"]],
    [{ mini: "pk(A)" }, [-8, "Unknown named parameter mini"]],
    [["wsh(pk(A))"], [-5, "this is no miniscript for wsh(); getdescriptorinfo takes descriptors"]],
    [["multi(1,A,B)", "tr"], [-5, "this is no miniscript for tr()"]]
  ])("%j to analyzeminiscript is refused", async (params, expected) => {
    assert.deepStrictEqual(await refusal(() => analyzeMiniscript(params)), expected)
  })

  it("shows limits, and no script for names", () => {
    const named = analyzeMiniscript({ miniscript: "pk(A)" }) as Shown
    assert.deepStrictEqual(named.limits, [
      { name: "instructions", used: 1, most: 201 },
      { name: "witness_elements", used: 1, most: 100 }
    ])
    assert.isUndefined(named.script)
    assert.strictEqual((analyzeMiniscript([`pk(${KEY})`]) as Shown).script, `21${KEY}ac`)
    const leaf = analyzeMiniscript([`pk(${KEY.slice(2)})`, "tr"]) as Shown
    assert.strictEqual(leaf.script, `20${KEY.slice(2)}ac`)
    assert.deepStrictEqual((analyzeMiniscript(["and_v(v:pk(A),0)"]) as Shown).paths, [])
  })

  it("finds the network by its first block, and does not run on one that it does not know", async () => {
    for (const wanted of [NETWORKS.signet, undefined]) {
      const genesis = wanted?.parameters.genesisHash
      const node = await fakeNode({
        answer: (request) =>
          request._tag === "GetBlockHeader"
            ? {
              _tag: "BlockHeader",
              value: genesis !== undefined && Buffer.compare(request.hash, genesis) === 0
                ? NETWORKS.signet.genesisBlock.subarray(0, 80)
                : undefined
            }
            : undefined
      })
      const { context } = await startModule({ version: "0.1.0" }, node.environment)
      if (wanted === undefined) {
        const problem = await networkOf(context.node).then(() => undefined, (error: Error) => error.message)
        assert.match(problem!, /no network that this module knows/)
      } else assert.strictEqual(await networkOf(context.node), wanted)
      await node.close()
    }
  })
})
