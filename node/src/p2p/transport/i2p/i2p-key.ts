import * as Effect from "effect/Effect"
import { readPrivateKey, writePrivateKey } from "../../../net/private-key-file.ts"
import { type I2pError, routerError } from "./i2p-error.ts"
import { addressOfDestination } from "./destination.ts"

/**
 * Name of the file with the private key of this node's address in the data directory: Bitcoin Core's name and format.
 */
export const I2P_KEY = "i2p_private_key"

const reasonOf = (cause: unknown): string => (cause as NodeJS.ErrnoException).code ?? String(cause)

/** Reads the saved key; `undefined` if none was saved yet. */
export const readI2pKey = (path: string): Effect.Effect<Uint8Array | undefined, I2pError> =>
  Effect.tryPromise({
    try: () => readPrivateKey(path),
    catch: (cause) => routerError(`the key for I2P in ${path} cannot be read: ${reasonOf(cause)}`)
  }).pipe(
    Effect.flatMap((bytes) => {
      if (bytes === undefined) return Effect.succeed(undefined)
      return addressOfDestination(bytes) === undefined
        ? Effect.fail(
          routerError(`${path} holds no key for I2P: restore it, or remove it, and the node gets a new address`)
        )
        : Effect.succeed(new Uint8Array(bytes))
    })
  )

/** Saves a key, readable only by its owner. */
export const writeI2pKey = (path: string, key: Uint8Array): Effect.Effect<void, I2pError> =>
  Effect.tryPromise({
    try: () => writePrivateKey(path, key),
    catch: (cause) => routerError(`the key for I2P cannot be kept in ${path}: ${reasonOf(cause)}`)
  })
