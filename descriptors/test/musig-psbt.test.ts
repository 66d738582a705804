import { nobleCrypto } from "@lockstep/kernel/noble"
import { hexOf } from "@lockstep/protocol/hex.ts"
import { mergePsbt } from "@lockstep/protocol/psbt/merge-psbts.ts"
import type { Psbt } from "@lockstep/protocol/psbt/psbt.ts"
import { HDKey } from "@scure/bip32"
import * as Effect from "effect/Effect"
import { assert, describe, it } from "vitest"
import { analyzePsbt } from "../src/psbt/analyze-psbt.ts"
import { psbtOfText, psbtText } from "../src/psbt/psbt-text.ts"
import { finalTransaction } from "../src/psbt/psbt-transaction.ts"
import { finalizePsbt } from "../src/psbt/sign/finalize-psbt.ts"
import { isInputFinal, signedPsbt, signInput, updateOutput } from "../src/psbt/sign/sign-input.ts"
import { addDescribed, emptyProvider, type SigningProvider } from "../src/psbt/sign/signing-provider.ts"
import { inputSpending } from "../src/psbt/spending/input-spending.ts"
import { spendingJson } from "../src/psbt/spending/spending-json.ts"
import { type MusigNonces, musigNonces } from "../src/signing/musig.ts"
import { psbtOfSpending, scriptOfDescriptor, spendingOf, testKey, testKeyText } from "./spend-of.ts"

const VERSIONS = { private: 0x04358394, public: 0x043587cf }
const ROOTS = [1, 2, 3].map((byte) => HDKey.fromMasterSeed(new Uint8Array(32).fill(byte), VERSIONS))
const KEYS = [11, 12, 13].map((number) => testKey(number))
const NOTHING_UP = "50929b74c1a04954b78b4b6035e97a5e078a5a0f28ec96d547bfee9ace803ac0"

/** A descriptor of A, B, C (keys) and X, Y, Z (extended keys): one signer's are private. */
const descriptorOf = (text: string, signer: number | undefined): string =>
  text.replace(/\b[ABCXYZ]\b/g, (name) => {
    const place = "ABC".indexOf(name)
    if (place >= 0) return place === signer ? testKeyText(KEYS[place]!) : hexOf(KEYS[place]!.publicKey)
    const root = ROOTS["XYZ".indexOf(name)]!
    return "XYZ".indexOf(name) === signer ? root.privateExtendedKey : root.publicExtendedKey
  })

interface Signer {
  readonly provider: SigningProvider
  readonly nonces: MusigNonces
}

const signerOf = (text: string, signer: number | undefined, hidden = { secrets: false, origins: false }): Signer => {
  const nonces = musigNonces()
  const provider = emptyProvider(nonces)
  addDescribed(provider, scriptOfDescriptor(descriptorOf(text, signer)), hidden, nobleCrypto)
  return { provider, nonces }
}

const coinOf = (text: string) => ({ value: 50_000n, script: scriptOfDescriptor(descriptorOf(text, undefined)).script })

const psbtFor = (text: string): Psbt => psbtOfSpending(spendingOf([coinOf(text)]), [coinOf(text)])

/** The same after a journey as text. */
const copyOf = (psbt: Psbt): Psbt => Effect.runSync(psbtOfText(psbtText(psbt), nobleCrypto))

const process = (psbt: Psbt, { provider }: Signer, hashType?: number) =>
  signInput(signedPsbt(psbt, nobleCrypto)!, 0, provider, { hashType, finalize: true })

/** Each signer works on a copy of its own, and all copies are combined. */
const round = (psbt: Psbt, signers: ReadonlyArray<Signer>, hashType?: number): Psbt => {
  const copies = signers.map((signer) => {
    const copy = copyOf(psbt)
    process(copy, signer, hashType)
    return copyOf(copy)
  })
  for (const copy of copies.slice(1)) assert.isTrue(mergePsbt(copies[0]!, copy, nobleCrypto))
  return copies[0]!
}

const counts = ({ inputs: [input] }: Psbt): ReadonlyArray<number> => [
  input!.musigParticipants.size,
  input!.musigNonces.size,
  input!.musigPartialSignatures.size
]

/** Descriptors by which all participants sign together: the elements of the witness, and how many keys nonces are for. */
const TOGETHER: ReadonlyArray<readonly [text: string, elements: number, uses: number]> = [
  ["tr(musig(A,B))", 1, 1],
  ["tr(musig(C,A,B))", 1, 1],
  ["rawtr(musig(A,B,C))", 1, 1],
  ["tr(musig(X,Y)/0/5)", 1, 1],
  ["tr(musig(X,Y,Z)/1/*)", 1, 1],
  ["tr(musig(X/0/*,Y/1/*))", 1, 1],
  ["rawtr(musig(X,Y)/3)", 1, 1],
  [`tr(musig(A,B,C),pk(${NOTHING_UP}))`, 1, 1],
  [`tr(${NOTHING_UP},pk(musig(A,B)))`, 3, 1],
  [`tr(${NOTHING_UP},pk(musig(X,Y)/7/*))`, 3, 1],
  [`tr(${NOTHING_UP},and_v(v:pk(musig(X/4,Y/5)),older(16)))`, 3, 1],
  [`tr(${NOTHING_UP},{pk(musig(A,B,C)),and_v(v:pk(musig(A,B)),after(100))})`, 3, 2],
  [`tr(musig(A,B),{pk(musig(A,C)),pk(musig(B,C))})`, 1, 3]
]

describe("partially signed transactions that several sign together", () => {
  it.each(TOGETHER)("%s is spent after two rounds", (text, elements, uses) => {
    const signers = [0, 1, 2].filter((i) =>
      /[ABCXYZ]/.test(text) && new RegExp(`\\b[${"ABC"[i]}${"XYZ"[i]}]\\b`).test(text)
    )
      .map((i) => signerOf(text, i))
    const first = round(psbtFor(text), signers)
    assert.strictEqual(first.inputs[0]!.musigPartialSignatures.size, 0)
    assert.isAtLeast(first.inputs[0]!.musigNonces.size, uses * 2)
    assert.isUndefined(first.inputs[0]!.finalWitness)
    const second = round(first, signers)
    assert.strictEqual(second.inputs[0]!.musigPartialSignatures.size, second.inputs[0]!.musigNonces.size)
    assert.strictEqual(Effect.runSync(analyzePsbt(copyOf(second), nobleCrypto)).next, "finalizer")
    assert.isTrue(Effect.runSync(finalizePsbt(second, nobleCrypto)))
    assert.isTrue(isInputFinal(signedPsbt(second, nobleCrypto)!, 0))
    assert.strictEqual(finalTransaction(second)!.inputs[0]!.witness.length, elements)
  })

  it("a signature with another hash type than the usual one ends with it", () => {
    const text = "tr(musig(A,B))"
    const signers = [signerOf(text, 0), signerOf(text, 1)]
    const hashType = 0x83
    const psbt = round(round(psbtFor(text), signers, hashType), signers, hashType)
    assert.strictEqual(psbt.inputs[0]!.sighashType, hashType)
    const { outcome } = process(psbt, signers[0]!, hashType)
    assert.strictEqual(outcome, "complete")
    assert.strictEqual(psbt.inputs[0]!.finalWitness![0]!.at(-1), hashType)
  })

  it("a nonce signs once: what was signed before is not signed again, however the transaction is given", () => {
    const text = "tr(musig(A,B))"
    const [a, b] = [signerOf(text, 0), signerOf(text, 1)]
    const nonces = round(psbtFor(text), [a, b])
    assert.deepStrictEqual(counts(round(nonces, [a])), [1, 2, 1])
    assert.deepStrictEqual(counts(round(nonces, [a])), [1, 2, 0])
    // Another nonce of the other participant would make the first one give the key away.
    const again = copyOf(nonces)
    const place =
      [...again.inputs[0]!.musigNonces].find(([, { participant }]) =>
        hexOf(participant) === hexOf(KEYS[1]!.publicKey)
      )![0]
    again.inputs[0]!.musigNonces.delete(place)
    const other = signerOf(text, 1)
    assert.deepStrictEqual(counts(round(round(again, [other]), [a])), [1, 2, 0])
  })

  it("a node that was restarted has no nonces of before, and signs with new ones alone", () => {
    const text = "tr(musig(X,Y)/0/*)"
    const [a, b] = [signerOf(text, 0), signerOf(text, 1)]
    const nonces = round(psbtFor(text), [a, b])
    const restarted = signerOf(text, 0)
    assert.deepStrictEqual(counts(round(nonces, [restarted, b])), [1, 2, 1])
    const anew = round(round(psbtFor(text), [restarted, b]), [restarted, b])
    assert.isTrue(Effect.runSync(finalizePsbt(anew, nobleCrypto)))
  })

  it("a nonce is for one transaction: it does not sign another one", () => {
    const text = "tr(musig(A,B))"
    const signers = [signerOf(text, 0), signerOf(text, 1)]
    const nonces = round(psbtFor(text), signers)
    const other = psbtOfSpending(spendingOf([coinOf(text)], { lockTime: 7 }), [coinOf(text)])
    for (const [place, nonce] of nonces.inputs[0]!.musigNonces) other.inputs[0]!.musigNonces.set(place, nonce)
    assert.deepStrictEqual(counts(round(other, signers)), [1, 2, 0])
    assert.deepStrictEqual(counts(round(nonces, signers)), [1, 2, 2])
  })

  it("no nonce is added beside a partial signature, nor without a private key or all spent outputs", () => {
    const text = "tr(musig(A,B))"
    const [a, b] = [signerOf(text, 0), signerOf(text, 1)]
    assert.deepStrictEqual(counts(round(psbtFor(text), [signerOf(text, undefined)])), [1, 0, 0])
    assert.deepStrictEqual(counts(round(psbtFor(text), [signerOf(text, 2)])), [1, 0, 0])
    const signed = round(round(psbtFor(text), [a, b]), [a])
    for (const [place, { participant }] of signed.inputs[0]!.musigNonces) {
      if (hexOf(participant) === hexOf(KEYS[1]!.publicKey)) signed.inputs[0]!.musigNonces.delete(place)
    }
    assert.deepStrictEqual(counts(round(signed, [b])), [1, 1, 1])
    const coins = [coinOf(text), coinOf("tr(C)")]
    const unknown = psbtOfSpending(spendingOf(coins), coins)
    unknown.inputs[1]!.witnessUtxo = undefined
    assert.deepStrictEqual(counts(round(unknown, [a])), [1, 0, 0])
  })

  it("a wrong part of a participant spends nothing, and makes no key known", () => {
    const text = "tr(musig(A,B))"
    const signers = [signerOf(text, 0), signerOf(text, 1)]
    const whole = round(round(psbtFor(text), signers), signers)
    const [input] = whole.inputs
    for (const parts of [input!.musigPartialSignatures, input!.musigNonces]) {
      const [place, part] = [...parts][0]!
      parts.set(place, { ...part, value: part.value.map((byte, i) => i === 20 ? byte ^ 1 : byte) })
      const copy = copyOf(whole)
      assert.isFalse(Effect.runSync(finalizePsbt(copy, nobleCrypto)))
      assert.isUndefined(copy.inputs[0]!.taprootKeySignature)
      parts.set(place, part)
    }
    assert.isTrue(Effect.runSync(finalizePsbt(copyOf(whole), nobleCrypto)))
  })

  it("participants that do not make the given aggregate key get no nonce", () => {
    const text = "tr(musig(A,B))"
    const signer = signerOf(text, 0)
    const [place, given] = [...signer.provider.musigParticipants][0]!
    for (const participants of [[KEYS[0]!.publicKey], [KEYS[0]!, KEYS[2]!].map(({ publicKey }) => publicKey)]) {
      signer.provider.musigParticipants.set(place, { ...given, participants })
      assert.deepStrictEqual(counts(round(psbtFor(text), [signer])), [1, 0, 0])
    }
  })

  it("a signer who knows no descriptor but its own key signs for the participants in the PSBT", () => {
    const text = "tr(musig(A,B),pk(C))"
    const [a] = [signerOf(text, 0)]
    const given = psbtFor(text)
    process(given, signerOf(text, undefined))
    const alone = signerOf(`pk(${testKeyText(KEYS[1]!)})`, undefined)
    const psbt = round(round(given, [a, alone]), [a, alone])
    assert.isTrue(Effect.runSync(finalizePsbt(psbt, nobleCrypto)))
  })

  it("who has given a nonce and who has signed is shown of each way to spend", () => {
    const text = `tr(musig(A,B),pk(musig(X,Y)/1))`
    const signers = [signerOf(text, 0), signerOf(text, 1)]
    const shown = (psbt: Psbt): unknown => {
      const { paths } = spendingJson(inputSpending(signedPsbt(copyOf(psbt), nobleCrypto)!, 0)!, false)
      return paths!.map(({ complete, signatures }) => [
        complete,
        ...signatures!.flatMap(({ keys }) =>
          keys.map((key) =>
            "musig2_participants" in key
              ? key.musig2_participants?.map(({ has_nonce, has_signed }) =>
                `${has_nonce ? "n" : "-"}${has_signed ? "s" : "-"}`
              )
                .sort().join()
              : undefined
          )
        )
      ])
    }
    const given = psbtFor(text)
    process(given, signerOf(text, undefined))
    assert.deepStrictEqual(shown(given), [[false, "--,--"], [false, "--,--"]])
    assert.deepStrictEqual(shown(round(given, [signers[0]!])), [[false, "--,n-"], [false, "--,n-"]])
    const nonces = round(given, signers)
    const signed = round(nonces, signers)
    assert.deepStrictEqual(shown(signed), [[true, "ns,ns"], [true, "ns,ns"]])
    const plain = psbtFor("tr(A,pk(B))")
    process(plain, signerOf("tr(A,pk(B))", undefined))
    assert.deepStrictEqual(shown(plain), [[false, undefined], [false, undefined]])
  })

  it("inputs and outputs name participants, and the origins of them and of derived keys", () => {
    const text = "tr(musig(X/4,Y/5),pk(musig(Z,X)/2/*))"
    const psbt = psbtFor(text)
    psbt.outputs[0] = { ...psbt.outputs[0]!, script: coinOf(text).script }
    const { provider } = signerOf(text, undefined)
    process(psbt, { provider, nonces: musigNonces() })
    updateOutput(psbt, 0, provider, nobleCrypto)
    for (const { musigParticipants, taprootOrigins } of [psbt.inputs[0]!, psbt.outputs[0]]) {
      assert.deepStrictEqual([...musigParticipants.values()].map(({ participants }) => participants.length), [2, 2])
      const paths = [...taprootOrigins.values()].map((
        { leafHashes, origin }
      ) => [origin.path.join("/"), leafHashes.length])
      // Both aggregate keys, the derived one, and the participants.
      assert.includeDeepMembers(paths, [["4", 1], ["5", 1], ["2/0", 1]])
    }
    const hidden = signerOf(text, undefined, { secrets: true, origins: true })
    const bare = psbtFor(text)
    process(bare, hidden)
    assert.strictEqual(bare.inputs[0]!.taprootOrigins.size, 0)
    assert.strictEqual(bare.inputs[0]!.musigParticipants.size, 2)
  })
})
