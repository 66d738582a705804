import * as Effect from "effect/Effect"
import { chosenTransport } from "../../../src/p2p/transport/transport-choice.ts"
import { seededChance } from "../../../src/p2p/seeded-chance.ts"
import { socks5Transport } from "../../../src/p2p/transport/socks5/socks5-transport.ts"
import { tcpTransport } from "../../../src/p2p/transport/tcp/tcp-transport.ts"
import { virtualClock } from "../../../src/p2p/transport/virtual/virtual-clock.ts"
import { virtualNetwork } from "../../../src/p2p/transport/virtual/virtual-network.ts"
import { startProxy } from "./proxy-server.ts"
import { describeTransport, endpoint } from "./transport-suite.ts"

/** Real sockets need real time. */
const pass = Effect.callback<void>((resume) => void setTimeout(() => resume(Effect.void), 2))

const untilReal = (holds: () => boolean): Effect.Effect<void> =>
  Effect.gen(function*() {
    yield* pass
    while (!holds()) yield* pass
  })

describeTransport({
  name: "TCP over IPv4",
  make: Effect.succeed({ dialing: tcpTransport, listening: tcpTransport, bind: endpoint("127.0.0.1:0") }),
  until: untilReal,
  isOneMachine: true
})

describeTransport({
  name: "TCP over IPv6",
  make: Effect.succeed({ dialing: tcpTransport, listening: tcpTransport, bind: endpoint("[::1]:0") }),
  until: untilReal,
  isOneMachine: true
})

describeTransport({
  name: "the choice of ways",
  make: Effect.sync(() => {
    const transport = chosenTransport({ direct: tcpTransport, proxy: undefined, onion: undefined })
    return { dialing: transport, listening: transport, bind: endpoint("127.0.0.1:0") }
  }),
  until: untilReal,
  isOneMachine: true
})

describeTransport({
  name: "SOCKS5",
  make: Effect.map(startProxy({ login: true }), (proxy) => ({
    dialing: socks5Transport({ proxy: proxy.at, isolation: seededChance(1) }),
    listening: tcpTransport,
    bind: endpoint("127.0.0.1:0")
  })),
  until: untilReal,
  isOneMachine: false
})

const virtual = (() => {
  const clock = virtualClock(1_000_000)
  let machines = 0
  return {
    make: Effect.sync(() => {
      const network = virtualNetwork({ clock, chance: seededChance(7) })
      const [one, two] = [`10.0.0.${++machines}:0`, `10.0.0.${++machines}:18444`].map(endpoint)
      return { dialing: network.transport(one!.address), listening: network.transport(two!.address), bind: two! }
    }),
    until: (holds: () => boolean) =>
      Effect.gen(function*() {
        for (let idle = 0; !holds(); idle++) {
          if (idle > 100_000) throw new Error("nothing happens any more")
          clock.advanceTo(clock.nextAt() ?? clock.now() + 1)
          yield* Effect.yieldNow
        }
      })
  }
})()

describeTransport({ name: "a network within the process", ...virtual, isOneMachine: true })
