import { hexOf } from "@lockstep/protocol/hex.ts"
import { nonceAggregate, nonceGen, Session } from "@scure/btc-signer/musig2.js"
import { attempt, type MusigKey } from "../descriptor/aggregate-key.ts"

/** The two parts of a nonce (BIP327): 66 public bytes for all participants, and the secret ones, which sign once. */
export interface MusigNonce {
  readonly public: Uint8Array
  readonly secret: Uint8Array
}

/** Returns a new random nonce of a participant for one message. `key` is the signing key, 33 bytes. */
export const musigNonce = (
  participant: Uint8Array,
  secret: Uint8Array,
  key: Uint8Array,
  digest: Uint8Array
): MusigNonce | undefined => attempt(() => nonceGen(participant, secret, key.subarray(1), digest))

/** Inputs of a joint signature. `nonces` are the public ones in the order of the participants. */
export interface MusigMessage {
  readonly key: MusigKey
  readonly nonces: ReadonlyArray<Uint8Array>
  readonly digest: Uint8Array
}

/** State shared by all signatures of a message. It is slow to create with many participants. */
export type MusigSession = Session

/** Creates a session. Returns `undefined` if a key, a nonce or a tweak is invalid. */
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
 * Returns the partial signature of a participant. `takeNonce` removes the secret nonce from its store. It is called
 * once all contributions of others are valid, and its bytes are zeroed before this returns.
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
 * Returns the signature of all participants, or `undefined` if it is invalid because a partial signature is. Verifying
 * the whole takes one verification; each part would take one over all nonces.
 */
export const musigSignature = (
  session: MusigSession,
  partialSignatures: ReadonlyArray<Uint8Array>,
  isValid: (signature: Uint8Array) => boolean
): Uint8Array | undefined => {
  const signature = attempt(() => session.partialSigAgg([...partialSignatures]))
  return signature !== undefined && isValid(signature) ? signature : undefined
}

/** Secret nonces between the two rounds of signatures, each stored under its public nonce and its use. */
export interface MusigNonces {
  readonly keep: (use: string, secret: Uint8Array) => void
  /** Removes a secret nonce and returns it. */
  readonly take: (use: string) => Uint8Array | undefined
}

/** Returns the only use that a nonce has: signing this digest with this key as this participant. */
export const nonceUse = (
  key: Uint8Array,
  participant: Uint8Array,
  digest: Uint8Array,
  publicNonce: Uint8Array
): string => [key, participant, digest, publicNonce].map(hexOf).join(":")

/** Capacity for thousands of inputs at once, in a few megabytes. */
const DEFAULT_CAPACITY = 10_000

/**
 * Stores secret nonces in memory only, so no crash, backup or restored disk brings back one that has signed. Beyond the
 * capacity the oldest is dropped, and its signature must be started anew.
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
