import type { Milliseconds } from "../../../quantities.ts"
import * as Effect from "effect/Effect"
import type { NetworkAddress } from "@lockstep/protocol/wire/address/network-address.ts"
import { acquireRelease } from "../../../finalizers/finalizers.ts"
import { isUnspecified } from "../../../net/address-place.ts"
import { addressKey, addressText, endpointKey, endpointText } from "../../../net/endpoint-text.ts"
import type { Random } from "../../basics/environment.ts"
import {
  type Accept,
  type Connection,
  type ConnectionListener,
  DialError,
  ListenError,
  noAnswer,
  type Transport
} from "../transport.ts"
import type { Endpoint } from "../../../net/endpoint.ts"
import type { VirtualClock } from "./virtual-clock.ts"
import { type VirtualLine, virtualPipe } from "./virtual-pipe.ts"
import { PLACE_TAKEN } from "../tcp/listen-reasons.ts"

export interface VirtualNetworkOptions {
  readonly clock: VirtualClock
  readonly random: Random
  /** Milliseconds that a piece takes, minimum and maximum. */
  readonly delay?: readonly [least: number, most: number]
  /** Bytes per millisecond that a machine sends; `undefined` for no limit. */
  readonly rate?: (from: NetworkAddress) => number | undefined
  /** Milliseconds without an answer after which an attempt to connect fails. */
  readonly dialTimeout?: Milliseconds
}

/** A network of machines within one process, repeatable for the same randomness. */
export interface VirtualNetwork {
  /** Returns the transport of the machine at this address. */
  readonly transport: (machine: NetworkAddress) => Transport
  /** Splits the network: only machines of the same group reach each other. Machines in no group reach all. */
  readonly partition: (groups: ReadonlyArray<ReadonlyArray<NetworkAddress>>) => void
  /** Ends the partition; bytes in transit arrive. */
  readonly heal: () => void
  /** Breaks connections: all of a machine, or those between two. Returns their number. */
  readonly drop: (machine: NetworkAddress, other?: NetworkAddress) => number
  readonly connections: () => number
}

interface Link {
  readonly ends: readonly [string, string]
  readonly hold: (held: boolean) => void
  readonly lose: (reason: string) => void
}

interface Pair {
  readonly dialing: Endpoint
  readonly answering: Endpoint
  readonly line: (from: Endpoint) => VirtualLine
  readonly gone: (link: Link) => void
}

/** Makes both ends of a connection. */
const connect = (clock: VirtualClock, pair: Pair, acceptDialing: Accept, acceptAnswering: Accept) => {
  const listeners: Array<ConnectionListener | undefined> = [undefined, undefined]
  let isOpen = true
  const ends = [pair.dialing, pair.answering] as const
  const pipes = [0, 1].map((i) => virtualPipe(clock, pair.line(ends[i]!), () => listeners[1 - i], () => listeners[i]))
  const end = (reasons: readonly [string, string]): void => {
    if (!isOpen) return
    isOpen = false
    for (const pipe of pipes) pipe.cut()
    pair.gone(link)
    for (const i of [0, 1] as const) clock.after(0, () => listeners[i]?.closed(reasons[i]))
  }
  const endOf = (i: 0 | 1): Connection => ({
    remote: ends[1 - i]!,
    local: ends[i],
    send: (bytes) => pipes[i]!.send(bytes),
    unsent: () => pipes[i]!.unsent(),
    pause: () => pipes[1 - i]!.pause(),
    resume: () => pipes[1 - i]!.resume(),
    close: () => {
      const [own, other] = ["closed by this node", "the other side closed the connection"]
      end(i === 0 ? [own, other] : [other, own])
    }
  })
  const link: Link = {
    ends: [addressKey(pair.dialing.address), addressKey(pair.answering.address)],
    hold: (held) => {
      for (const pipe of pipes) pipe.hold(held)
    },
    lose: (reason) => end([reason, reason])
  }
  const dialingEnd = endOf(0)
  return {
    link,
    open: () => {
      listeners[1] = acceptAnswering(endOf(1))
      listeners[0] = acceptDialing(dialingEnd)
      return dialingEnd
    }
  }
}

const FIRST_PORT = 49_152

const refused = (message: string): Effect.Effect<never, DialError> =>
  Effect.fail(new DialError({ message, isProxy: false }))

export const virtualNetwork = (options: VirtualNetworkOptions): VirtualNetwork => {
  const { random, clock, delay = [1, 20], dialTimeout = 5_000, rate = () => undefined } = options
  const listening = new Map<string, { readonly accept: Accept; readonly bind: Endpoint }>()
  const links = new Set<Link>()
  let groupOf = new Map<string, number>()
  let ports = FIRST_PORT

  const reaches = (a: string, b: string): boolean => {
    const [left, right] = [groupOf.get(a), groupOf.get(b)]
    return left === undefined || right === undefined || left === right
  }
  const travel = (): number => delay[0] + random.below(delay[1] - delay[0] + 1)
  const lineFrom = ({ address }: Endpoint): VirtualLine => ({ delay: travel, rate: rate(address) })
  const holdLinks = (): void => {
    for (const link of links) link.hold(!reaches(...link.ends))
  }
  const nextPort = (): number => {
    ports = ports === 65_535 ? FIRST_PORT : ports + 1
    return ports
  }

  const dialFrom = (machine: NetworkAddress): Transport["dial"] => (target, accept) =>
    Effect.callback((resume) => {
      const [from, to] = [addressKey(machine), addressKey(target.address)]
      if (!reaches(from, to)) {
        return Effect.sync(clock.after(dialTimeout, () => resume(Effect.fail(noAnswer(dialTimeout)))))
      }
      return Effect.sync(clock.after(2 * travel(), () => {
        const listener = listening.get(endpointKey(target)) ?? listening.get(`any:${to}:${target.port}`)
        if (listener === undefined) return resume(refused("ECONNREFUSED"))
        const dialing: Endpoint = { address: machine, port: nextPort() }
        const pair: Pair = { dialing, answering: target, line: lineFrom, gone: (link) => void links.delete(link) }
        const { link, open } = connect(clock, pair, accept, listener.accept)
        links.add(link)
        return resume(Effect.succeed(open()))
      }))
    })

  const listenAt = (machine: NetworkAddress): Transport["listen"] => (bind, accept) =>
    acquireRelease(
      Effect.suspend(() => {
        const port = bind.port === 0 ? nextPort() : bind.port
        const key = isUnspecified(bind.address)
          ? `any:${addressKey(machine)}:${port}`
          : endpointKey({ address: bind.address, port })
        if (listening.has(key)) {
          const text = `cannot listen for other nodes on ${endpointText(bind)}: ${PLACE_TAKEN}`
          return Effect.fail(new ListenError({ message: text }))
        }
        listening.set(key, { accept, bind })
        return Effect.succeed({
          key,
          endpoint: { address: isUnspecified(bind.address) ? machine : bind.address, port }
        })
      }),
      ({ key }) => Effect.sync(() => void listening.delete(key))
    ).pipe(Effect.map(({ endpoint }) => endpoint))

  return {
    transport: (machine) => ({
      name: `virtual ${addressText(machine)}`,
      dial: dialFrom(machine),
      listen: listenAt(machine)
    }),
    partition: (groups) => {
      groupOf = new Map(groups.flatMap((group, i) => group.map((machine) => [addressKey(machine), i] as const)))
      holdLinks()
    },
    heal: () => {
      groupOf = new Map()
      holdLinks()
    },
    drop: (machine, other) => {
      const [one, two] = [addressKey(machine), other === undefined ? undefined : addressKey(other)]
      const lost = [...links].filter(({ ends }) => ends.includes(one) && (two === undefined || ends.includes(two)))
      for (const link of lost) link.lose("the connection was lost")
      return lost.length
    },
    connections: () => links.size
  }
}
