import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { endpointText } from "../../../src/net/endpoint-text.ts"
import { endpoint } from "../transport/transport-suite.ts"
import { caller, pass, robot } from "./robot.ts"
import { testLayer } from "./test-layer.ts"

const SERVICES = 1n | (1n << 3n) | (1n << 10n)

describe("handshakes", () => {
  it.effect(
    "put the services that a node says it has into the addrman; those of an inbound peer are not believed",
    () =>
      Effect.gen(function*() {
        const layer = yield* testLayer()
        const offered = SERVICES | (1n << 6n)
        const [called, calling] = [endpoint("20.1.0.1:18444"), endpoint("21.1.0.1:18444")]
        yield* robot(layer, called, { services: offered })
        const time = Math.floor(layer.clock.now() / 1_000)
        for (const each of [called, calling]) {
          layer.service.book.add([{ ...each, services: SERVICES, time }], each.address)
        }
        yield* caller(layer, calling, { services: offered })
        yield* pass(layer, 10_000)
        const servicesAt = (place: string) =>
          layer.service.book.table.list.find((node) => endpointText(node) === place)!.services
        assert.strictEqual(servicesAt("20.1.0.1:18444"), offered)
        assert.isTrue([...layer.service.peers.values()].some(({ inbound, isReady }) => inbound && isReady))
        assert.strictEqual(servicesAt("21.1.0.1:18444"), SERVICES)
      })
  )
})
