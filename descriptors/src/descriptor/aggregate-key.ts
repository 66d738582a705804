import { bytesEqual, compareBytes, concatBytes } from "@lockstep/kernel/bytes"
import { pippenger } from "@noble/curves/abstract/curve.js"
import { secp256k1 } from "@noble/curves/secp256k1.js"
import { HDKey } from "@scure/bip32"
import { createHmac, hash } from "node:crypto"

/** A step from the aggregate key of the participants to the key that signs (BIP327). */
export interface MusigTweak {
  readonly tweak: Uint8Array
  /** True if the tweak applies to the x-only key, that is with an even y, as for taproot. */
  readonly isXOnly: boolean
}

/** An aggregate key: its participants in the order of aggregation, and the tweaks. */
export interface MusigKey {
  readonly participants: ReadonlyArray<Uint8Array>
  readonly tweaks: ReadonlyArray<MusigTweak>
}

/** Runs a function of the library, which throws on invalid input. Returns `undefined` then. */
export const attempt = <A>(run: () => A): A | undefined => {
  try {
    return run()
  } catch {
    return undefined
  }
}

const { Fn, Point } = { Fn: secp256k1.Point.Fn, Point: secp256k1.Point }

const applied = (key: typeof Point.BASE, { isXOnly, tweak }: MusigTweak): typeof Point.BASE => {
  const even = isXOnly && (key.toAffine().y & 1n) === 1n ? key.negate() : key
  const scalar = Fn.fromBytes(tweak)
  return Fn.is0(scalar) ? even : even.add(Point.BASE.multiply(scalar))
}

/** Tweaks an aggregate key (BIP327). Returns 33 bytes, or `undefined` if a tweak is out of range. */
export const tweakedKey = (key: Uint8Array, tweaks: ReadonlyArray<MusigTweak>): Uint8Array | undefined =>
  tweaks.length === 0 ? key : attempt(() => tweaks.reduce(applied, Point.fromBytes(key)).toBytes(true))

const sha256 = (bytes: Uint8Array): Uint8Array => hash("sha256", bytes, "buffer")

/** Returns the tagged hash function of BIP340 for a tag. */
const tagged = (tag: string) => {
  const name = sha256(new TextEncoder().encode(tag))
  return (...parts: ReadonlyArray<Uint8Array>): Uint8Array => sha256(concatBytes([name, name, ...parts]))
}

const listHash = tagged("KeyAgg list")
const coefficientHash = tagged("KeyAgg coefficient")

const scalarOf = (bytes: Uint8Array): bigint => Fn.create(BigInt(`0x${Buffer.from(bytes).toString("hex")}`))

/**
 * Returns the sum of the keys, each times its coefficient (KeyAgg of BIP327). A multi-scalar multiplication adds them
 * up: the library that signs multiplies each alone, which takes several times as long for a thousand keys.
 */
const plainKey = (participants: ReadonlyArray<Uint8Array>): Uint8Array => {
  const list = listHash(...participants)
  const second = participants.find((each) => !bytesEqual(each, participants[0]!))
  const coefficients = participants.map((each) =>
    second !== undefined && bytesEqual(each, second)
      ? 1n
      : scalarOf(coefficientHash(list, each))
  )
  return pippenger(Point, participants.map((each) => Point.fromBytes(each)), coefficients).toBytes(true)
}

/**
 * Returns the aggregate key after its tweaks, 33 bytes. Returns `undefined` if a participant is an invalid key or a
 * tweak is out of range.
 */
export const musigKeyBytes = ({ participants, tweaks }: MusigKey): Uint8Array | undefined => {
  const plain = attempt(() => plainKey(participants))
  return plain && tweakedKey(plain, tweaks)
}

/** Sorts the keys of participants by their bytes, the order that descriptors use (BIP390). */
export const sortedParticipants = (keys: ReadonlyArray<Uint8Array>): ReadonlyArray<Uint8Array> =>
  keys.toSorted(compareBytes)

/**
 * Returns the aggregate key of all signers of a MuSig2 signature (BIP327), with the keys sorted by their bytes. Returns
 * `undefined` if they add up to the point at infinity; finding such keys is infeasible. Precondition: at least one key,
 * each of 33 bytes and on the curve.
 */
export const aggregateKey = (keys: ReadonlyArray<Uint8Array>): Uint8Array | undefined =>
  musigKeyBytes({ participants: sortedParticipants(keys), tweaks: [] })

/** The hash of "MuSig2MuSig2MuSig2" (BIP328). */
const CHAIN_CODE = new Uint8Array(hash("sha256", new TextEncoder().encode("MuSig2MuSig2MuSig2"), "buffer"))

/** Returns the extended public key from which children of an aggregate key are derived (BIP328). */
export const aggregateRoot = (key: Uint8Array): HDKey => new HDKey({ publicKey: key, chainCode: CHAIN_CODE })

/** Returns the tweak that BIP32 adds to a public key for an unhardened child. */
const childTweak = ({ chainCode, publicKey }: HDKey, child: number): Uint8Array => {
  const step = new Uint8Array(4)
  new DataView(step.buffer).setUint32(0, child)
  const digest = createHmac("sha512", chainCode!).update(publicKey!).update(step).digest()
  return new Uint8Array(digest.subarray(0, 32))
}

/**
 * Returns the tweaks from an aggregate key to a key derived from it. Returns `undefined` if a step is hardened or
 * yields no key.
 */
export const derivationTweaks = (
  aggregate: Uint8Array,
  path: ReadonlyArray<number>
): ReadonlyArray<MusigTweak> | undefined => {
  const tweaks: Array<MusigTweak> = []
  let key: HDKey | undefined = aggregateRoot(aggregate)
  for (const step of path) {
    const parent: HDKey = key
    tweaks.push({ tweak: childTweak(parent, step), isXOnly: false })
    key = attempt(() => parent.deriveChild(step))
    if (key === undefined) return undefined
  }
  return tweaks
}
