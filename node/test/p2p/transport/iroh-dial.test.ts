import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/testing/TestClock"
import type { Endpoint } from "../../../src/net/endpoint.ts"
import { parseEndpoint } from "../../../src/net/endpoint-text.ts"
import type { IrohBinding } from "../../../src/p2p/transport/iroh/iroh-binding.ts"
import { irohTransport } from "../../../src/p2p/transport/iroh/iroh-transport.ts"

const IDENTITY = "ab".repeat(32)

const node = (place: string): Endpoint => ({ ...parseEndpoint(place, 8_333)!, iroh: { identity: IDENTITY } })

/** A library whose sockets connect as `connect` says; what was bound and dialed is written down. */
const library = (connect: () => Promise<unknown>, cannotBind?: string) => {
  const done: Array<string> = []
  const sockets = () => ({
    id: () => ({ toString: () => IDENTITY }),
    boundSockets: () => ["127.0.0.1:9"],
    connect: ({ at }: { readonly at: string }) => {
      done.push(`dial ${at}`)
      return connect()
    },
    acceptNext: () => new Promise(() => undefined),
    close: () => {
      done.push("close")
      return Promise.resolve()
    }
  })
  const builder = () => {
    const places: Array<string> = []
    return {
      applyMinimal: () => undefined,
      relayMode: () => undefined,
      secretKey: () => undefined,
      alpns: () => undefined,
      bindAddr: (place: string) => void places.push(place),
      bind: () => {
        if (cannotBind !== undefined) return Promise.reject(new Error(cannotBind))
        done.push(`bind ${places[0]}`)
        return Promise.resolve(sockets())
      }
    }
  }
  const binding = {
    Endpoint: { builder },
    EndpointAddr: class {
      readonly at: string
      constructor(_id: unknown, _relay: null, [at]: ReadonlyArray<string>) {
        this.at = at!
      }
    },
    EndpointId: { fromString: (text: string) => text },
    RelayMode: { disabled: () => undefined }
  } as unknown as IrohBinding
  return { binding, done }
}

const dialed = Effect.fnUntraced(function*(made: ReturnType<typeof library>, target: Endpoint) {
  const transport = yield* irohTransport({ binding: made.binding, seed: new Uint8Array(32), connectTimeout: 5_000 })
  return yield* transport.dial(target, () => ({
    received: () => undefined,
    drained: () => undefined,
    closed: () => undefined
  }))
})

const refused = (text: string) => () => Promise.reject(new Error(text))

describe("a node that is not reached over Iroh", () => {
  it.effect("has no proxy to blame: the attempt counts against it, and says why it failed", () =>
    Effect.gen(function*() {
      for (
        const [text, message] of [
          ["Caused by:\n    timed out", "timed out"],
          ["invalid peer certificate: UnknownIssuer", `another node answers there: its identity is not ${IDENTITY}`]
        ] as const
      ) {
        const error = yield* Effect.flip(Effect.scoped(dialed(library(refused(text)), node("8.8.8.8:9"))))
        assert.deepStrictEqual([error.isProxy, error.message], [false, message])
      }
    }))

  it.effect("is not dialed without an identity, or where its place is no address", () =>
    Effect.gen(function*() {
      const made = library(refused("never"))
      const nameless = yield* Effect.flip(Effect.scoped(dialed(made, parseEndpoint("8.8.8.8:9", 0)!)))
      assert.include(nameless.message, "Iroh needs an identity: name it as iroh://identity@host:port")
      const onion = "pg6mmjiyjmcrsslvykfwnntlaru7p5svn6y2ymmju6nubxndf4pscryd.onion:8333"
      const hidden = yield* Effect.flip(Effect.scoped(dialed(made, node(onion))))
      assert.include(hidden.message, "it is no address of IPv4 or IPv6")
      const name = yield* Effect.flip(
        Effect.scoped(dialed(made, { ...node("8.8.8.8:9"), name: "node.example" }))
      )
      assert.include(name.message, "it is no address of IPv4 or IPv6")
      assert.deepStrictEqual([made.done, nameless.isProxy], [[], false])
    }))

  it.effect("is given up when it does not answer in time, and where nothing can be bound", () =>
    Effect.gen(function*() {
      const silent = library(() => new Promise(() => undefined))
      const fiber = yield* Effect.forkChild(Effect.flip(Effect.scoped(dialed(silent, node("127.0.0.1:9")))))
      yield* TestClock.adjust(4_999)
      assert.isUndefined(fiber.pollUnsafe())
      yield* TestClock.adjust(5_000)
      const { message } = yield* Fiber.join(fiber)
      assert.strictEqual(
        message,
        `no node with the identity ${IDENTITY} answered at 127.0.0.1, port 9 within 5 s`
      )
      const unbound = yield* Effect.flip(
        Effect.scoped(dialed(library(refused("never"), "no such device"), node("8.8.8.8:9")))
      )
      assert.include(unbound.message, "no such device")
    }))
})

describe("sockets that dial over Iroh", () => {
  it.effect("are bound once for this machine and once for others, and closed with the node", () =>
    Effect.gen(function*() {
      const made = library(refused("down"))
      yield* Effect.scoped(Effect.gen(function*() {
        const { binding } = made
        const { dial } = yield* irohTransport({ binding, seed: new Uint8Array(32), connectTimeout: 5_000 })
        for (const place of ["127.0.0.1:9", "8.8.8.8:9", "127.0.0.1:10", "8.8.4.4:9"]) {
          yield* Effect.flip(dial(node(place), () => ({
            received: () => undefined,
            drained: () => undefined,
            closed: () => undefined
          })))
        }
      }))
      assert.deepStrictEqual(made.done, [
        "bind 127.0.0.1:0",
        "dial 127.0.0.1:9",
        "bind 0.0.0.0:0",
        "dial 8.8.8.8:9",
        "dial 127.0.0.1:10",
        "dial 8.8.4.4:9",
        "close",
        "close"
      ])
    }))

  it.effect("are those that listen as long as they do, and others behind that", () =>
    Effect.gen(function*() {
      const made = library(refused("down"))
      yield* Effect.scoped(Effect.gen(function*() {
        const { binding } = made
        const { dial, listen } = yield* irohTransport({ binding, seed: new Uint8Array(32), connectTimeout: 5_000 })
        const attempt = Effect.suspend(() =>
          Effect.flip(dial(node("127.0.0.1:9"), () => {
            throw new Error("nothing is connected")
          }))
        )
        yield* Effect.scoped(Effect.gen(function*() {
          yield* listen(parseEndpoint("127.0.0.1:8", 0)!, () => {
            throw new Error("nothing is connected")
          }, {} as never)
          yield* attempt
        }))
        yield* attempt
        yield* attempt
      }))
      assert.deepStrictEqual(made.done.filter((each, i) => each !== "close" || i < 4), [
        "bind 127.0.0.1:8",
        "dial 127.0.0.1:9",
        "close",
        "bind 127.0.0.1:0",
        "dial 127.0.0.1:9",
        "dial 127.0.0.1:9"
      ])
    }))
})
