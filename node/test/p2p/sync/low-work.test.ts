import { assert, describe, it } from "@effect/vitest"
import { concatBytes } from "@lockstep/kernel/bytes"
import * as Effect from "effect/Effect"
import { nodeOf } from "../../../src/engine/header-index/header-index.ts"
import { chainModel, hashOf, minedChain } from "./chain-model.ts"
import { syncSession } from "./sync-session.ts"

const CHAIN = minedChain(2_501)
const LOW = minedChain(2_000, 5)
const NOW = CHAIN.at(-1)!.time + 60

/** A node at the last block but one of the chain, and a peer that has it all. */
const caughtUp = Effect.fnUntraced(function*(isTrusted: boolean) {
  const model = chainModel(NOW)
  model.initialBlockDownload = false
  const here = CHAIN.slice(0, 2_500)
  yield* model.chain.acceptHeaders(concatBytes(here.map(({ bytes }) => bytes)))
  for (const { bytes } of here) yield* model.chain.acceptBlock(bytes, true)
  const session = yield* syncSession(model)
  const other = session.add("inbound", here)
  Object.assign(other.peer, { isTrusted })
  yield* session.pass(200)
  other.peer.sent.length = 0
  return { model, session, other, commands: () => other.peer.sent.map(({ command }) => command) }
})

const headers = (some: typeof CHAIN) => ({ command: "headers" as const, headers: some })

describe("headers of a chain of little work", () => {
  it.effect("are added up first; what is no part of them is looked at by itself", () =>
    Effect.gen(function*() {
      const { commands, model, other, session } = yield* caughtUp(false)
      yield* session.give(other.peer, headers(LOW))
      assert.isUndefined(nodeOf(model.chain.tree, hashOf(LOW[0]!)))
      assert.deepStrictEqual(commands(), ["getheaders"])
      // The peer has moved to the chain of most work.
      yield* session.give(other.peer, headers(CHAIN.slice(2_500)))
      assert.isDefined(nodeOf(model.chain.tree, hashOf(CHAIN[2_500]!)))
      assert.deepStrictEqual(commands(), ["getheaders", "getdata"])
      assert.isUndefined(session.sync.state.peers.get(other.peer.id)!.presync)
    }).pipe(Effect.scoped))

  it.effect("and then headers that stand on nothing: nothing is asked for before the request is answered", () =>
    Effect.gen(function*() {
      const { commands, other, session } = yield* caughtUp(false)
      yield* session.give(other.peer, headers(LOW))
      yield* session.give(other.peer, headers(minedChain(1, 9, hashOf(LOW.at(-2)!), LOW.at(-2)!.time)))
      assert.deepStrictEqual(commands(), ["getheaders"])
    }).pipe(Effect.scoped))

  it.effect("are kept at once of a peer that the operator trusts", () =>
    Effect.gen(function*() {
      const { model, other, session } = yield* caughtUp(true)
      yield* session.give(other.peer, headers(LOW))
      assert.isDefined(nodeOf(model.chain.tree, hashOf(LOW.at(-1)!)))
    }).pipe(Effect.scoped))
})
