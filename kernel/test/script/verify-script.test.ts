import * as Result from "effect/Result"
import { assert, describe, it } from "vitest"
import { createMachine, nobleCrypto, type Spend, verifyScript } from "../../src/index.ts"
import { type ArrivingSpend, SPENDS, spendOf, transactionIn } from "../signing.ts"

const verdictOf = (spend: Spend): string => {
  const verdict = verifyScript(createMachine(nobleCrypto), spend)
  return Result.isSuccess(verdict) ? "holds" : `${verdict.failure.rule} ${verdict.failure.detail.error}`
}

/** The same spend from another kind of byte array. */
const inBuffers = ({ bytes, spentOutputs }: ArrivingSpend): ArrivingSpend => ({
  bytes: Buffer.from(bytes),
  spentOutputs: spentOutputs.map(({ script, value }) => ({ value, script: Buffer.from(script) }))
})

describe("verifyScript", () => {
  it.each(Object.entries(SPENDS))("%s: holds, from arrays and from Buffers", (_, spend) => {
    assert.strictEqual(verdictOf(spendOf(spend)), "holds")
    assert.strictEqual(verdictOf(spendOf(inBuffers(spend))), "holds")
  })

  it.each(Object.entries(SPENDS))("%s: writes to nothing it is given", (_, spend) => {
    const buffers = inBuffers(spend)
    const given = [buffers.bytes, ...buffers.spentOutputs.map(({ script }) => script)]
    const before = given.map((bytes) => bytes.toString())
    verdictOf(spendOf(buffers))
    assert.deepStrictEqual(given.map((bytes) => bytes.toString()), before)
  })

  it.each(Object.entries(SPENDS))("%s: fails once the signed output is another", (_, spend) => {
    const bytes = Uint8Array.from(spend.bytes)
    // The last byte of the output's script, which every signature here commits to.
    const { outputs } = transactionIn(bytes)
    outputs[0]!.script[0] = 0x52
    assert.notStrictEqual(verdictOf(spendOf({ ...spend, bytes })), "holds")
  })

  it("judges with digests computed beforehand as without", () => {
    for (const spend of Object.values(SPENDS)) {
      assert.strictEqual(verdictOf({ ...spendOf(spend), digests: {} }), "holds")
    }
  })
})
