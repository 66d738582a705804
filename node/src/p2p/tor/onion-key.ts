import * as Effect from "effect/Effect"
import { readPrivateKey, writePrivateKey } from "../../net/private-key-file.ts"
import { type TorError, torError } from "./tor-error.ts"

/** The file of the data directory with the key of the onion service: Bitcoin Core's name and form. */
export const ONION_KEY = "onion_v3_private_key"

/** As Tor writes the key. */
const KEY = /^ED25519-V3:[A-Za-z0-9+/]{86}==$/

const reasonOf = (cause: unknown): string => (cause as NodeJS.ErrnoException).code ?? String(cause)

/** The key that is kept; none: Tor makes one. */
export const readOnionKey = (path: string): Effect.Effect<string | undefined, TorError> =>
  Effect.tryPromise({
    try: () => readPrivateKey(path),
    catch: (cause) => torError(`the key of the onion service in ${path} cannot be read: ${reasonOf(cause)}`)
  }).pipe(
    Effect.flatMap((bytes) => {
      const kept = bytes?.toString("latin1").trim()
      return kept === undefined || KEY.test(kept)
        ? Effect.succeed(kept)
        : Effect.fail(
          torError(
            `${path} holds no key of an onion service: restore it, or remove it, and the service gets a new address`
          )
        )
    })
  )

/** Keeps a key that Tor made, for its owner alone. */
export const writeOnionKey = (path: string, key: string): Effect.Effect<void, TorError> =>
  Effect.tryPromise({
    try: () => writePrivateKey(path, key),
    catch: (cause) => torError(`the key of the onion service cannot be kept in ${path}: ${reasonOf(cause)}`)
  })
