import type { AddressKind } from "@lockstep/protocol/wire/address/address-kind.ts"
import type { Message } from "@lockstep/protocol/wire/codecs.ts"
import type { KnownAddress } from "@lockstep/protocol/wire/messages/addr.ts"
import * as Effect from "effect/Effect"
import { addressBook } from "../../../src/p2p/addresses/address-book.ts"
import { type AddressesPart, addressesPart } from "../../../src/p2p/addresses/addresses-part.ts"
import type { PeerKind } from "../../../src/p2p/peer/peer.ts"
import type { Endpoint } from "../../../src/net/endpoint.ts"
import { seededRandom } from "../../../src/p2p/basics/seeded-random.ts"
import { connectTo, endpointOf, type ScriptedPeer, settle, shakeHands } from "../peer/scripted-peer.ts"
import { stillChain } from "../peer/still-chain.ts"
import { testHost } from "../peer/test-host.ts"
import { endpoint } from "../transport/transport-suite.ts"
import { unixMilliseconds } from "../../../src/quantities.ts"

export const START = 1_700_193_573_000
export const NOW = START / 1_000
export const MINUTE = 60_000

interface PlaceOptions {
  readonly own?: Endpoint
  readonly shunned?: string
  readonly reachable?: ReadonlyArray<AddressKind>
}

export const place = (options: PlaceOptions = {}) =>
  Effect.gen(function*() {
    const clock = { now: START }
    const chain = stillChain()
    const book = addressBook({ now: () => unixMilliseconds(clock.now), random: seededRandom(5) })
    let part: AddressesPart | undefined
    const host = yield* testHost({
      chain,
      start: START,
      parts: (context) => {
        part = addressesPart({
          context,
          book,
          reachable: new Set<AddressKind>(options.reachable ?? ["ipv4", "ipv6"]),
          isShunned: ({ bytes }) => bytes.join(".") === options.shunned,
          own: () => options.own
        })
        return Effect.succeed([part])
      }
    })
    const pass = (milliseconds: number): Effect.Effect<void> => {
      host.pass(milliseconds)
      clock.now = host.clock.now
      return settle
    }
    const join = Effect.fnUntraced(function*(kind: PeerKind, at: Endpoint = endpointOf(8, 8, 8, 8)) {
      const peer = connectTo(host.host, host.magic, kind, at)
      yield* shakeHands(peer)
      return peer
    })
    return {
      ...host,
      chain,
      pass,
      join,
      book,
      figures: () => [...host.peers.values()].map((peer) => part!.figures(peer))
    }
  })

export const known = (text: string, time = NOW, services = 9n): KnownAddress => ({ ...endpoint(text), time, services })

export const addr = (addresses: ReadonlyArray<KnownAddress>): Message => ({ command: "addr", addresses })

export const many = (count: number): ReadonlyArray<KnownAddress> =>
  Array.from({ length: count }, (_, i) => known(`${11 + (i >> 8)}.${i & 0xff}.1.1:8333`))

export const observed = (peer: ScriptedPeer): number =>
  peer.received.filter(({ command }) => command.startsWith("addr")).length
