import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { join } from "node:path"
import type { LoadedBinding, NativeConnection } from "../../../src/quic/quic-binding.ts"
import { quicServer } from "../../../src/rpc/quic/quic-server.ts"
import { temporaryDirectory } from "../../storage/temporary-directory.ts"

/** A connection that stays open until it is ended. */
const quiet = (): NativeConnection => {
  let close: () => void = () => undefined
  const closed = new Promise<void>((resolve) => {
    close = resolve
  })
  return {
    inboundStream: () => new Promise(() => undefined),
    outboundStream: () => Promise.reject(new Error("not this way")),
    abort: () => close(),
    remoteMultiaddr: () => "/ip4/127.0.0.1/udp/8333/quic-v1/p2p/12D3",
    closed: () => closed,
    stats: () => ({ frameRxConnectionClose: 0 })
  }
}

type Inbound = () => Promise<NativeConnection>

/** The library in a script: what each handshake comes to, and how the server ended. */
const scripted = (handshakes: ReadonlyArray<Inbound>) => {
  const seen = { asked: 0, aborts: 0 }
  let stop: (error: Error) => void = () => undefined
  const stopped = new Promise<never>((_, reject) => {
    stop = reject
  })
  stopped.catch(() => undefined)
  const binding = {
    QuinnConfig: class {
      readonly isConfig = true
    },
    Server: class {
      port = (): number => 7
      inboundConnection: Inbound = () => handshakes[seen.asked++]?.() ?? stopped
      abort = (): Promise<void> => {
        seen.aborts++
        stop(new Error("the server closed: server closed"))
        return Promise.resolve()
      }
    }
  }
  return { loaded: { _tag: "Loaded", binding } as unknown as LoadedBinding, seen }
}

const turns = Effect.forEach(Array.from({ length: 50 }), () => Effect.promise(() => new Promise(setImmediate)), {
  discard: true
})

describe("a server of RPC over QUIC", () => {
  it.live("goes on after handshakes that fail, also with what is no error, until it is closed", () =>
    Effect.gen(function*() {
      const refused = () => Promise.reject(new Error("the handshake failed"))
      const odd = () => Promise.reject("nothing" as never)
      const { loaded, seen } = scripted([refused, () => Promise.resolve(quiet()), odd, () => Promise.resolve(quiet())])
      yield* Effect.scoped(Effect.gen(function*() {
        const { address, connections } = yield* quicServer({
          config: { bind: { host: "127.0.0.1", port: 0 }, identities: [], adminIdentities: [] },
          path: join(yield* temporaryDirectory, "key"),
          randomBytes: (size) => new Uint8Array(size).fill(1),
          timeoutMs: 5_000,
          mayConnect: () => true,
          take: () => undefined
        }, loaded)
        yield* turns
        assert.match(address, /@127\.0\.0\.1:7$/)
        assert.deepStrictEqual([connections(), seen.asked, seen.aborts], [2, 5, 0])
      }))
      assert.strictEqual(seen.aborts, 1)
      yield* turns
      assert.strictEqual(seen.asked, 5, "it asks for no more")
    }).pipe(Effect.scoped))
})
