import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { endpointText, parseEndpoint } from "../../../src/net/endpoint-text.ts"
import { privateTransport } from "../../../src/p2p/private-broadcast/private-transport.ts"
import { DialError, type Transport } from "../../../src/p2p/transport/transport.ts"

const ONION = "pg6mmjiyjmcrsslvykfwnntlaru7p5svn6y2ymmju6nubxndf4pscryd.onion:8333"
const I2P = "ukeu3k5oycgaauneqgtnvselmt4yemvoilkln7jpvamvfx7dnkdq.b32.i2p:0"

/** A way that reaches nothing, and says that it was taken. */
const way = (name: string): Transport => ({
  name,
  dial: (target) => Effect.fail(new DialError({ message: `${name} ${endpointText(target)}`, isProxy: false })),
  listen: () => Effect.die("unused")
})

const accept = () => ({ received: () => undefined, drained: () => undefined, closed: () => undefined })

const refusal = (text: string, { i2p, tor }: { readonly i2p?: Transport; readonly tor?: Transport }) =>
  Effect.map(
    Effect.flip(privateTransport({ tor: () => tor, i2p }).dial(parseEndpoint(text, 8_333)!, accept as never)),
    ({ isProxy, message }) => [message, isProxy] as const
  )

describe("connections for private broadcasts", () => {
  it.effect("go through Tor, and into I2P by its router alone", () =>
    Effect.gen(function*() {
      const both = { tor: way("tor"), i2p: way("i2p") }
      for (const text of ["8.8.8.8:8333", "[2a00::1]:8333", ONION]) {
        assert.deepStrictEqual(yield* refusal(text, both), [`tor ${text}`, false])
      }
      assert.deepStrictEqual(yield* refusal(I2P, both), [`i2p ${I2P}`, false])
    }))

  it.effect("are not made where neither reaches the node, which is not held against it", () =>
    Effect.gen(function*() {
      const none = (text: string) => [`neither Tor nor I2P reaches ${text}`, true] as const
      assert.deepStrictEqual(yield* refusal(I2P, { tor: way("tor") }), none(I2P))
      assert.deepStrictEqual(yield* refusal(ONION, { i2p: way("i2p") }), none(ONION))
      assert.deepStrictEqual(yield* refusal("8.8.8.8:8333", { i2p: way("i2p") }), none("8.8.8.8:8333"))
      const cjdns = parseEndpoint("[fc00::1]:8333", 0)!
      const target = { ...cjdns, address: { network: 6, bytes: cjdns.address.bytes } }
      const { isProxy } = yield* Effect.flip(
        privateTransport({ tor: () => way("tor"), i2p: way("i2p") }).dial(target, accept as never)
      )
      assert.isTrue(isProxy)
    }))

  it.effect("are never accepted", () =>
    Effect.gen(function*() {
      const { listen } = privateTransport({ tor: () => undefined, i2p: undefined })
      const { message } = yield* Effect.flip(
        Effect.scoped(listen(parseEndpoint("127.0.0.1:0", 0)!, accept as never))
      )
      assert.strictEqual(message, "private connections are made, and never accepted")
    }))
})
