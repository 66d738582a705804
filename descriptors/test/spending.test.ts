import { nobleCrypto } from "@lockstep/kernel/noble"
import { transactionId, transactionOf, transactionWeight } from "@lockstep/kernel/model"
import { hexOf } from "@lockstep/protocol/hex.ts"
import { REGTEST } from "@lockstep/protocol/networks/regtest.ts"
import type { Psbt } from "@lockstep/protocol/psbt/psbt.ts"
import { psbtOf } from "@lockstep/protocol/psbt/unsigned-transaction.ts"
import { HDKey } from "@scure/bip32"
import * as Result from "effect/Result"
import { assert, describe, it } from "vitest"
import { type DescribedScript, scriptsAt } from "../src/descriptor/descriptor.ts"
import { parseMiniscript } from "../src/descriptor/miniscript/parse-miniscript.ts"
import { scriptOfMiniscript } from "../src/descriptor/miniscript/script-of-miniscript.ts"
import { parseDescriptor } from "../src/descriptor/parse-descriptor.ts"
import { finalTransaction } from "../src/psbt/psbt-transaction.ts"
import { signedPsbt, signInput } from "../src/psbt/sign/sign-input.ts"
import { addDescribed, emptyProvider, type SigningProvider } from "../src/psbt/sign/signing-provider.ts"
import { countSize, elementSize, type InputPath } from "../src/psbt/spending/input-paths.ts"
import { inputSpending, isPathComplete } from "../src/psbt/spending/input-spending.ts"
import { largestVirtualSize } from "../src/psbt/spending/largest-transaction.ts"
import { spendingJson } from "../src/psbt/spending/spending-json.ts"

const VERSIONS = { private: 0x04358394, public: 0x043587cf }
const [A, B, C] = [1, 2, 3].map((byte) => HDKey.fromMasterSeed(new Uint8Array(32).fill(byte), VERSIONS))
  .map((key) => key.privateExtendedKey)
const NOTHING_UP = "50929b74c1a04954b78b4b6035e97a5e078a5a0f28ec96d547bfee9ace803ac0"
const PREIMAGE = new Uint8Array(32).fill(0x5a)
const HASH = nobleCrypto.sha256(PREIMAGE)

/** Descriptors, and how many ways spend each. */
const SPENDABLE: ReadonlyArray<readonly [descriptor: string, ways: number]> = [
  [`pk(${A}/0)`, 1],
  [`pkh(${A}/0)`, 1],
  [`wpkh(${A}/1)`, 1],
  [`sh(wpkh(${A}/2))`, 1],
  [`sh(pkh(${A}/2))`, 1],
  [`sh(multi(2,${A}/3,${B}/3,${C}/3))`, 1],
  [`multi(1,${A}/3,${B}/3)`, 1],
  [`wsh(multi(2,${A}/4,${B}/4,${C}/4))`, 1],
  [`sh(wsh(multi(2,${A}/5,${B}/5)))`, 1],
  [`wsh(and_v(v:pk(${A}/6),older(5)))`, 1],
  [`wsh(andor(pk(${A}/7),older(5),pkh(${B}/7)))`, 2],
  [`wsh(thresh(2,pk(${A}/8),s:pk(${B}/8),sln:older(3)))`, 3],
  [`wsh(or_i(and_v(v:pkh(${A}/9),after(50)),pk(${B}/9)))`, 2],
  [`wsh(or_d(pk(${A}/10),and_v(v:pk(${B}/10),sha256(${hexOf(HASH)}))))`, 2],
  [`tr(${A}/11)`, 1],
  [`tr(${A}/12,{pk(${B}/12),multi_a(2,${B}/13,${C}/13)})`, 3],
  [`tr(${NOTHING_UP},{and_v(v:pk(${A}/14),older(5)),{pkh(${B}/14),pk(${C}/14)}})`, 4]
]

const LOCK_TIME = 60
const SEQUENCE = 10
/** Neither a relative lock time nor final. */
const NO_LOCK = 0xfffffffe

/** A transaction that spends one output of a descriptor. */
const spending = ({ script }: DescribedScript, lockTime = LOCK_TIME, sequence = SEQUENCE): Psbt => {
  const earlier = transactionOf({
    version: 2,
    inputs: [{ prevout: { txid: new Uint8Array(32), vout: 7 }, script: new Uint8Array(0), sequence: 0, witness: [] }],
    outputs: [{ value: 100_000n, script }],
    lockTime: 0
  })
  const prevout = { txid: transactionId(earlier, nobleCrypto), vout: 0 }
  const input = { prevout, script: new Uint8Array(0), sequence, witness: [] }
  const outputs = [{ value: 90_000n, script: Uint8Array.of(0x51) }]
  const psbt = psbtOf({ version: 2, inputs: [input], outputs, lockTime }, 0)
  psbt.inputs[0]!.nonWitnessUtxo = earlier
  return psbt
}

const describedBy = (descriptor: string): DescribedScript => {
  const expressions = Result.getOrThrowWith(parseDescriptor(descriptor, REGTEST), (problem) => new Error(problem))
  return scriptsAt(expressions[0]!, 0, { network: REGTEST, crypto: nobleCrypto })![0]!
}

/** What a descriptor says, with the private keys of some of its keys alone. */
const providerOf = (script: DescribedScript, hasSecret: (key: string) => boolean): SigningProvider => {
  const provider = emptyProvider()
  addDescribed(provider, script, { secrets: false, origins: false }, nobleCrypto)
  for (const [place, { publicKey }] of provider.secrets) {
    if (!hasSecret(hexOf(publicKey))) provider.secrets.delete(place)
  }
  return provider
}

const sign = (psbt: Psbt, provider: SigningProvider, finalize: boolean) => {
  const signed = signedPsbt(psbt, nobleCrypto)!
  return { signed, ...signInput(signed, 0, provider, { hashType: undefined, finalize }) }
}

const keysOf = ({ conditions }: InputPath): ReadonlyArray<string> =>
  conditions.flatMap((condition) =>
    condition.ask === "keys" ? condition.keys.slice(0, condition.required).map(({ bytes }) => hexOf(bytes!)) : []
  )

const asksFor = ({ conditions }: InputPath, ask: string): boolean => conditions.some((each) => each.ask === ask)

/** What one way leads to: the bytes of the real witness and script, and the size of the whole transaction. */
const spentBy = (script: DescribedScript, path: InputPath) => {
  // What a way does not ask for is not there: another one might be smaller.
  const psbt = spending(script, asksFor(path, "after") ? LOCK_TIME : 0, asksFor(path, "older") ? SEQUENCE : NO_LOCK)
  if (asksFor(path, "preimage")) psbt.inputs[0]!.preimages.sha256.set(hexOf(HASH), { hash: HASH, preimage: PREIMAGE })
  const keys = keysOf(path)
  const isOfPath = (key: string): boolean => keys.some((each) => key === each || key.slice(2) === each)
  const { outcome } = sign(psbt, providerOf(script, isOfPath), true)
  assert.strictEqual(outcome, "complete", script.descriptor)
  const { finalScript, finalWitness = [] } = psbt.inputs[0]!
  const witness = finalWitness.reduce((sum, element) => sum + elementSize(element), countSize(finalWitness.length))
  return {
    signatures: keys.length,
    script: finalScript?.length ?? 0,
    witness: finalWitness.length === 0 ? 0 : witness,
    weight: transactionWeight(finalTransaction(psbt)!)
  }
}

describe("how an input can be spent", () => {
  it.each(SPENDABLE)("%s: each way spends it, in no more bytes than foretold and hardly fewer", (descriptor, ways) => {
    const script = describedBy(descriptor)
    const psbt = spending(script)
    const { signed } = sign(psbt, providerOf(script, () => false), false)
    const found = inputSpending(signed, 0)!
    assert.deepStrictEqual([found.paths.length, found.isCut], [ways, false])
    const size = largestVirtualSize(signed, [found])!
    let greatest = 0
    for (const path of found.paths) {
      // There is no private key of it.
      if (keysOf(path).includes(NOTHING_UP)) continue
      const real = spentBy(script, path)
      // A signature may be up to two bytes shorter than it can be.
      const slack = 2 * real.signatures
      assert.isAtMost(real.script, found.largest!.script)
      assert.isAtLeast(real.script, found.largest!.script - slack)
      assert.isAtMost(real.witness, path.witnessSize)
      assert.isAtLeast(real.witness, path.witnessSize - slack)
      greatest = Math.max(greatest, real.weight + 4 * slack)
      assert.isAtMost(Math.ceil(real.weight / 4), size)
    }
    assert.isAtMost(size, Math.ceil(greatest / 4), "the size is that of a way there is")
    assert.strictEqual(found.largest!.witness, Math.max(...found.paths.map(({ witnessSize }) => witnessSize)))
  })

  it("is known of one that is final by what it has", () => {
    const script = describedBy(SPENDABLE[7]![0])
    const psbt = spending(script)
    const { signed } = sign(psbt, providerOf(script, () => true), true)
    const found = inputSpending(signed, 0)!
    const weight = transactionWeight(finalTransaction(psbt)!)
    assert.strictEqual(largestVirtualSize(signed, [found]), Math.ceil(weight / 4))
    assert.deepStrictEqual(found.paths, [])
  })

  it("is not known without the output, the script, or for a script that is no miniscript", () => {
    const script = describedBy(SPENDABLE[7]![0])
    const psbt = spending(script)
    const signed = signedPsbt(psbt, nobleCrypto)!
    assert.deepInclude(inputSpending(signed, 0), { scriptType: "witness_v0_scripthash", paths: [], largest: undefined })
    assert.isUndefined(largestVirtualSize(signed, [inputSpending(signed, 0)]))
    // The script of another output.
    psbt.inputs[0]!.witnessScript = Uint8Array.of(0x51)
    assert.isUndefined(inputSpending(signed, 0)!.largest)
    const odd = Uint8Array.of(0x76, 0x75, 0x51)
    const other = spending({ ...script, script: Uint8Array.of(0, 32, ...nobleCrypto.sha256(odd)) })
    other.inputs[0]!.witnessScript = odd
    assert.deepInclude(inputSpending(signedPsbt(other, nobleCrypto)!, 0), { paths: [], largest: undefined })
    psbt.inputs[0]!.nonWitnessUtxo = undefined
    assert.isUndefined(inputSpending(signedPsbt(psbt, nobleCrypto)!, 0))
  })

  it("is nothing for a script that no transaction satisfies, which makes no other one larger", () => {
    const key = describedBy(`pk(${A}/1)`).keys[0]!.bytes
    const root = parseMiniscript("and_v(v:pk(K),and_v(v:after(500000001),after(5)))", "wsh", () => 0)!
    const script = scriptOfMiniscript(root, { bytes: () => key, hash: () => nobleCrypto.hash160(key) })
    const psbt = spending({
      ...describedBy(SPENDABLE[0]![0]),
      script: Uint8Array.of(0, 32, ...nobleCrypto.sha256(script))
    })
    psbt.inputs[0]!.witnessScript = script
    const found = inputSpending(signedPsbt(psbt, nobleCrypto)!, 0)!
    assert.deepInclude(found, { paths: [], largest: undefined })
    assert.include(spendingJson(found, false).miniscripts![0]!.problem, "mixes of timelocks")
    const tree = spending(describedBy(`tr(${A}/0)`))
    const internal = describedBy(`tr(${A}/0)`).keys[0]!.bytes.subarray(1)
    tree.inputs[0]!.taprootInternalKey = internal
    const alone = inputSpending(signedPsbt(tree, nobleCrypto)!, 0)!.largest
    const control = Uint8Array.of(0xc0, ...internal)
    const impossible = Uint8Array.of(0)
    tree.inputs[0]!.taprootScripts.set("a", {
      script: impossible,
      version: 0xc0,
      controlBlocks: new Map([["b", control]])
    })
    assert.deepStrictEqual(inputSpending(signedPsbt(tree, nobleCrypto)!, 0)!.largest, alone)
  })

  it("says what each way misses, and when nothing is missing", () => {
    const script = describedBy(`wsh(thresh(2,pk(${A}/8),s:pk(${B}/8),sln:older(100)))`)
    const psbt = spending(script)
    const [a, b] = script.keys.map(({ bytes }) => hexOf(bytes))
    const { signed } = sign(psbt, providerOf(script, (key) => key === a), false)
    const before = inputSpending(signed, 0)!
    const shown = spendingJson(before, false)
    assert.strictEqual(shown.miniscripts![0]!.miniscript, `thresh(2,pk(${a}),s:pk(${b}),sln:older(100))`)
    assert.isUndefined(shown.miniscripts![0]!.problem)
    const missing = shown.paths!.map((path) => JSON.parse(JSON.stringify(path.missing)) as unknown)
    assert.sameDeepMembers(missing, [
      { signatures: [{ required: 1, keys: [{ pubkey: b }] }] },
      { sequence: 100 },
      { signatures: [{ required: 1, keys: [{ pubkey: b }] }], sequence: 100 }
    ])
    sign(psbt, providerOf(script, (key) => key === b), false)
    const after = inputSpending(signed, 0)!
    assert.deepStrictEqual(after.paths.map(isPathComplete).toSorted(), [false, false, true])
  })
})

/** An input of which only the output that it spends is known, not the transaction with it. */
const spendingOutput = (script: DescribedScript): Psbt => {
  const psbt = spending(script)
  const input = psbt.inputs[0]!
  input.witnessUtxo = input.nonWitnessUtxo!.outputs[0]!
  input.nonWitnessUtxo = undefined
  return psbt
}

describe("an input with a witness UTXO alone", () => {
  const everyKey = (script: DescribedScript): SigningProvider => providerOf(script, () => true)

  it.each([
    `pkh(${A}/0)`,
    `pk(${A}/0)`,
    `sh(pkh(${A}/2))`,
    `sh(multi(2,${A}/3,${B}/3,${C}/3))`,
    `multi(1,${A}/3,${B}/3)`
  ])("is not signed where its signatures do not cover the amount: %s", (descriptor) => {
    const script = describedBy(descriptor)
    for (const finalize of [true, false]) {
      const psbt = spendingOutput(script)
      const { outcome } = sign(psbt, everyKey(script), finalize)
      const { finalScript, finalWitness, partialSignatures } = psbt.inputs[0]!
      assert.deepStrictEqual([outcome, partialSignatures.size, finalScript, finalWitness], [
        "incomplete",
        0,
        undefined,
        undefined
      ])
      const known = spending(script)
      assert.strictEqual(sign(known, everyKey(script), finalize).outcome, "complete")
    }
  })

  it.each([`wpkh(${A}/1)`, `sh(wpkh(${A}/2))`, `wsh(multi(2,${A}/4,${B}/4,${C}/4))`, `tr(${A}/11)`])(
    "is signed where its signatures cover the amount: %s",
    (descriptor) => {
      const script = describedBy(descriptor)
      const psbt = spendingOutput(script)
      assert.strictEqual(sign(psbt, everyKey(script), true).outcome, "complete")
      assert.isDefined(psbt.inputs[0]!.finalWitness)
    }
  )
})
