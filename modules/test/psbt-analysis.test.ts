import { psbtText } from "@lockstep/descriptors/psbt/psbt-text.ts"
import { nobleCrypto } from "@lockstep/kernel/noble"
import { NETWORKS } from "@lockstep/protocol/networks/table.ts"
import { psbtOf } from "@lockstep/protocol/psbt/unsigned-transaction.ts"
import { type JsonNumber, type JsonValue, NodeError, RpcError } from "@lockstep/sdk"
import { secp256k1 } from "@noble/curves/secp256k1.js"
import { readFileSync } from "node:fs"
import { assert, describe, it } from "vitest"
import { analyzeMiniscript } from "../psbt/src/analyze-miniscript.ts"
import { analyzeSpending } from "../psbt/src/analyze-spending.ts"
import { describeDescriptor } from "../psbt/src/describe-descriptor.ts"

// oxlint-disable-next-line typescript/no-explicit-any
type Shown = any

const BIP174: Shown = JSON.parse(
  readFileSync(new URL("../../protocol/test/psbt/bip174.json", import.meta.url), "utf8")
)
const SECRET = new Uint8Array(32).fill(7)
const POINTS = [secp256k1.getPublicKey(SECRET), secp256k1.getPublicKey(new Uint8Array(32).fill(8))]
const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex")
const [K1, K2] = POINTS.map(hex) as [string, string]
const [X1, X2] = [K1.slice(2), K2.slice(2)]
/** No point of the curve has this x. */
const OFF_CURVE = `${"0".repeat(63)}5`

const digits = (value: unknown): string => (value as JsonNumber).digits

describe("the analysis of a miniscript", () => {
  it.each<readonly [string, string, string | undefined]>([
    [`and_v(v:pk(${K1}),pkh(${K2}))`, "wsh", `21${K1}ad76a914${hex(nobleCrypto.hash160(POINTS[1]!))}88ac`],
    [`and_v(v:pk(${K1}),pk(B))`, "wsh", undefined],
    [`pk(${X1})`, "wsh", undefined],
    [`pk(02${OFF_CURVE})`, "wsh", undefined],
    [`and_v(v:pk(${X1}),pk(${X2}))`, "tr", `20${X1}ad20${X2}ac`],
    [`pk(${K1})`, "tr", undefined],
    [`pk(${OFF_CURVE})`, "tr", undefined]
  ])("%s for %s has a script where all keys are written as such: %s", (miniscript, context, script) => {
    assert.strictEqual((analyzeMiniscript({ miniscript, context }) as Shown).script, script)
  })

  it("names keys as they are written, in their order", () => {
    const { context, miniscript, paths } = analyzeMiniscript(["and_v(v:pk(A),pk(B))"]) as Shown
    assert.deepStrictEqual([context, miniscript], ["wsh", "and_v(v:pk(A),pk(B))"])
    assert.deepStrictEqual(paths[0].conditions.map(({ keys }: Shown) => keys), [["A"], ["B"]])
  })

  it.each<readonly [JsonValue, number, string]>([
    [["pk(A)", "sh"], -8, "context must be wsh or tr"],
    [["pk(A)", 5], -3, "context must be a text"],
    [["sh(pk(A))"], -5, "this is no miniscript for wsh(); getdescriptorinfo takes descriptors"],
    [["pk(A)#12345678"], -5, "this is no miniscript for wsh(); getdescriptorinfo takes descriptors"],
    [[`pk(${"A".repeat(201)})`], -5, "this is no miniscript for wsh()"],
    [["pk(A!)"], -5, "this is no miniscript for wsh()"]
  ])("%j is refused", (params, code, message) => {
    try {
      analyzeMiniscript(params)
    } catch (error) {
      assert.deepStrictEqual([(error as RpcError).code, (error as RpcError).message], [code, message])
      return
    }
    assert.fail("it was not refused")
  })

  it("takes a key of two hundred characters", () => {
    assert.isUndefined((analyzeMiniscript([`pk(${"A".repeat(200)})`]) as Shown).script)
  })
})

describe("the description of a descriptor", () => {
  const described = (text: string): Shown => describeDescriptor(text, NETWORKS.regtest)
  const miniscripts = (text: string): unknown =>
    described(text).miniscripts?.map(({ context, miniscript }: Shown) => [context, miniscript])

  it.each<readonly [string, unknown]>([
    [`pkh(${K1})`, undefined],
    [`wsh(pk(${K1}))`, undefined],
    [`wsh(and_v(v:pk(${K1}),older(5)))`, [["wsh", `and_v(v:pk(${K1}),older(5))`]]],
    [`sh(wsh(and_v(v:pk(${K1}),older(6))))`, [["wsh", `and_v(v:pk(${K1}),older(6))`]]],
    [`tr(${X1})`, undefined],
    [
      `tr(${X1},{and_v(v:pk(${X2}),older(5)),and_v(v:pk(${X2}),older(6))})`,
      [["tr", `and_v(v:pk(${X2}),older(5))`], ["tr", `and_v(v:pk(${X2}),older(6))`]]
    ]
  ])("%s names the miniscripts in it", (text, expected) => {
    assert.deepStrictEqual(miniscripts(text), expected)
    const { checksum, descriptor } = described(text)
    assert.strictEqual(descriptor, `${text}#${checksum}`)
  })
})

describe("the analysis of how inputs are spent", () => {
  const WITNESS_SCRIPT = Uint8Array.of(33, ...POINTS[0]!, 0xac)
  const COIN = { value: 1_000n, script: Uint8Array.of(0, 32, ...nobleCrypto.sha256(WITNESS_SCRIPT)) }

  /** A transaction that pays one satoshi, with inputs of which so many are known. */
  const psbtWith = (inputs: number, known: number) => {
    const psbt = psbtOf({
      version: 2,
      inputs: Array.from({ length: inputs }, (_, vout) => ({
        prevout: { txid: new Uint8Array(32).fill(1), vout },
        script: new Uint8Array(0),
        sequence: 0,
        witness: []
      })),
      outputs: [{ value: 1n, script: Uint8Array.of(0x51) }],
      lockTime: 0
    }, 0)
    for (const input of psbt.inputs.slice(0, known)) {
      Object.assign(input, { witnessUtxo: COIN, witnessScript: WITNESS_SCRIPT })
    }
    return psbt
  }

  it("adds the largest size, and the rate of the fee that this comes to", async () => {
    const answer = await analyzeSpending(psbtText(psbtWith(2, 2))) as Shown
    // 10 bytes around two inputs of 41 and an output of 10, and 2 + 2 · 110 of witness.
    assert.strictEqual(answer.max_vsize, 158)
    assert.deepStrictEqual([digits(answer.fee), digits(answer.min_feerate)], ["0.00001999", "0.00012651"])
    assert.deepStrictEqual(answer.inputs.map(({ next, spending }: Shown) => [next, spending.satisfiable]), [
      ["signer", false],
      ["signer", false]
    ])
  })

  it("says that an input can be satisfied where only its final scripts are missing", async () => {
    const texts = BIP174.valid.map(({ psbt }: Shown) => Buffer.from(psbt, "hex").toString("base64"))
    const answers = await Promise.all(texts.map(analyzeSpending)) as ReadonlyArray<Shown>
    const seen = new Map<string, Set<boolean>>()
    for (const { next, spending } of answers.flatMap(({ inputs = [] }) => inputs)) {
      if (spending !== undefined) seen.set(next, (seen.get(next) ?? new Set()).add(spending.satisfiable))
    }
    const all = [...seen].map(([next, satisfiable]) => [next, ...satisfiable]).toSorted()
    assert.deepStrictEqual(all, [["finalizer", true], ["signer", false], ["updater", false]])
  })

  it("shows no way for an input whose coin is not known, and no sizes then", async () => {
    const answer = await analyzeSpending(psbtText(psbtWith(2, 1))) as Shown
    assert.deepStrictEqual(answer.inputs.map(({ spending }: Shown) => spending !== undefined), [true, false])
    assert.deepStrictEqual([answer.max_vsize, answer.min_feerate, answer.fee], [undefined, undefined, undefined])
  })

  it("gives other calls a turn after each input that it looks at", async () => {
    let [turns, isOver] = [0, false]
    const count = (): void => {
      if (isOver) return
      turns++
      setImmediate(count)
    }
    setImmediate(count)
    await analyzeSpending(psbtText(psbtWith(30, 30)))
    isOver = true
    assert.isAtLeast(turns, 30)
  })

  it("leaves a text of more than a mebibyte to the node", async () => {
    const outcome = async (length: number): Promise<unknown> => {
      try {
        return await analyzeSpending("A".repeat(length))
      } catch (error) {
        return error
      }
    }
    assert.instanceOf(await outcome(1_048_576), RpcError)
    const refused = await outcome(1_048_577)
    assert.instanceOf(refused, NodeError)
    assert.include((refused as NodeError).message, "the text has 1048577 characters")
  })
})
