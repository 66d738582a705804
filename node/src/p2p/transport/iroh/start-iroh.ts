import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import type { Milliseconds } from "../../../quantities.ts"
import { loadKeySeed } from "../../../quic/key-seed-file.ts"
import type { Random } from "../../basics/environment.ts"
import type { Transport } from "../transport.ts"
import { loadIrohBinding, type LoadedIroh } from "./iroh-binding.ts"
import { irohTransport } from "./iroh-transport.ts"

/** Iroh cannot be used. `message` says why, and what to do. */
export class IrohError extends Schema.TaggedError<IrohError>()("IrohError", { message: Schema.String }) {}

/** Name of the file with the private key of this node's identity in the data directory. */
export const IROH_KEY = "iroh_key"

/** Starts Iroh with the key in a file, which is created if missing. Tests replace `loaded`. */
export const startIroh = Effect.fn("iroh.start")(function*(
  path: string,
  random: Pick<Random, "bytes">,
  connectTimeout: Milliseconds,
  loaded: LoadedIroh = loadIrohBinding()
): Effect.fn.Return<Transport, IrohError, Scope.Scope> {
  if (loaded._tag === "Missing") {
    const message = `transport_preference allows Iroh, and its binary for this machine cannot be loaded: install ${
      loaded.packages.join(" or ")
    }, or set transport_preference = "tcponly" (${loaded.reason})`
    return yield* Effect.fail(new IrohError({ message }))
  }
  const seed = yield* loadKeySeed(path, () => random.bytes(32), "Iroh").pipe(
    Effect.mapError(({ message }) => new IrohError({ message }))
  )
  return yield* irohTransport({ binding: loaded.binding, seed, connectTimeout })
})
