import { assert, describe, it } from "@effect/vitest"
import { NodeError, startModule } from "@lockstep/sdk"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import { mkdirSync } from "node:fs"
import { createServer, type Socket } from "node:net"
import { dirname } from "node:path"
import { moduleConnection } from "../../src/modules/ipc/connection.ts"
import { openModuleSession } from "../../src/modules/ipc/session.ts"
import { socketPath, useSockets } from "./test-module.ts"

useSockets()

const TERMS = { name: "watcher", version: "1.0.0", moduleId: "one-spawn", nodeVersion: "0.1.0" } as const

/** A socket for one module, and its connection. */
const listening = Effect.gen(function*() {
  const path = socketPath()
  const accepted = yield* Deferred.make<Socket>()
  mkdirSync(dirname(path), { recursive: true })
  yield* Effect.acquireRelease(
    Effect.callback<ReturnType<typeof createServer>>((resume) => {
      const server = createServer((socket) => void Deferred.doneUnsafe(accepted, Effect.succeed(socket)))
      server.listen(path, () => resume(Effect.succeed(server)))
    }),
    (server) => Effect.sync(() => void server.close())
  )
  return { path, accepted: Deferred.await(accepted) }
})

const environment = (path: string, moduleId: string) => ({
  name: TERMS.name,
  moduleId,
  socketPath: path,
  dataDirectory: dirname(path),
  settings: new Map<string, string>()
})

const sessionTerms = {
  ...TERMS,
  permissions: new Set(["read_chain_state", "subscribe_events"] as const),
  handle: ({ _tag }: { readonly _tag: string }) =>
    Effect.succeed(_tag === "GetBlockHeight" ? { _tag: "U64", value: 7 } as const : { _tag: "SubscribeAck" } as const),
  log: () => Effect.void
}

describe("a module of the SDK at the node's real session", () => {
  it.live("asks, is refused, gets events and answers", () =>
    Effect.scoped(Effect.gen(function*() {
      const { accepted, path } = yield* listening
      const heights: Array<number> = []
      const seen = yield* Deferred.make<void>()
      const starting = startModule({
        version: TERMS.version,
        rpc: {},
        events: {
          NewBlock: ({ height }) => {
            heights.push(height)
            Deferred.doneUnsafe(seen, Effect.void)
          }
        }
      }, environment(path, TERMS.moduleId))
      const session = yield* openModuleSession(moduleConnection(yield* accepted), sessionTerms)
      yield* Effect.forkScoped(Effect.ignore(session.serve))
      const { context, over, stop } = yield* Effect.promise(() => starting)
      assert.strictEqual((yield* Effect.promise(() => context.node.ask("GetBlockHeight"))).value, 7)
      const refused = yield* Effect.promise(() => context.node.ask("GetMempoolSize").catch((error: unknown) => error))
      assert.instanceOf(refused, NodeError)
      assert.deepStrictEqual([refused.kind, refused.message], ["PermissionDenied", "GetMempoolSize needs read_mempool"])
      yield* session.sendEvent({ _tag: "NewBlock", block_hash: new Uint8Array(32), height: 3 })
      yield* Deferred.await(seen)
      assert.deepStrictEqual(heights, [3])
      const invoked = yield* Effect.flip(session.invoke({ _tag: "Rpc", method: "none", params: "null" }))
      assert.strictEqual(invoked.text, "there is no method none")
      stop()
      yield* Effect.promise(() => over)
    })))

  it.live("is turned away in the node's words with the id of another spawn", () =>
    Effect.scoped(Effect.gen(function*() {
      const { accepted, path } = yield* listening
      const starting = startModule({ version: TERMS.version }, environment(path, "another"))
        .catch((error: unknown) => String(error))
      yield* Effect.flip(openModuleSession(moduleConnection(yield* accepted), sessionTerms))
      assert.include(yield* Effect.promise(() => starting), "the handshake has not the id of this spawn")
    })))
})
