import * as Effect from "effect/Effect"
import { readPrivateKey, writePrivateKey } from "../../net/private-key-file.ts"
import { type TorError, torError } from "./tor-error.ts"

/** Name of the file with the key of the onion service in the data directory: Bitcoin Core's name and format. */
export const ONION_KEY = "onion_v3_private_key"

/** The key in Tor's format. */
const KEY = /^ED25519-V3:[A-Za-z0-9+/]{86}==$/

const reasonOf = (cause: unknown): string => (cause as NodeJS.ErrnoException).code ?? String(cause)

/** Reads the saved key; `undefined` if the file is missing, so that Tor makes one. */
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

/** Saves a key that Tor made, readable only by its owner. */
export const writeOnionKey = (path: string, key: string): Effect.Effect<void, TorError> =>
  Effect.tryPromise({
    try: () => writePrivateKey(path, key),
    catch: (cause) => torError(`the key of the onion service cannot be kept in ${path}: ${reasonOf(cause)}`)
  })
