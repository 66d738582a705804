import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Scope from "effect/Scope"
import { parseEndpoint } from "../../../src/net/endpoint-text.ts"
import type { Transport } from "../../../src/p2p/transport/transport.ts"
import type { Endpoint } from "../../../src/net/endpoint.ts"
import { recorder, type Side } from "./recorder.ts"

/** What the suite needs to know of a transport. */
export interface Subject {
  readonly name: string
  /** A transport that dials and one that listens, on the same network. */
  readonly make: Effect.Effect<
    { readonly dialing: Transport; readonly listening: Transport; readonly bind: Endpoint },
    never,
    Scope.Scope
  >
  /** Lets time pass until it holds. */
  readonly until: (holds: () => boolean) => Effect.Effect<void>
  /** Whether dialing and listening may be the same machine, so that a port can be taken twice. */
  readonly isOneMachine: boolean
  /** Megabytes that are more than any window of it holds; none: 24. */
  readonly megabytes?: number
}

export const endpoint = (text: string): Endpoint => parseEndpoint(text, 0)!

const pattern = (length: number): Uint8Array => Uint8Array.from({ length }, (_, i) => (i * 31 + (i >> 8)) & 0xff)

const noFaults = (...sides: ReadonlyArray<Side>): void => expect(sides.flatMap(({ faults }) => faults)).toEqual([])

/** The result of a call that only goes on while time passes. */
const awaitingWith = (until: Subject["until"]) => <A, E>(call: Effect.Effect<A, E>): Effect.Effect<A, E> =>
  Effect.gen(function*() {
    let isDone = false
    const fiber = yield* Effect.forkChild(Effect.onExit(call, () => Effect.sync(() => void (isDone = true))))
    yield* until(() => isDone)
    return yield* Fiber.join(fiber)
  })

/** What every transport does. */
export const describeTransport = ({ isOneMachine, make, megabytes = 24, name, until }: Subject): void => {
  const awaiting = awaitingWith(until)
  describe(`transport: ${name}`, () => {
    const connected = Effect.gen(function*() {
      const { bind, dialing, listening } = yield* make
      const [ours, theirs] = [recorder(), recorder()]
      const at = yield* listening.listen(bind, theirs.accept)
      const connection = yield* awaiting(dialing.dial(at, ours.accept))
      yield* until(() => theirs.sides.length === 1)
      return { ours: ours.sides[0]!, theirs: theirs.sides[0]!, connection, at, listening, dialing }
    })
    it.effect("carries bytes both ways, in order and complete", () =>
      Effect.gen(function*() {
        const { ours, theirs } = yield* connected
        const large = pattern(700_000)
        ours.connection.send(Uint8Array.of(1, 2, 3))
        ours.connection.send(large)
        theirs.connection.send(Uint8Array.of(9))
        yield* until(() => theirs.bytes.length === 700_003 && ours.bytes.length === 1)
        expect(Buffer.from(theirs.bytes).equals(Buffer.concat([Uint8Array.of(1, 2, 3), large]))).toBe(true)
        expect(ours.bytes).toEqual([9])
        yield* until(() => ours.connection.unsent() === 0 && ours.drained > 0)
        noFaults(ours, theirs)
      }))

    it.effect("names both ends", () =>
      Effect.gen(function*() {
        const { at, connection, ours, theirs } = yield* connected
        expect(connection).toBe(ours.connection)
        expect(ours.connection.remote).toEqual(at)
        if (ours.connection.local !== undefined) expect(theirs.connection.remote).toEqual(ours.connection.local)
        expect(theirs.connection.local).toEqual(at)
      }))

    it.effect("notifies both sides once that one closed, and carries nothing afterwards", () =>
      Effect.gen(function*() {
        const { ours, theirs } = yield* connected
        theirs.connection.close()
        theirs.connection.close()
        theirs.connection.send(Uint8Array.of(1))
        yield* until(() => ours.closed.length > 0 && theirs.closed.length > 0)
        ours.connection.send(Uint8Array.of(1))
        ours.connection.close()
        ours.connection.resume()
        yield* Effect.yieldNow
        expect(theirs.closed).toEqual(["closed by this node"])
        expect(ours.closed).toEqual(["the other side closed the connection"])
        expect([ours.bytes, theirs.bytes]).toEqual([[], []])
        noFaults(ours, theirs)
      }))

    it.effect("holds back a sender whose receiver does not read", () =>
      Effect.gen(function*() {
        const { ours, theirs } = yield* connected
        theirs.connection.pause()
        const piece = pattern(1_000_000)
        for (let i = 0; i < megabytes; i++) ours.connection.send(piece)
        yield* until(() => ours.connection.unsent() > 1_000_000)
        const read = theirs.bytes.length
        yield* Effect.yieldNow
        expect(theirs.bytes.length).toBe(read)
        expect(ours.drained).toBe(0)
        theirs.connection.resume()
        yield* until(() => theirs.bytes.length === megabytes * 1_000_000)
        yield* until(() => ours.drained > 0 && ours.connection.unsent() === 0)
        noFaults(ours, theirs)
      }), 60_000)

    it.effect("lets the listener refuse at once", () =>
      Effect.gen(function*() {
        const { bind, dialing, listening } = yield* make
        const [ours, theirs] = [recorder(), recorder((connection) => connection.close())]
        const at = yield* listening.listen(bind, theirs.accept)
        yield* awaiting(Effect.exit(dialing.dial(at, ours.accept)))
        yield* until(() => theirs.sides[0]?.closed.length === 1)
        yield* until(() => ours.sides.every(({ closed }) => closed.length === 1))
        noFaults(...ours.sides, ...theirs.sides)
      }))

    it.effect("may be paused by the listener", () =>
      Effect.gen(function*() {
        const { bind, dialing, listening } = yield* make
        const [ours, theirs] = [recorder(), recorder((connection) => connection.pause())]
        const at = yield* listening.listen(bind, theirs.accept)
        yield* awaiting(dialing.dial(at, ours.accept))
        ours.sides[0]!.connection.send(Uint8Array.of(7))
        yield* until(() => theirs.sides.length === 1)
        yield* Effect.yieldNow
        expect(theirs.sides[0]!.bytes).toEqual([])
        theirs.sides[0]!.connection.resume()
        yield* until(() => theirs.sides[0]!.bytes.length === 1)
      }))

    it.effect("says that no node is there", () =>
      Effect.gen(function*() {
        const { bind, dialing, listening } = yield* make
        const at = yield* Effect.scoped(listening.listen(bind, recorder().accept))
        const ours = recorder()
        const error = yield* awaiting(Effect.flip(dialing.dial(at, ours.accept)))
        expect(error._tag).toBe("DialError")
        expect(error.isProxy).toBe(false)
        expect(ours.sides).toEqual([])
      }))

    it.effect("keeps connections when it listens no longer", () =>
      Effect.gen(function*() {
        const { bind, dialing, listening } = yield* make
        const [ours, theirs] = [recorder(), recorder()]
        const scope = yield* Scope.make()
        const at = yield* Scope.provide(listening.listen(bind, theirs.accept), scope)
        yield* awaiting(dialing.dial(at, ours.accept))
        yield* until(() => theirs.sides.length === 1)
        yield* Scope.close(scope, yield* Effect.exit(Effect.void))
        ours.sides[0]!.connection.send(Uint8Array.of(5))
        yield* until(() => theirs.sides[0]!.bytes.length === 1)
        ours.sides[0]!.connection.close()
        yield* until(() => theirs.sides[0]!.closed.length === 1)
      }))

    if (isOneMachine) {
      it.effect("says what to do when the address is in use", () =>
        Effect.gen(function*() {
          const { bind, listening } = yield* make
          const at = yield* listening.listen(bind, recorder().accept)
          const error = yield* Effect.flip(listening.listen(at, recorder().accept))
          expect(error._tag).toBe("ListenError")
          expect(error.message).toContain(
            "another program listens there: stop it, choose another address with --listen-addr"
          )
        }))
    }
  })
}
