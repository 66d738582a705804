import { taprootScript, witnessScriptHashScript, scriptHashScript } from "@lockstep/descriptors/descriptor/scripts.ts"
import { parseMiniscript } from "@lockstep/descriptors/descriptor/miniscript/parse-miniscript.ts"
import { scriptOfMiniscript } from "@lockstep/descriptors/descriptor/miniscript/script-of-miniscript.ts"
import { analyzePsbt } from "@lockstep/descriptors/psbt/analyze-psbt.ts"
import { psbtOfText, psbtText } from "@lockstep/descriptors/psbt/psbt-text.ts"
import { signedPsbt } from "@lockstep/descriptors/psbt/sign/sign-input.ts"
import { inputSpending } from "@lockstep/descriptors/psbt/spending/input-spending.ts"
import { largestVirtualSize } from "@lockstep/descriptors/psbt/spending/largest-transaction.ts"
import { spendingJson } from "@lockstep/descriptors/psbt/spending/spending-json.ts"
import { decodeTransaction } from "@lockstep/kernel/model"
import { nobleCrypto } from "@lockstep/kernel/noble"
import type { Random } from "@lockstep/property-tests/fuzz/random.ts"
import type { Seeds, Target } from "@lockstep/property-tests/fuzz/target.ts"
import { leafKey, shortestFirst } from "@lockstep/protocol/psbt/sort-keys.ts"
import type { PsbtInput } from "@lockstep/protocol/psbt/psbt.ts"
import { psbtOf } from "@lockstep/protocol/psbt/unsigned-transaction.ts"
import { secp256k1 } from "@noble/curves/secp256k1.js"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { REGRESSIONS } from "../regressions-directory.ts"

const KEYS = [1n, 2n, 3n, 4n].map((number) => secp256k1.Point.BASE.multiply(number).toBytes(true))
const HASH = "aa".repeat(32)

/** Miniscripts of which each number is a key. */
const TEXTS = [
  "pk(0)",
  "pkh(1)",
  "andor(pk(0),older(5),pkh(1))",
  "thresh(2,pk(0),s:pk(1),sln:older(144))",
  `or_d(pk(0),and_v(v:pkh(1),sha256(${HASH})))`,
  "or_i(and_v(v:pk(0),after(500000001)),and_v(v:pk(2),after(5)))",
  "and_v(v:pk(0),and_v(v:after(500000001),after(5)))"
]

const scriptFrom = (random: Random, seeds: Seeds, isTapscript: boolean): Uint8Array => {
  const texts = [...TEXTS, isTapscript ? "multi_a(2,0,1,2)" : "multi(2,0,1,2)"]
  const text = random.pick(texts)
  const keys: Array<Uint8Array> = []
  const root = parseMiniscript(
    text,
    isTapscript ? "tr" : "wsh",
    (key) => keys.push(KEYS[Number(key)]!.subarray(isTapscript ? 1 : 0)) - 1
  )
  const bytes = (key: number): Uint8Array => keys[key]!
  const script = scriptOfMiniscript(root!, { bytes, hash: (key) => nobleCrypto.hash160(bytes(key)) })
  if (!random.oneIn(4)) return script
  return random.oneIn(2) ? random.pick(seeds.scripts) : script.with(random.below(script.length), random.below(256))
}

const fillTaproot = (input: PsbtInput, random: Random, seeds: Seeds): Uint8Array => {
  const internal = random.pick(KEYS).subarray(1)
  input.taprootInternalKey = internal
  for (let leaves = random.below(3); leaves > 0; leaves--) {
    const script = scriptFrom(random, seeds, true)
    const block = Uint8Array.of(0xc0, ...internal, ...random.bytes(32 * random.below(3)))
    input.taprootScripts.set(leafKey(script, 0xc0), {
      script,
      version: 0xc0,
      controlBlocks: new Map([[shortestFirst(block), block]])
    })
  }
  return taprootScript(random.pick(KEYS).subarray(1))
}

/** Fills an input, and answers the script of the output that it spends. */
const filled = (input: PsbtInput, random: Random, seeds: Seeds): Uint8Array => {
  const form = random.below(5)
  if (form === 0) return random.pick(seeds.scripts)
  if (form === 1) return fillTaproot(input, random, seeds)
  const script = scriptFrom(random, seeds, false)
  if (form === 2) {
    input.redeemScript = script
    return scriptHashScript(script, nobleCrypto)
  }
  input.witnessScript = script
  const program = witnessScriptHashScript(script, nobleCrypto)
  if (form === 3) return program
  input.redeemScript = program
  return scriptHashScript(program, nobleCrypto)
}

const anyPsbt = (random: Random, seeds: Seeds): string => {
  const tx = Result.getOrUndefined(decodeTransaction(random.pick(seeds.transactions)))
  if (tx === undefined) return ""
  const psbt = psbtOf(tx, 0)
  for (const input of psbt.inputs) {
    if (random.oneIn(8)) continue
    input.witnessUtxo = { value: BigInt(random.below(1_000_000)), script: filled(input, random, seeds) }
    if (random.oneIn(8)) input.finalWitness = [random.bytes(random.below(80))]
  }
  return psbtText(psbt)
}

/** What is shown of each input is something JSON can write, and no guess is larger than what is foretold. */
const judged = async (text: string): Promise<string | undefined> => {
  const psbt = Result.getOrUndefined(await Effect.runPromise(Effect.result(psbtOfText(text, nobleCrypto))))
  const signed = psbt && signedPsbt(psbt, nobleCrypto)
  if (psbt === undefined || signed === undefined) return undefined
  const spendings = psbt.inputs.map((_, i) => inputSpending(signed, i))
  JSON.stringify(spendings.map((each) => each && spendingJson(each, false)))
  const most = largestVirtualSize(signed, spendings)
  const { virtualSize } = await Effect.runPromise(analyzePsbt(psbt, nobleCrypto))
  return most !== undefined && virtualSize !== undefined && virtualSize > most
    ? `the guess of ${virtualSize} is more than the largest size, ${most}`
    : undefined
}

/** Partially signed transactions with scripts of all forms: how their inputs can be spent. */
export const psbtSpendingTarget: Target<{ readonly text: string }> = {
  name: "psbt-spending",
  about: "how inputs of partially signed transactions can be spent, and in how many bytes",
  generate: (random, seeds) => ({ text: anyPsbt(random, seeds) }),
  judge: ({ text }) => judged(text),
  regressions: REGRESSIONS
}
