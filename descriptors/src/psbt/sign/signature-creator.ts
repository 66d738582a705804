import { concatBytes } from "@lockstep/kernel/bytes"
import { type Crypto, taggedHash } from "@lockstep/kernel/crypto"
import type { Transaction, TransactionOutput } from "@lockstep/kernel/model"
import { secp256k1 } from "@noble/curves/secp256k1.js"
import type { SpendDigests } from "@lockstep/kernel/sighash"
import type { SecretKey } from "../../descriptor/key-text.ts"
import { inputDigests } from "../../signing/input-digests.ts"
import { inputProblem } from "../../signing/input-judge.ts"
import { ecdsaSignature, schnorrSignature } from "../../signing/key-signatures.ts"

/** Makes signatures for one input, and checks the conditions on its transaction. */
export interface SignatureCreator {
  /** Returns an ECDSA signature, or `undefined` if the key is missing or must not sign. */
  readonly ecdsa: (key: SecretKey | undefined, script: Uint8Array, isWitness: boolean) => Uint8Array | undefined
  /** Signs for a leaf of the tree. */
  readonly leaf: (key: SecretKey | undefined, leafHash: Uint8Array) => Uint8Array | undefined
  /** Signs for the output's key. `tweak` is the root of the tree if the key is the internal one. */
  readonly keyPath: (
    key: SecretKey | undefined,
    tweak: { readonly root: Uint8Array | undefined } | undefined
  ) => Uint8Array | undefined
  /**
   * Returns the digest that all participants of a MuSig2 key sign, for a leaf or the output's key. Returns `undefined`
   * if nothing can be signed.
   */
  readonly musigDigest: (leafHash: Uint8Array | undefined) => Uint8Array | undefined
  /** Appends the hash type to a joint signature, if that must be written. */
  readonly withHashType: (signature: Uint8Array) => Uint8Array
  readonly takesLockTime: (lockTime: number) => boolean
  readonly takesSequence: (sequence: number) => boolean
  readonly isSpentBy: (script: Uint8Array, witness: ReadonlyArray<Uint8Array>) => boolean
}

const SIGHASH_ALL = 1
const LOCKTIME_THRESHOLD = 500_000_000
const FINAL_SEQUENCE = 0xffffffff
const SEQUENCE_DISABLED = 0x80000000
const SEQUENCE_IS_TIME = 1 << 22
const SEQUENCE_VALUE = 0xffff

/** Reports whether OP_CHECKLOCKTIMEVERIFY (BIP65) passes. */
export const takesLockTime = (tx: Transaction, index: number, lockTime: number): boolean =>
  (lockTime < LOCKTIME_THRESHOLD) === (tx.lockTime < LOCKTIME_THRESHOLD) && lockTime <= tx.lockTime &&
  tx.inputs[index]!.sequence !== FINAL_SEQUENCE

/** Reports whether OP_CHECKSEQUENCEVERIFY (BIP112) passes. */
export const takesSequence = (tx: Transaction, index: number, wanted: number): boolean => {
  const { sequence } = tx.inputs[index]!
  if (tx.version < 2 || sequence >= SEQUENCE_DISABLED) return false
  return (sequence & SEQUENCE_IS_TIME) === (wanted & SEQUENCE_IS_TIME) &&
    (wanted & SEQUENCE_VALUE) <= (sequence & SEQUENCE_VALUE)
}

const { Fn } = secp256k1.Point

/** Returns the private key of the output's key (BIP341). */
const tweaked = ({ publicKey, secret }: SecretKey, root: Uint8Array | undefined, crypto: Crypto): Uint8Array => {
  const x = publicKey.subarray(1, 33)
  const scalar = Fn.fromBytes(secret)
  const isOdd = secp256k1.Point.fromBytes(publicKey).toBytes(true)[0] === 3
  const tweak = Fn.create(BigInt(
    `0x${Buffer.from(taggedHash(crypto, "TapTweak", root === undefined ? x : concatBytes([x, root]))).toString("hex")}`
  ))
  return Fn.toBytes(Fn.add(isOdd ? Fn.neg(scalar) : scalar, tweak))
}

/** An input to sign: its transaction, and the spent outputs as far as they are known. */
export interface SpendToSign {
  readonly tx: Transaction
  readonly index: number
  readonly output: TransactionOutput
  /** `undefined` unless all are known; taproot can then neither be signed nor verified. */
  readonly spentOutputs: ReadonlyArray<TransactionOutput> | undefined
  /** Digests shared by all inputs. */
  readonly digests: SpendDigests
}

const UNKNOWN: TransactionOutput = { value: 0n, script: new Uint8Array(0) }

/** Returns the spent outputs, as far as they are known. */
export const outputsOf = ({ index, output, spentOutputs, tx }: SpendToSign): ReadonlyArray<TransactionOutput> =>
  spentOutputs ?? tx.inputs.map((_, i) => i === index ? output : UNKNOWN)

const isTaproot = ({ script }: TransactionOutput): boolean =>
  script.length === 34 && script[0] === 0x51 && script[1] === 32

/** Reports whether a script and a witness spend the output under the relay rules. */
export const isSpentBy = (
  spend: SpendToSign,
  script: Uint8Array,
  witness: ReadonlyArray<Uint8Array>,
  crypto: Crypto
): boolean => {
  const { digests, index, output, spentOutputs, tx } = spend
  if (spentOutputs === undefined && isTaproot(output)) return false
  const inputs = tx.inputs.with(index, { ...tx.inputs[index]!, script, witness })
  return inputProblem({ ...tx, inputs }, index, outputsOf(spend), digests, crypto) === undefined
}

/** Makes real signatures for the input. */
export const signatureCreator = (spend: SpendToSign, hashType: number, crypto: Crypto): SignatureCreator => {
  const { index, spentOutputs, tx } = spend
  const digests = inputDigests(tx, index, outputsOf(spend), spend.digests, crypto)
  const ecdsaType = hashType === 0 ? SIGHASH_ALL : hashType
  const schnorr = (key: SecretKey | undefined, digest: Uint8Array | undefined): Uint8Array | undefined =>
    key === undefined || digest === undefined ? undefined : schnorrSignature(digest, key, hashType)
  return {
    ecdsa: (key, script, isWitness) => {
      if (key === undefined || (isWitness && !key.compressed)) return undefined
      return ecdsaSignature((isWitness ? digests.witness : digests.legacy)(script, ecdsaType), key, ecdsaType)
    },
    leaf: (key, leafHash) =>
      spentOutputs === undefined ? undefined : schnorr(key, digests.tapscript(leafHash, hashType)),
    keyPath: (key, tweak) => {
      if (key === undefined || spentOutputs === undefined) return undefined
      const signer = tweak === undefined ? key : { ...key, secret: tweaked(key, tweak.root, crypto) }
      return schnorr(signer, digests.taproot(hashType))
    },
    musigDigest: (leafHash) => {
      if (spentOutputs === undefined) return undefined
      return leafHash === undefined ? digests.taproot(hashType) : digests.tapscript(leafHash, hashType)
    },
    withHashType: (signature) => hashType === 0 ? signature : Uint8Array.of(...signature, hashType),
    takesLockTime: (lockTime) => takesLockTime(tx, index, lockTime),
    takesSequence: (sequence) => takesSequence(tx, index, sequence),
    isSpentBy: (script, witness) => isSpentBy(spend, script, witness, crypto)
  }
}

/** Finds what can be signed but signs nothing, to determine what is missing. */
export const noSignatures: SignatureCreator = {
  ecdsa: () => undefined,
  leaf: () => undefined,
  keyPath: () => undefined,
  musigDigest: () => undefined,
  withHashType: (signature) => signature,
  takesLockTime: () => false,
  takesSequence: () => false,
  isSpentBy: () => false
}

const ECDSA_SIZE = 71
const SCHNORR_SIZE = 64

/** Makes dummy signatures of the usual sizes for all keys, to determine the size of a transaction. */
export const dummySignatures: SignatureCreator = {
  ecdsa: () => new Uint8Array(ECDSA_SIZE),
  leaf: () => new Uint8Array(SCHNORR_SIZE),
  keyPath: () => new Uint8Array(SCHNORR_SIZE),
  musigDigest: () => undefined,
  withHashType: (signature) => signature,
  takesLockTime: () => true,
  takesSequence: () => true,
  isSpentBy: () => true
}
