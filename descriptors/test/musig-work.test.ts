import { nobleCrypto } from "@lockstep/kernel/noble"
import { hexOf } from "@lockstep/protocol/hex.ts"
import type { MusigParticipants } from "@lockstep/protocol/psbt/psbt.ts"
import { assert, describe, it } from "vitest"
import { musigKeyBytes } from "../src/descriptor/aggregate-key.ts"
import { jointKeyOf } from "../src/psbt/sign/joint-key.ts"
import { participantsFor } from "../src/psbt/sign/known-participants.ts"
import { MOST_PARTICIPANTS, type MusigWork, musigWork } from "../src/psbt/sign/musig-work.ts"
import { produceSignature } from "../src/psbt/sign/produce-signature.ts"
import { signatureCreator } from "../src/psbt/sign/signature-creator.ts"
import { dataOfInput, emptyData } from "../src/psbt/sign/signature-data.ts"
import { signedPsbt, signInput } from "../src/psbt/sign/sign-input.ts"
import { addDescribed, emptyProvider } from "../src/psbt/sign/signing-provider.ts"
import { musigNonces } from "../src/signing/musig.ts"
import { psbtOfSpending, scriptOfDescriptor, spendingOf, testKey, testKeyText } from "./spend-of.ts"

const KEYS = [31, 32, 33].map((number) => testKey(number))

/** Participants, some of them often, and their aggregate key. */
const jointly = (count: number, first = 0): MusigParticipants => {
  const participants = Array.from({ length: count }, (_, i) => KEYS[(first + i) % KEYS.length]!.publicKey)
  return { participants, aggregate: musigKeyBytes({ participants, tweaks: [] })! }
}

const OWN = { leafHash: undefined, taproot: undefined }

const isFound = (given: MusigParticipants, work: MusigWork): boolean => {
  const data = { ...emptyData(), musigWork: work }
  return jointKeyOf(given.aggregate.subarray(1), given, OWN, { data, crypto: nobleCrypto }) !== undefined
}

describe("the work for keys of several signers", () => {
  it("is not begun for a key of more than a hundred participants", () => {
    const asked = (count: number): ReadonlyArray<number> => {
      const spent: Array<number> = []
      const participants = Array.from({ length: count }, () => KEYS[0]!.publicKey)
      const given = { participants, aggregate: KEYS[1]!.publicKey }
      assert.isFalse(isFound(given, { spend: (keys) => spent.push(keys) === 0 }))
      return spent
    }
    assert.deepStrictEqual([asked(1), asked(MOST_PARTICIPANTS), asked(MOST_PARTICIPANTS + 1)], [[1], [100], []])
  })

  it("ends where an input has had its share, and a key that was added up takes none of it again", () => {
    const [first, second] = [jointly(2), jointly(3, 1)]
    const work = musigWork(4)
    assert.isTrue(isFound(first, work))
    assert.isFalse(isFound(second, work))
    assert.isTrue(isFound(first, work))
    assert.isFalse(work.spend(3))
    assert.isTrue(isFound(second, musigWork(3)))
  })

  it("takes no secret nonce that it does not sign with", () => {
    const text = "tr(musig(A,B))"
    const coin = scriptOfDescriptor(text.replace(/[AB]/g, (name) => testKeyText(KEYS["AB".indexOf(name)]!)))
    const coins = [{ value: 50_000n, script: coin.script }]
    const provider = emptyProvider(musigNonces())
    addDescribed(provider, coin, { secrets: false, origins: false }, nobleCrypto)
    const psbt = psbtOfSpending(spendingOf(coins), coins)
    const signed = signedPsbt(psbt, nobleCrypto)!
    signInput(signed, 0, provider, { hashType: undefined, finalize: true })
    const [input] = psbt.inputs
    assert.strictEqual(input!.musigNonces.size, 2)
    const creator = signatureCreator(
      { tx: signed.tx, index: 0, output: coins[0]!, spentOutputs: coins, digests: signed.digests },
      0,
      nobleCrypto
    )
    const partial = (work: MusigWork): number => {
      const data = { ...dataOfInput(input!), musigWork: work }
      produceSignature(coin.script, { provider, creator, data, crypto: nobleCrypto })
      return data.musigPartialSignatures.size
    }
    assert.deepStrictEqual([partial(musigWork(7)), partial(musigWork())], [0, 2])
  })

  it("looks at those alone that may sign for a key: its own participants, and those its origin names", () => {
    const all = [jointly(1), jointly(2), jointly(3), jointly(2, 1)]
    const known = new Map(all.map((each) => [hexOf(each.aggregate), each]))
    const found = (x: Uint8Array, fingerprint?: Uint8Array) =>
      participantsFor(x, fingerprint && { fingerprint, path: [1] }, known, nobleCrypto)
    const [, second, third] = all
    const fingerprint = nobleCrypto.hash160(third!.aggregate).subarray(0, 4)
    assert.deepStrictEqual(found(second!.aggregate.subarray(1)), [second!])
    assert.deepStrictEqual(found(KEYS[2]!.publicKey.subarray(1), fingerprint), [third!])
    assert.deepStrictEqual(found(KEYS[2]!.publicKey.subarray(1)), [])
    const both = found(second!.aggregate.subarray(1), fingerprint)
    const inOrder = [second!, third!].sort((a, b) => hexOf(a.aggregate) < hexOf(b.aggregate) ? -1 : 1)
    assert.deepStrictEqual(both, inOrder)
    known.set("later", jointly(2, 2))
    assert.strictEqual(found(jointly(2, 2).aggregate.subarray(1)).length, 1)
  })
})
