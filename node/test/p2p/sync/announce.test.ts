import { assert, describe, it } from "@effect/vitest"
import type { Header } from "@lockstep/kernel/model"
import * as Effect from "effect/Effect"
import { chainModel, type ChainModel, hashOf, minedChain } from "./chain-model.ts"
import { plainPreferences } from "./plain-preferences.ts"
import { type Session, syncSession } from "./sync-session.ts"

const CHAIN = minedChain(60)
const NOW = CHAIN.at(-1)!.time + 60
const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex")

/** Blocks that came from elsewhere. */
const mine = (model: ChainModel, blocks: ReadonlyArray<Header>): Effect.Effect<void> =>
  Effect.forEach(
    blocks,
    ({ bytes }) => Effect.andThen(model.chain.acceptHeaders(bytes), model.chain.acceptBlock(bytes, true)),
    {
      discard: true
    }
  )

const following = Effect.fnUntraced(function*(prefersHeaders: boolean, knows: ReadonlyArray<Header>) {
  const model = chainModel(NOW)
  model.initialBlockDownload = false
  yield* mine(model, CHAIN.slice(0, 50))
  const session = yield* syncSession(model, {}, plainPreferences(() => prefersHeaders))
  const follower = session.add("inbound", knows)
  yield* session.pass(200)
  follower.peer.sent.length = 0
  follower.answered = 0
  return { model, session, follower }
})

const observed = (session: Session, sent: ReadonlyArray<unknown>): Effect.Effect<ReadonlyArray<unknown>> =>
  Effect.as(session.pass(200), sent)

describe("announcements by headers", () => {
  it.effect("are requested once, when a chain was shown, and only from peers that know sendheaders", () =>
    Effect.gen(function*() {
      const session = yield* syncSession(chainModel(NOW))
      const [young, old] = [session.add("inbound", CHAIN), session.add("inbound", CHAIN)]
      const mute = session.add("inbound", CHAIN)
      mute.sendsHeaders = false
      old.peer.hello = { ...old.peer.hello!, version: 70_011 }
      yield* session.pass(3_000)
      const asked = [young, old, mute].map(({ peer: { sent } }) =>
        sent.filter(({ command }) => command === "sendheaders").length
      )
      assert.deepStrictEqual(asked, [1, 0, 0])
    }).pipe(Effect.scoped))
})

describe("announcing blocks", () => {
  it.effect("by headers to a peer that prefers that and has what they stand on", () =>
    Effect.gen(function*() {
      const { follower, model, session } = yield* following(true, CHAIN.slice(0, 50))
      yield* mine(model, CHAIN.slice(50, 53))
      const sent = yield* observed(session, follower.peer.sent)
      assert.strictEqual(sent.length, 1)
      const [message] = follower.peer.sent
      assert.isTrue(message?.command === "headers" && message.headers.length === 3)
      yield* mine(model, CHAIN.slice(53, 54))
      yield* session.pass(200)
      const next = follower.peer.sent.at(-1)
      assert.isTrue(next?.command === "headers" && hex(hashOf(next.headers[0]!)) === hex(hashOf(CHAIN[53]!)))
    }).pipe(Effect.scoped))

  it.effect("by the newest name to others, and when there are more than eight", () =>
    Effect.gen(function*() {
      const plain = yield* following(false, CHAIN.slice(0, 50))
      yield* mine(plain.model, CHAIN.slice(50, 53))
      yield* plain.session.pass(200)
      const [message, ...rest] = plain.follower.peer.sent
      assert.deepStrictEqual(rest, [])
      assert.isTrue(message?.command === "inv" && hex(message.inventory[0]!.hash) === hex(hashOf(CHAIN[52]!)))
      const many = yield* following(true, CHAIN.slice(0, 50))
      yield* mine(many.model, CHAIN.slice(50, 60))
      yield* many.session.pass(200)
      assert.deepStrictEqual(many.follower.peer.sent.map(({ command }) => command), ["inv"])
    }).pipe(Effect.scoped))

  it.effect("not to a peer that has it already, and not in the initial download", () =>
    Effect.gen(function*() {
      const { follower, model, session } = yield* following(true, CHAIN)
      yield* mine(model, CHAIN.slice(50))
      yield* session.pass(200)
      assert.deepStrictEqual(follower.peer.sent.filter(({ command }) => command === "inv" || command === "headers"), [])
      const early = chainModel(NOW)
      const fresh = yield* syncSession(early)
      const other = fresh.add("inbound", [])
      yield* mine(early, CHAIN.slice(0, 3))
      yield* fresh.pass(200)
      assert.deepStrictEqual(other.peer.sent.filter(({ command }) => command === "inv" || command === "headers"), [])
    }).pipe(Effect.scoped))
})
