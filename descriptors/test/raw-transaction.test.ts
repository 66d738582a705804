import { nobleCrypto } from "@lockstep/kernel/noble"
import { type Transaction, type TransactionInput, type TransactionOutput, transactionOf } from "@lockstep/kernel/model"
import { hexOf } from "@lockstep/protocol/hex.ts"
import * as Effect from "effect/Effect"
import { assert, describe, it } from "vitest"
import type { SecretKey } from "../src/descriptor/key-text.ts"
import { finalTransaction } from "../src/psbt/psbt-transaction.ts"
import { signedPsbt, signInput } from "../src/psbt/sign/sign-input.ts"
import { addScript, providerOfKeys } from "../src/raw-transaction/key-provider.ts"
import {
  combineRawInput,
  signRawInput,
  spendsOf,
  type SpentOutputsGiven
} from "../src/raw-transaction/sign-raw-input.ts"
import { signRawTransaction } from "../src/raw-transaction/sign-raw-transaction.ts"
import { pushedBy, pushes } from "../src/signing/pushes.ts"
import {
  providerOfDescriptors,
  psbtOfSpending,
  scriptOfDescriptor,
  spendingOf,
  testKey,
  testKeyText
} from "./spend-of.ts"

const [A, B, C, LONG] = [testKey(1), testKey(2), testKey(3), testKey(4, false)]
const FOREIGN_KEY = testKey(9)
const KEYS = { A, B, C, LONG }
const DEFAULT = 0
const SINGLE = 3
const ANYONECANPAY = 0x80

/** A descriptor of letters, with private keys of some and public keys of the others. */
const withKeys = (text: string, own: ReadonlyArray<SecretKey>): string =>
  text.replace(/\b(A|B|C|LONG)\b/g, (name) => {
    const key = KEYS[name as keyof typeof KEYS]
    return own.includes(key) ? testKeyText(key) : hexOf(key.publicKey)
  })

const coinOf = (text: string) => ({ value: 100_000n, script: scriptOfDescriptor(withKeys(text, [])).script })

/** Keys with the scripts behind the output of a descriptor, as callers give them. */
const keysFor = (text: string, own: ReadonlyArray<SecretKey>) => {
  const provider = providerOfKeys(own, nobleCrypto)
  for (const script of scriptOfDescriptor(withKeys(text, [])).inner) addScript(provider, script, nobleCrypto)
  return provider
}

const withInput = (tx: Transaction, spending: { readonly script?: Uint8Array; readonly witness?: Witness }) =>
  transactionOf({ ...tx, inputs: tx.inputs.map((input, i) => i === 0 ? { ...input, ...spending } : input) })

type Witness = ReadonlyArray<Uint8Array>

const signRaw = (
  text: string,
  own: ReadonlyArray<SecretKey>,
  { hashType = DEFAULT, tx = spendingOf([coinOf(text)]) } = {}
) => Effect.runSync(signRawTransaction(tx, [coinOf(text)], keysFor(text, own), hashType, nobleCrypto))

/** Scripts whose miniscript alone says how they are satisfied, with keys that are enough. */
const MINISCRIPTS: ReadonlyArray<readonly [text: string, own: ReadonlyArray<SecretKey>]> = [
  ["wsh(and_v(v:pk(A),older(16)))", [A]],
  ["sh(wsh(and_v(v:pk(A),older(16))))", [A]],
  ["wsh(or_d(pk(A),and_v(v:pkh(B),older(10))))", [A, B]],
  ["wsh(or_d(pk(A),and_v(v:pkh(B),older(10))))", [B]],
  ["wsh(or_i(and_v(v:pkh(A),after(60)),pk(B)))", [A]],
  ["wsh(or_i(and_v(v:pkh(A),after(60)),pk(B)))", [A, B]],
  ["sh(wsh(and_v(v:pk(A),after(100))))", [A]],
  ["wsh(thresh(2,pk(A),s:pk(B),sln:older(3)))", [A]],
  ["wsh(thresh(2,pk(A),s:pk(B),sln:older(3)))", [A, B]],
  ["wsh(andor(pk(A),older(5),pk(B)))", [A]],
  ["wsh(andor(pk(A),older(5),pk(B)))", [B]],
  ["sh(wsh(andor(pk(A),older(5),pk(B))))", [A, B]],
  ["wsh(and_v(v:multi(2,A,B,C),after(100)))", [A, C]]
]

describe("raw transactions signed with keys", () => {
  it.each(MINISCRIPTS)("%s is spent by the same bytes as its partially signed transaction", (text, own) => {
    const tx = spendingOf([coinOf(text)])
    const { faults, tx: raw } = signRaw(text, own)
    assert.deepStrictEqual(faults, [])
    const psbt = psbtOfSpending(tx, [coinOf(text)])
    const provider = providerOfDescriptors(withKeys(text, own))
    const { outcome } = signInput(signedPsbt(psbt, nobleCrypto)!, 0, provider, { hashType: undefined, finalize: true })
    assert.strictEqual(outcome, "complete")
    assert.strictEqual(hexOf(raw.bytes), hexOf(finalTransaction(psbt)!.bytes))
  })

  it("a script that a lock time keeps closed stays unspent, and its signature is not written", () => {
    const text = "wsh(and_v(v:pk(A),older(17)))"
    const { faults, tx } = signRaw(text, [A])
    assert.deepStrictEqual(faults.map(({ error }) => error), [
      "Unable to sign input, invalid stack size (possibly missing key)"
    ])
    assert.strictEqual(tx.inputs[0]!.witness.length, 1)
  })

  /** Something of another signer that spends nothing, in every form of output. */
  const FOREIGN = Uint8Array.of(0x30, 1, 2, 3)
  const CODE = Uint8Array.of(0x51)
  const SIGNATURE = new Uint8Array(64).fill(5)
  it.each<readonly [text: string, spending: { readonly script?: Uint8Array; readonly witness?: Witness }]>([
    ["pk(A)", { script: pushes([FOREIGN]) }],
    ["pkh(A)", { script: pushes([FOREIGN, A.publicKey]) }],
    ["multi(2,A,B,C)", { script: pushes([new Uint8Array(0), FOREIGN]) }],
    ["sh(multi(2,A,B,C))", { script: pushes([FOREIGN, CODE]) }],
    ["sh(wpkh(A))", { script: pushes([CODE]), witness: [FOREIGN, A.publicKey] }],
    ["wpkh(A)", { witness: [FOREIGN, A.publicKey] }],
    ["wsh(multi(2,A,B))", { witness: [new Uint8Array(0), FOREIGN, CODE] }],
    ["wsh(and_v(v:pk(A),older(16)))", { witness: [FOREIGN] }],
    ["sh(wsh(pk(A)))", { script: pushes([CODE]), witness: [FOREIGN] }],
    ["tr(A)", { witness: [SIGNATURE] }],
    ["tr(B,pk(A))", { witness: [SIGNATURE, CODE, new Uint8Array(33)] }],
    ["rawtr(A)", { witness: [SIGNATURE, Uint8Array.of(0x50)] }],
    ["raw(5387)", { script: Uint8Array.of(0x54) }],
    ["raw(6a00)", { script: Uint8Array.of(0x54) }],
    ["raw(5214751e76e8199196d454941c45d1b3a323f1433bd6)", { witness: [FOREIGN] }]
  ])("an input of %s that no key here can sign stays byte for byte, and is judged", (text, spending) => {
    const tx = withInput(spendingOf([coinOf(text)]), spending)
    const { faults, tx: after } = signRaw(text, [FOREIGN_KEY], { tx })
    const [{ script, witness }] = [after.inputs[0]!]
    assert.deepStrictEqual([script, witness], [spending.script ?? new Uint8Array(0), spending.witness ?? []])
    assert.strictEqual(faults.length, 1)
    assert.notStrictEqual(faults[0]!.error, "")
  })

  it.each([
    ["wpkh(B)", "pk(A)"],
    ["tr(B)", "pk(A)"],
    ["wsh(and_v(v:pk(B),older(16)))", "pk(A)"],
    ["tr(C,and_v(v:pk(B),older(16)))", "pk(A)"]
  ])("an input of %s that is spent already stays so when another one is signed", (text, other) => {
    const coins = [coinOf(text), coinOf(other)]
    const psbt = psbtOfSpending(spendingOf(coins), coins)
    signInput(signedPsbt(psbt, nobleCrypto)!, 0, providerOfDescriptors(withKeys(text, [B])), {
      hashType: undefined,
      finalize: true
    })
    const tx = withInput(spendingOf(coins), { witness: psbt.inputs[0]!.finalWitness! })
    const provider = providerOfKeys([A], nobleCrypto)
    const { faults, tx: after } = Effect.runSync(signRawTransaction(tx, coins, provider, DEFAULT, nobleCrypto))
    assert.deepStrictEqual(faults, [])
    assert.deepStrictEqual(after.inputs[0], tx.inputs[0])
  })

  it("a multisig without keys gets as many placeholders as Bitcoin Core writes", () => {
    const keys = [..."ABC"].join(",")
    const placeholders = [1, 2, 3].map((required) => {
      const { faults, tx } = signRaw(`multi(${required},${keys})`, [])
      assert.strictEqual(faults.length, 1)
      return pushedBy(tx.inputs[0]!.script).length
    })
    assert.deepStrictEqual(placeholders, [2, 2, 3])
    const { tx } = signRaw("wsh(multi(2,A,B,C))", [B])
    assert.deepStrictEqual(tx.inputs[0]!.witness.map(({ length }) => length > 0), [false, true, false, true])
  })

  it.each([SINGLE, SINGLE | ANYONECANPAY])(
    "nothing is written into an input signed by SINGLE (%i) whose output is missing",
    (hashType) => {
      for (const text of ["pk(A)", "wpkh(A)", "wsh(multi(1,A))", "multi(2,A,B)", "rawtr(A)"]) {
        const tx = spendingOf([coinOf(text)], { outputs: 0 })
        assert.deepStrictEqual(signRaw(text, [A], { hashType, tx }).tx.inputs, tx.inputs, text)
        const foreign = withInput(tx, { script: pushes([FOREIGN]), witness: [FOREIGN] })
        assert.deepStrictEqual(signRaw(text, [A], { hashType, tx: foreign }).tx.inputs, foreign.inputs, text)
      }
    }
  )

  it("an uncompressed key signs no taproot output and no witness, the compressed form of it does", () => {
    const short = testKey(4)
    const script = Uint8Array.of(0x51, 32, ...short.publicKey.subarray(1))
    const coin = { value: 5_000n, script }
    const signed = ([LONG, short] as const).map((key) =>
      signRawInput(
        spendsOf(spendingOf([coin]), [coin], nobleCrypto)(0),
        providerOfKeys([key], nobleCrypto),
        DEFAULT,
        nobleCrypto
      )
    )
    assert.deepStrictEqual(signed.map(({ witness }) => witness.length), [0, 1])
    assert.strictEqual(signRaw("pkh(LONG)", [LONG]).faults.length, 0)
  })

  it("taproot is not signed while another spent output is unknown, and is judged as Bitcoin Core does", () => {
    const [coin, other] = [coinOf("rawtr(A)"), coinOf("pk(B)")]
    const tx = spendingOf([coin, other])
    const provider = providerOfKeys([A], nobleCrypto)
    const run = (given: Transaction, coins: SpentOutputsGiven) =>
      Effect.runSync(signRawTransaction(given, coins, provider, DEFAULT, nobleCrypto))
    assert.deepStrictEqual(run(tx, [coin, undefined]).tx.inputs, tx.inputs)
    const signed = run(tx, [coin, other]).tx
    assert.deepStrictEqual(run(signed, [coin, undefined]).faults.map(({ error }) => error), [
      "Invalid Schnorr signature hash type",
      "Input not found or already spent"
    ])
  })
})

const combined = (versions: ReadonlyArray<Transaction>, coin: TransactionOutput): TransactionInput =>
  combineRawInput(versions, spendsOf(versions[0]!, [coin], nobleCrypto)(0), nobleCrypto)

describe("raw transactions combined", () => {
  const coin = coinOf("wsh(multi(2,A,B,C))")
  const tx = spendingOf([coin])
  const part = (own: ReadonlyArray<SecretKey>, hashType: number) =>
    signRaw("wsh(multi(2,A,B,C))", own, { hashType, tx }).tx

  it("of two signatures by one key the first one stays", () => {
    for (const [first, second] of [[1, 2], [2, 1]] as const) {
      const versions = [part([A], first), part([A], second), part([B], 1)]
      const { witness } = combined(versions, coin)
      assert.deepStrictEqual(witness.slice(1, 3).map((each) => each.at(-1)), [first, 1])
    }
  })

  it("signatures in another order than the keys are found", () => {
    const whole = signRaw("wsh(multi(2,A,B,C))", [A, B], { tx }).tx.inputs[0]!.witness
    const turned = withInput(tx, { witness: [whole[0]!, whole[2]!, whole[1]!, whole[3]!] })
    assert.deepStrictEqual(combined([turned, tx], coin).witness, whole)
  })

  it("an input of which nothing can be read stays as the first version has it that has something", () => {
    const junk = [Uint8Array.of(1), Uint8Array.of(0x51)]
    const { witness } = combined([tx, withInput(tx, { witness: junk })], coin)
    assert.deepStrictEqual(witness, junk)
  })

  it("a taproot input that one version spends stays spent", () => {
    const taproot = coinOf("rawtr(A)")
    const unsigned = spendingOf([taproot])
    const signed = signRaw("rawtr(A)", [A], { tx: unsigned }).tx
    assert.deepStrictEqual(combined([unsigned, signed], taproot), signed.inputs[0])
  })
})
