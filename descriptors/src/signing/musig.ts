import { hexOf } from "@lockstep/protocol/hex.ts"
import { nonceAggregate, nonceGen, Session } from "@scure/btc-signer/musig2.js"
import { attempt, type MusigKey } from "../descriptor/aggregate-key.ts"

/** The two parts of a nonce (BIP327): 66 bytes for all participants, and those that sign, once. */
export interface MusigNonce {
  readonly public: Uint8Array
  readonly secret: Uint8Array
}

/** A new random nonce of a participant for one message. `key`: the one that signs, 33 bytes. */
export const musigNonce = (
  participant: Uint8Array,
  secret: Uint8Array,
  key: Uint8Array,
  digest: Uint8Array
): MusigNonce | undefined => attempt(() => nonceGen(participant, secret, key.subarray(1), digest))

/** What a signature is made from, and over. `nonces`: the public ones in the order of the participants. */
export interface MusigMessage {
  readonly key: MusigKey
  readonly nonces: ReadonlyArray<Uint8Array>
  readonly digest: Uint8Array
}

/** What all signatures of a message have in common. It takes long where there are many participants. */
export type MusigSession = Session

/** None: a key, a nonce or a tweak is not valid. */
export const musigSession = ({ digest, key, nonces }: MusigMessage): MusigSession | undefined =>
  attempt(() =>
    new Session(
      nonceAggregate([...nonces]),
      [...key.participants],
      digest,
      key.tweaks.map(({ tweak }) => tweak),
      key.tweaks.map(({ isXOnly }) => isXOnly)
    )
  )

/**
 * The partial signature of a participant. `takeNonce` gives the secret nonce out for good: it is called when all that
 * others have given is valid, and what it gave is zero when this returns.
 */
export const musigPartialSignature = (
  session: MusigSession,
  secret: Uint8Array,
  takeNonce: () => Uint8Array | undefined
): Uint8Array | undefined =>
  attempt(() => {
    const nonce = takeNonce()
    if (nonce === undefined) return undefined
    try {
      return session.sign(nonce, secret)
    } finally {
      nonce.fill(0)
    }
  })

/**
 * The signature of all participants; none: it is not valid, since a partial signature is wrong. Judging the whole takes
 * one verification, each part would take one over all nonces.
 */
export const musigSignature = (
  session: MusigSession,
  partialSignatures: ReadonlyArray<Uint8Array>,
  isValid: (signature: Uint8Array) => boolean
): Uint8Array | undefined => {
  const signature = attempt(() => session.partialSigAgg([...partialSignatures]))
  return signature !== undefined && isValid(signature) ? signature : undefined
}

/** Secret nonces between the two rounds of signatures, each under the public nonce that it belongs to and its use. */
export interface MusigNonces {
  readonly keep: (use: string, secret: Uint8Array) => void
  /** Gives a secret nonce out; it is not kept any longer. */
  readonly take: (use: string) => Uint8Array | undefined
}

/** What a nonce may be used for alone: signing that digest by that key as that participant. */
export const nonceUse = (
  key: Uint8Array,
  participant: Uint8Array,
  digest: Uint8Array,
  publicNonce: Uint8Array
): string => [key, participant, digest, publicNonce].map(hexOf).join(":")

/** Enough for thousands of inputs at once, in a few megabytes. */
const DEFAULT_CAPACITY = 10_000

/**
 * Keeps secret nonces in memory and nowhere else: no kill, backup or restored disk brings one back that has signed. Where
 * there are too many, the oldest is forgotten, and its signature has to be begun anew.
 */
export const musigNonces = (capacity = DEFAULT_CAPACITY): MusigNonces => {
  const kept = new Map<string, Uint8Array>()
  return {
    keep: (use, secret) => {
      kept.set(use, secret)
      for (const [oldest, forgotten] of kept) {
        if (kept.size <= capacity) break
        forgotten.fill(0)
        kept.delete(oldest)
      }
    },
    take: (use) => {
      const secret = kept.get(use)
      kept.delete(use)
      return secret
    }
  }
}
