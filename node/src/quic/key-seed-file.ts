import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { readPrivateKey, writePrivateKey } from "../net/private-key-file.ts"

/** A private key cannot be read or stored. `message` says why, and what to do. */
export class KeyFileError extends Schema.TaggedError<KeyFileError>()("KeyFileError", { message: Schema.String }) {}

const SEED_SIZE = 32

const create = async (path: string, seed: Uint8Array): Promise<Uint8Array> => {
  await writePrivateKey(path, `${Buffer.from(seed).toString("hex")}\n`)
  return seed
}

/**
 * Reads 32 bytes from a file of 64 hexadecimal digits. If it is missing, `seed` makes them and the file is created for
 * its owner alone. `of` names the transport of the key.
 */
export const loadKeySeed = Effect.fn("quic.loadKeySeed")(function*(
  path: string,
  seed: () => Uint8Array,
  of: "QUIC" | "Iroh"
): Effect.fn.Return<Uint8Array, KeyFileError> {
  const failed = (cause: unknown): KeyFileError =>
    new KeyFileError({
      message: `the key for ${of} cannot be kept in ${path}: ${cause instanceof Error ? cause.message : String(cause)}`
    })
  const bytes = yield* Effect.tryPromise({ try: () => readPrivateKey(path), catch: failed })
  if (bytes === undefined) return yield* Effect.tryPromise({ try: () => create(path, seed()), catch: failed })
  const text = bytes.toString("latin1").trim()
  const kept = Buffer.from(text, "hex")
  if (kept.length !== SEED_SIZE || text.length !== SEED_SIZE * 2) {
    const message = `${path} holds no key for ${of}: restore it, or remove it, and the node makes itself a new identity`
    return yield* Effect.fail(new KeyFileError({ message }))
  }
  return new Uint8Array(kept)
})
