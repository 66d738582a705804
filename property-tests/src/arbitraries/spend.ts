import fc, { type Arbitrary } from "fast-check"
import { join } from "../oracles/byte-string.ts"
import { GROUP_ORDER } from "../oracles/curve.ts"
import { hash160, sha256 } from "../oracles/hash.ts"
import { pushOf } from "../oracles/instructions.ts"
import { legacySighash, taprootSighash, witnessV0Sighash } from "../oracles/sighash.ts"
import { tapBranchHash, tapLeafHash } from "../oracles/taproot.ts"
import { keyPair } from "./key.ts"
import { derOf } from "./signature.ts"
import { ecdsaOf, type KeyPair, keyPairOfSecret, schnorrOf, tweakedSecret } from "./signer.ts"
import { filled, type SpendFrame, spendFrame } from "./transaction.ts"

/** The kinds of output that are spent with a signature. */
export const SPEND_KINDS = [
  "P2PK",
  "P2PKH",
  "P2MS",
  "P2SH",
  "P2SH-multisig",
  "P2WPKH",
  "P2SH-P2WPKH",
  "P2WSH",
  "P2WSH-multisig",
  "P2SH-P2WSH",
  "P2TR-key",
  "P2TR-script",
  "P2TR-add"
] as const
export type SpendKind = (typeof SPEND_KINDS)[number]

/** What can vary in a spend without making it invalid. */
export interface Choices {
  readonly kind: SpendKind
  readonly keys: readonly [KeyPair, KeyPair, KeyPair]
  readonly compressed: boolean
  readonly hashType: number
  readonly highS: boolean
  readonly annex: Uint8Array | undefined
  /** Hashes beside the leaf on the way to the root. */
  readonly path: ReadonlyArray<Uint8Array>
  /** Which two of three keys sign. */
  readonly absent: number
}

const EMPTY = new Uint8Array(0)
const payToKey = (key: Uint8Array): Uint8Array => join(pushOf(key), [172])
const payToKeyHash = (key: Uint8Array): Uint8Array => join([118, 169], pushOf(hash160(key)), [136, 172])
const payToScriptHash = (script: Uint8Array): Uint8Array => join([169], pushOf(hash160(script)), [135])
const witnessOutput = (version: number, program: Uint8Array): Uint8Array =>
  join([version === 0 ? 0 : 80 + version], pushOf(program))
const twoOfThree = (keys: ReadonlyArray<Uint8Array>): Uint8Array => join([82], ...keys.map(pushOf), [83, 174])

const encoded = (digest: Uint8Array, pair: KeyPair, { hashType, highS }: Choices): Uint8Array => {
  const { r, s } = ecdsaOf(digest, pair.secret)
  return join(derOf(r, highS ? GROUP_ORDER - s : s), [hashType])
}

const signers = ({ keys, absent }: Choices): ReadonlyArray<KeyPair> => keys.filter((_, i) => i !== absent)

const legacySignature = (frame: SpendFrame, code: Uint8Array, pair: KeyPair, choices: Choices): Uint8Array =>
  encoded(legacySighash(frame.tx, frame.index, code, choices.hashType), pair, choices)

const witnessSignature = (frame: SpendFrame, code: Uint8Array, pair: KeyPair, choices: Choices): Uint8Array =>
  encoded(
    witnessV0Sighash(frame.tx, frame.index, code, frame.spent[frame.index]!.value, choices.hashType),
    pair,
    choices
  )

const legacySpend = (frame: SpendFrame, choices: Choices): SpendFrame => {
  const [pair] = choices.keys
  const key = choices.compressed ? pair.compressed : pair.uncompressed
  const multisig = twoOfThree(choices.keys.map((each) => (choices.compressed ? each.compressed : each.hybrid)))
  const sign = (code: Uint8Array, by: KeyPair): Uint8Array => pushOf(legacySignature(frame, code, by, choices))
  switch (choices.kind) {
    case "P2PK":
      return filled(frame, sign(payToKey(key), pair), payToKey(key), [])
    case "P2PKH":
      return filled(frame, join(sign(payToKeyHash(key), pair), pushOf(key)), payToKeyHash(key), [])
    case "P2MS":
      return filled(frame, join([0], ...signers(choices).map((by) => sign(multisig, by))), multisig, [])
    case "P2SH":
      return filled(frame, join(sign(payToKey(key), pair), pushOf(payToKey(key))), payToScriptHash(payToKey(key)), [])
    default:
      return filled(
        frame,
        join([0], ...signers(choices).map((by) => sign(multisig, by)), pushOf(multisig)),
        payToScriptHash(multisig),
        []
      )
  }
}

const witnessSpend = (frame: SpendFrame, choices: Choices): SpendFrame => {
  const [pair] = choices.keys
  const keyHash = witnessOutput(0, hash160(pair.compressed))
  const sign = (code: Uint8Array, by: KeyPair): Uint8Array => witnessSignature(frame, code, by, choices)
  const keyWitness = (): ReadonlyArray<Uint8Array> => [sign(payToKeyHash(pair.compressed), pair), pair.compressed]
  const script = join([171], payToKey(pair.compressed))
  const scriptHash = witnessOutput(0, sha256(script))
  // What precedes an executed separator is not signed.
  const scriptWitness = (): ReadonlyArray<Uint8Array> => [sign(payToKey(pair.compressed), pair), script]
  const multisig = twoOfThree(choices.keys.map((each) => each.compressed))
  switch (choices.kind) {
    case "P2WPKH":
      return filled(frame, EMPTY, keyHash, keyWitness())
    case "P2SH-P2WPKH":
      return filled(frame, pushOf(keyHash), payToScriptHash(keyHash), keyWitness())
    case "P2WSH":
      return filled(frame, EMPTY, scriptHash, scriptWitness())
    case "P2SH-P2WSH":
      return filled(frame, pushOf(scriptHash), payToScriptHash(scriptHash), scriptWitness())
    default:
      return filled(frame, EMPTY, witnessOutput(0, sha256(multisig)), [
        EMPTY,
        ...signers(choices).map((by) => sign(multisig, by)),
        multisig
      ])
  }
}

const schnorrSignature = (
  frame: SpendFrame,
  choices: Choices,
  secret: bigint,
  leafHash: Uint8Array | undefined
): Uint8Array => {
  const extension = leafHash && { leafHash, separator: 0xffffffff }
  const digest = taprootSighash(frame.tx, frame.index, frame.spent, choices.hashType, choices.annex, extension)
  return join(schnorrOf(digest, secret), choices.hashType === 0 ? [] : [choices.hashType])
}

const taprootSpend = (frame: SpendFrame, choices: Choices): SpendFrame => {
  const [internal, first, second] = choices.keys
  const script = choices.kind === "P2TR-add"
    ? join(pushOf(first.xOnly), [172], pushOf(second.xOnly), [186, 82, 156])
    : payToKey(first.xOnly)
  const leafHash = tapLeafHash(0xc0, script)
  const root = choices.path.reduce(tapBranchHash, leafHash)
  const output = keyPairOfSecret(tweakedSecret(internal, root))
  // The hash commits to the script of the output itself, so the frame is completed before anything is signed.
  const target = filled(frame, EMPTY, witnessOutput(1, output.xOnly), [])
  const annex = choices.annex ? [choices.annex] : []
  const control = join([0xc0 + Number(output.point.y % 2n)], internal.xOnly, ...choices.path)
  const sign = (secret: bigint, leaf: Uint8Array | undefined): Uint8Array =>
    schnorrSignature(target, choices, secret, leaf)
  const witness = choices.kind === "P2TR-key"
    ? [sign(output.secret, undefined)]
    : choices.kind === "P2TR-script"
    ? [sign(first.secret, leafHash), script, control]
    : [sign(second.secret, leafHash), sign(first.secret, leafHash), script, control]
  return filled(target, EMPTY, target.spent[target.index]!.script, [...witness, ...annex])
}

/** `frame` with the chosen kind of output spent by valid signatures. */
export const signed = (frame: SpendFrame, choices: Choices): SpendFrame =>
  choices.kind.startsWith("P2TR")
    ? taprootSpend(frame, choices)
    : choices.kind.includes("P2W")
    ? witnessSpend(frame, choices)
    : legacySpend(frame, choices)

const annex: Arbitrary<Uint8Array> = fc.uint8Array({ maxLength: 20 }).map((rest) => join([0x50], rest))

const choices = (kinds: ReadonlyArray<SpendKind>): Arbitrary<Choices> =>
  fc.record({
    kind: fc.constantFrom(...kinds),
    keys: fc.tuple(keyPair, keyPair, keyPair),
    compressed: fc.boolean(),
    hashType: fc.constantFrom(0, 1, 2, 3, 0x81, 0x82, 0x83, 0x44),
    highS: fc.boolean(),
    annex: fc.option(annex, { nil: undefined }),
    path: fc.array(fc.uint8Array({ minLength: 32, maxLength: 32 }), { maxLength: 3 }),
    absent: fc.nat(2)
  })

const defined = (frame: SpendFrame, hashType: number): number => {
  const known = hashType === 0x44 ? 1 : hashType
  return (known & 3) === 3 && frame.index >= frame.tx.outputs.length ? known - 2 : known
}

export interface SignedSpend extends SpendFrame {
  readonly kind: SpendKind
}

/** Spends of the given kinds, all with valid signatures: they hold under every set of consensus flags. */
export const signedSpend = (kinds: ReadonlyArray<SpendKind> = SPEND_KINDS): Arbitrary<SignedSpend> =>
  fc.tuple(spendFrame, choices(kinds)).map(([frame, chosen]) => {
    const isTaproot = chosen.kind.startsWith("P2TR")
    const hashType = isTaproot ? defined(frame, chosen.hashType) : chosen.hashType
    return { ...signed(frame, { ...chosen, hashType }), kind: chosen.kind }
  })
