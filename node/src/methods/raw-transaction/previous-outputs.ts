import { bytesEqual } from "@lockstep/kernel/bytes"
import type { Crypto } from "@lockstep/kernel/crypto"
import type { Transaction } from "@lockstep/kernel/model"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { addScript } from "@lockstep/descriptors/raw-transaction/key-provider.ts"
import type { SpentOutput } from "@lockstep/descriptors/raw-transaction/sign-raw-input.ts"
import type { SigningProvider } from "@lockstep/descriptors/psbt/sign/signing-provider.ts"
import { scriptHashScript, witnessScriptHashScript } from "@lockstep/descriptors/descriptor/scripts.ts"
import { asmOf } from "@lockstep/descriptors/script-text/asm.ts"
import { displayHash, hexOf } from "../../hex.ts"
import { scriptKind } from "@lockstep/descriptors/script-text/script-kind.ts"
import { JsonMembers, type JsonRead } from "../../json/json-value.ts"
import { hashOf, integerOf } from "../definition/parameter.ts"
import { invalidParameter, type CallError, callError } from "../../queries/call-error.ts"
import type { MethodNode } from "../definition/method-node.ts"
import { satoshisOf } from "./amount.ts"
import { holdKinds } from "./hold-kinds.ts"
import { bytesGiven, memberOf } from "./make-transaction.ts"

type Known = Map<string, SpentOutput>

const placeOf = (txid: Uint8Array, vout: number): string => `${displayHash(txid)}:${vout}`

const badPrevout = (message: string): CallError => callError("Deserialization", message)

const HASHES: ReadonlySet<string> = new Set(["scripthash", "witness_v0_scripthash"])

const given = (prevout: JsonMembers, name: string): Result.Result<Uint8Array | undefined, CallError> => {
  const value = memberOf(prevout, name)
  return value === null ? Result.succeed(undefined) : bytesGiven(value, name)
}

/**
 * Adds the script of a script hash to the provider. Fails if it does not match. A witnessScript takes precedence over a
 * redeemScript.
 */
const takeScripts = (
  prevout: JsonMembers,
  output: Uint8Array,
  provider: SigningProvider,
  crypto: Crypto
): Result.Result<void, CallError> =>
  Result.gen(function*() {
    yield* holdKinds(prevout, { redeemScript: "string", witnessScript: "string" }, {
      areOptional: true,
      isStrict: false
    })
    const redeem = yield* given(prevout, "redeemScript")
    const witness = yield* given(prevout, "witnessScript")
    const script = witness ?? redeem
    if (script === undefined) return yield* Result.fail(invalidParameter("Missing redeemScript/witnessScript"))
    const program = witnessScriptHashScript(script, crypto)
    if (redeem !== undefined && !bytesEqual(redeem, script) && !bytesEqual(redeem, program)) {
      return yield* Result.fail(invalidParameter("redeemScript does not correspond to witnessScript"))
    }
    const outputs = [program, scriptHashScript(script, crypto), scriptHashScript(program, crypto)]
    if (!outputs.some((each) => bytesEqual(each, output))) {
      return yield* Result.fail(invalidParameter("redeemScript/witnessScript does not match scriptPubKey"))
    }
    addScript(provider, script, crypto)
    return undefined
  })

const takePrevout = (
  value: JsonRead,
  known: Known,
  provider: SigningProvider,
  crypto: Crypto
): Result.Result<void, CallError> =>
  Result.gen(function*() {
    if (!(value instanceof JsonMembers)) {
      return yield* Result.fail(badPrevout("expected object with {\"txid'\",\"vout\",\"scriptPubKey\"}"))
    }
    yield* holdKinds(value, { txid: "string", vout: "number", scriptPubKey: "string" }, {
      areOptional: false,
      isStrict: false
    })
    const txid = yield* hashOf(memberOf(value, "txid"), "txid")
    const vout = yield* integerOf(memberOf(value, "vout"))
    if (vout < 0) return yield* Result.fail(badPrevout("vout cannot be negative"))
    const script = yield* bytesGiven(memberOf(value, "scriptPubKey"), "scriptPubKey")
    const before = known.get(placeOf(txid, vout))
    if (before !== undefined && !bytesEqual(before.script, script)) {
      return yield* Result.fail(
        badPrevout(`Previous output scriptPubKey mismatch:\n${asmOf(before.script)}\nvs:\n${asmOf(script)}`)
      )
    }
    const amount = memberOf(value, "amount")
    known.set(placeOf(txid, vout), { script, value: amount === null ? undefined : yield* satoshisOf(amount) })
    if (HASHES.has(scriptKind(script).type)) yield* takeScripts(value, script, provider, crypto)
    return undefined
  })

/** Returns the outputs that a transaction spends, from the chain, the mempool or the caller. */
export const previousOutputs = Effect.fnUntraced(function*(
  tx: Transaction,
  prevtxs: ReadonlyArray<JsonRead>,
  provider: SigningProvider,
  node: MethodNode
): Effect.fn.Return<ReadonlyArray<SpentOutput | undefined>, CallError> {
  const known: Known = new Map()
  const outpoints = tx.inputs.map(({ prevout }) => prevout)
  const { outputs } = yield* node.chain.call("outputs", { outpoints })
  for (const [i, { txid, vout }] of outpoints.entries()) {
    const output = outputs[i]
    if (output !== undefined) known.set(placeOf(txid, vout), { script: output.script, value: output.value })
  }
  for (const each of prevtxs) yield* Effect.fromResult(takePrevout(each, known, provider, node.crypto))
  return tx.inputs.map(({ prevout }) => known.get(placeOf(prevout.txid, prevout.vout)))
})

/** Returns witnesses or scripts in hexadecimal digits. */
export const digitsOf = (elements: ReadonlyArray<Uint8Array>): ReadonlyArray<string> => elements.map(hexOf)
