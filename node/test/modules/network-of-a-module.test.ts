import { assert, describe, it } from "@effect/vitest"
import type { ModuleEventPayload } from "@lockstep/protocol/module-ipc/index.ts"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import { connect } from "node:net"
import { moduleNetwork } from "../../src/modules/network/module-network.ts"
import { patience } from "../process/patience.ts"
import { NETWORK } from "./test-node-side.ts"

/** A client of this address, and whether it was let in, once that is known. */
const client = (address: string) => {
  const [host, port] = address.split(":")
  const socket = connect(Number(port), host)
  const closed = new Promise<void>((done) => socket.once("close", () => done()))
  const isLetIn = new Promise<boolean>((done) => {
    socket.once("connect", () => done(true))
    socket.once("error", () => done(false))
  })
  return { closed, isLetIn }
}

describe("the sockets of a module", () => {
  it.live("are closed with it: connections on both sides, and what listens", () =>
    Effect.gen(function*() {
      const scope = yield* Scope.make()
      const events: Array<ModuleEventPayload["_tag"]> = []
      const network = yield* moduleNetwork(
        scope,
        NETWORK,
        (payload) => Effect.sync(() => void events.push(payload._tag))
      )
      const { address } = yield* network.listen("127.0.0.1:0")
      const { closed, isLetIn } = client(address)
      assert.isTrue(yield* Effect.promise(() => isLetIn))
      while (!events.includes("NetworkAccepted")) yield* Effect.sleep(1)
      yield* Scope.close(scope, Exit.void)
      yield* Effect.timeout(Effect.promise(() => closed), patience(2_000))
      assert.isFalse(yield* Effect.promise(() => client(address).isLetIn))
    }))
})
