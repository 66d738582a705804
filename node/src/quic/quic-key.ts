import { ed25519 } from "@noble/curves/ed25519.js"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { open, readFile } from "node:fs/promises"
import { quicIdentity } from "../net/quic-end.ts"

/** The node cannot speak QUIC. `message` says why, and what to do. */
export class QuicError extends Schema.TaggedError<QuicError>()("QuicError", { message: Schema.String }) {}

/** The key by which other nodes know this one over QUIC. */
export interface QuicKey {
  /** What others name to reach this node and no other. */
  readonly identity: string
  /** The private key as libp2p writes it: type Ed25519, then 64 bytes of seed and public key. */
  readonly encoded: Uint8Array
}

const SEED_SIZE = 32
const HEADER = Uint8Array.of(0x08, 0x01, 0x12, 0x40)

/** The key that 32 random bytes stand for. */
export const quicKeyOf = (seed: Uint8Array): QuicKey => {
  const publicKey = ed25519.getPublicKey(seed)
  return { identity: quicIdentity(publicKey), encoded: Uint8Array.of(...HEADER, ...seed, ...publicKey) }
}

const failed = (path: string, cause: unknown): QuicError =>
  new QuicError({
    message: `the key for QUIC cannot be kept in ${path}: ${cause instanceof Error ? cause.message : String(cause)}`
  })

const create = async (path: string, seed: Uint8Array): Promise<Uint8Array> => {
  const file = await open(path, "wx", 0o600)
  try {
    await file.writeFile(`${Buffer.from(seed).toString("hex")}\n`)
    await file.sync()
  } finally {
    await file.close().catch(() => {})
  }
  return seed
}

const read = async (path: string): Promise<string | undefined> => {
  try {
    return await readFile(path, "latin1")
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === "ENOENT") return undefined
    throw cause
  }
}

/** The key that a file holds as 64 hexadecimal digits. Where there is no file, `seed` makes one, for its owner alone. */
export const loadQuicKey = Effect.fn("quic.loadKey")(function*(
  path: string,
  seed: () => Uint8Array
): Effect.fn.Return<QuicKey, QuicError> {
  const text = yield* Effect.tryPromise({ try: () => read(path), catch: (cause) => failed(path, cause) })
  if (text === undefined) {
    const made = yield* Effect.tryPromise({ try: () => create(path, seed()), catch: (cause) => failed(path, cause) })
    return quicKeyOf(made)
  }
  const kept = Buffer.from(text.trim(), "hex")
  if (kept.length !== SEED_SIZE || text.trim().length !== SEED_SIZE * 2) {
    const message = `${path} holds no key for QUIC: restore it, or remove it, and the node makes itself a new identity`
    return yield* Effect.fail(new QuicError({ message }))
  }
  return quicKeyOf(new Uint8Array(kept))
})
