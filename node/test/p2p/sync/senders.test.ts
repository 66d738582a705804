import { assert, describe, it } from "@effect/vitest"
import type { Header } from "@lockstep/kernel/model"
import * as Effect from "effect/Effect"
import type { Message } from "@lockstep/protocol/wire/codecs.ts"
import { chainModel, hashOf, minedChain } from "./chain-model.ts"
import { syncSession } from "./sync-session.ts"

const CHAIN = minedChain(2)
const LATER = CHAIN.at(-1)!.time + 600

const blockOf = (header: Header): Message => ({ command: "block", header, bytes: header.bytes })

const discouraged = (repeats: number) =>
  Effect.gen(function*() {
    const model = chainModel(LATER)
    const [first, second] = CHAIN
    model.invalid.add(Buffer.from(hashOf(second!)).toString("hex"))
    const session = yield* syncSession(model)
    const liar = session.add("outbound-full-relay", CHAIN)
    const accomplice = session.add("inbound", CHAIN)
    const honest = session.add("outbound-full-relay", CHAIN.slice(0, 1))
    for (const each of [liar, accomplice, honest]) each.sendsBlocks = false
    yield* session.give(liar.peer, { command: "headers", headers: CHAIN })
    // It waits for the block below it, and so does its verdict.
    yield* session.give(liar.peer, blockOf(second!))
    for (let i = 0; i < repeats; i++) yield* session.give(i % 2 === 0 ? accomplice.peer : liar.peer, blockOf(second!))
    yield* session.give(honest.peer, blockOf(first!))
    return { liar: liar.peer.gone, accomplice: accomplice.peer.gone, honest: honest.peer.gone }
  })

describe("the sender of a block", () => {
  it.effect("is remembered until it is judged", () =>
    Effect.gen(function*() {
      const { honest, liar } = yield* discouraged(0)
      assert.deepStrictEqual([liar?.discouraged, honest], [true, undefined])
    }).pipe(Effect.scoped))

  it.effect("is not forgotten when the same block is sent again meanwhile", () =>
    Effect.gen(function*() {
      for (const repeats of [1, 2, 3]) {
        const { honest, liar } = yield* discouraged(repeats)
        assert.deepStrictEqual([liar?.discouraged, honest], [true, undefined], `${repeats} times`)
      }
    }).pipe(Effect.scoped))
})
