import { nobleCrypto } from "@lockstep/kernel/noble"
import type { Psbt } from "@lockstep/protocol/psbt/psbt.ts"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "vitest"
import { psbtOfText, psbtText } from "../src/psbt/psbt-text.ts"
import { finalTransaction } from "../src/psbt/psbt-transaction.ts"
import { finalizePsbt } from "../src/psbt/sign/finalize-psbt.ts"
import { isInputFinal, signedPsbt } from "../src/psbt/sign/sign-input.ts"

/** Partially signed transactions that Bitcoin Core's own tests read, beside the reference vectors. */
interface Psbts {
  readonly invalid: ReadonlyArray<string>
  readonly invalid_with_msg: ReadonlyArray<readonly [psbt: string, message: string]>
  readonly valid: ReadonlyArray<string>
}

const file = join(process.env["LOCKSTEP_VECTORS"] ?? "", "../functional/tests/data/rpc_psbt.json")
const isThere = process.env["LOCKSTEP_VECTORS"] !== undefined && existsSync(file)
const psbts: Psbts = isThere
  ? JSON.parse(readFileSync(file, "utf8")) as Psbts
  : { invalid: [], invalid_with_msg: [], valid: [] }

const read = (text: string): Result.Result<Psbt, string> => Effect.runSync(Effect.result(psbtOfText(text, nobleCrypto)))

/** Those with fields of MuSig2 (BIP373), with their text. */
const joint = psbts.valid.flatMap((text) => {
  const psbt = Result.getOrThrow(read(text))
  const has = [...psbt.inputs, ...psbt.outputs].some(({ musigParticipants }) => musigParticipants.size > 0)
  return has ? [{ psbt, text }] : []
})

describe.skipIf(!isThere)("partially signed transactions of Bitcoin Core's tests", () => {
  it("that are invalid are refused, in its words where it says them", () => {
    assert.isAbove(psbts.invalid.length, 50)
    for (const text of psbts.invalid) assert.isTrue(Result.isFailure(read(text)), text)
    const said = psbts.invalid_with_msg.map(([text]) => Result.getOrThrow(Result.flip(read(text))))
    assert.isAbove(said.length, 20)
    for (const [i, [, message]] of psbts.invalid_with_msg.entries()) assert.include(said[i]!, message)
  })

  it("with keys of several signers are written as they were read", () => {
    assert.isAbove(joint.length, 10)
    for (const { psbt, text } of joint) assert.strictEqual(psbtText(psbt), text)
  })

  it("to which all signers have given their parts are spent by a valid signature, and no others", () => {
    const parts = ({ inputs: [input] }: Psbt) => [input!.musigNonces.size, input!.musigPartialSignatures.size]
    const counts = joint.map(({ psbt }) => parts(psbt).join())
    assert.deepStrictEqual(new Set(counts), new Set(["0,0", "3,0", "3,3"]))
    for (const [i, { text }] of joint.entries()) {
      const psbt = Result.getOrThrow(read(text))
      const isComplete = Effect.runSync(finalizePsbt(psbt, nobleCrypto))
      assert.strictEqual(isComplete, counts[i] === "3,3", text)
      if (!isComplete) continue
      assert.isTrue(isInputFinal(signedPsbt(psbt, nobleCrypto)!, 0))
      assert.isDefined(finalTransaction(psbt))
    }
  })
})
