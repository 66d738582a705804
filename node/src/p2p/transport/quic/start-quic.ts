import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { Milliseconds } from "../../../quantities.ts"
import type { Random } from "../../basics/environment.ts"
import type { Transport } from "../transport.ts"
import { type LoadedBinding, loadQuicBinding } from "../../../quic/quic-binding.ts"
import { loadQuicKey, QuicError } from "../../../quic/quic-key.ts"
import { quicTransport } from "./quic-transport.ts"

/** Name of the file with the private key of this node's identity in the data directory. */
export const QUIC_KEY = "quic_key"

/** Starts QUIC with the key in a file, which is created if missing. Tests replace `loaded`. */
export const startQuic = Effect.fn("quic.start")(function*(
  path: string,
  random: Pick<Random, "bytes">,
  connectTimeout: Milliseconds,
  loaded: LoadedBinding = loadQuicBinding()
): Effect.fn.Return<Transport, QuicError, Scope.Scope> {
  if (loaded._tag === "Missing") {
    const message = `transport_preference allows QUIC, and its binary for this machine cannot be loaded: install ${
      loaded.packages.join(" or ")
    }, or set transport_preference = "tcponly" (${loaded.reason})`
    return yield* Effect.fail(new QuicError({ message }))
  }
  const key = yield* loadQuicKey(path, () => random.bytes(32))
  return yield* quicTransport({ binding: loaded.binding, key, connectTimeout })
})
