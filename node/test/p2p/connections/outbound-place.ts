import type { AddressKind } from "@lockstep/protocol/wire/address/address-kind.ts"
import { coreTexts } from "../../bitcoind/core-texts.ts"
import type { TraceEvent } from "../../../src/runtime/trace.ts"
import { endpointKey, endpointText } from "../../../src/net/endpoint-text.ts"
import type { Endpoint } from "../../../src/net/endpoint.ts"
import type { KnownNode } from "../../../src/p2p/addresses/table/known-node.ts"
import type { Attempt } from "../../../src/p2p/connections/dialer.ts"
import { outbound, type OutboundOptions } from "../../../src/p2p/connections/outbound.ts"
import type { Peer, PeerKind } from "../../../src/p2p/peer/peer.ts"
import type { DialError } from "../../../src/p2p/transport/transport.ts"
import { unixMilliseconds } from "../../../src/quantities.ts"
import { endpoint } from "../transport/transport-suite.ts"

export const NETWORK = 1n
export const WITNESS = 1n << 3n
export const LIMITED = 1n << 10n
export const V2 = 1n << 11n
export const FULL = NETWORK | WITNESS
export const MINUTE = 60_000
export const START = 1_700_000_000_000

export const known = (text: string, more: Partial<KnownNode> = {}): KnownNode => {
  const at = endpoint(text)
  return { ...at, key: endpointKey(at), services: FULL, lastTry: 0, ...more } as KnownNode
}

export const FIRST = known("20.0.0.1:8333")

export interface World {
  readonly counts: Partial<Record<PeerKind, number>>
  /** What addrman chooses, one after another; the last one again and again. */
  readonly chosen: ReadonlyArray<KnownNode>
  readonly rival: KnownNode | undefined
  readonly isDownloading: boolean
  readonly groups: ReadonlySet<string>
  readonly networks: ReadonlySet<AddressKind>
  readonly reached: number
  readonly connected: string
  readonly banned: string
  readonly discouraged: string
  readonly foreign: string
  readonly listed: ReadonlyArray<Endpoint>
  readonly own: ReadonlyArray<Endpoint>
  readonly table: ReadonlyArray<Endpoint>
  readonly hasV2: boolean
  readonly offered: bigint
}

export const FILLED = { "outbound-full-relay": 8, "block-relay-only": 2 } as const

const ORDINARY: World = {
  counts: {},
  chosen: [FIRST],
  rival: undefined,
  isDownloading: false,
  groups: new Set(),
  networks: new Set(["ipv4", "ipv6"]),
  reached: 2,
  connected: "",
  banned: "",
  discouraged: "",
  foreign: "",
  listed: [],
  own: [],
  table: [FIRST],
  hasV2: true,
  offered: 0n
}

const isAt = (text: string) => (address: Endpoint["address"]): boolean =>
  text !== "" && endpointText({ address, port: 0 }) === `${text}:0`

/** What is noted of a place, and what it is at the moment. */
interface Notes {
  world: World
  readonly clock: { now: number }
  readonly asked: Array<unknown>
  readonly attempted: Array<unknown>
  readonly peers: Map<number, Peer>
  readonly dialed: Array<Attempt>
  readonly said: Array<string>
  done: (error: DialError | undefined) => void
  collisions: number
}

const contextOf = (notes: Notes) =>
  ({
    environment: {
      random: {
        below: () => 0,
        bytes: (count: number) => new Uint8Array(count),
        exponential: (mean: number) => mean
      },
      now: () => unixMilliseconds(notes.clock.now)
    },
    chain: {
      state: () => ({
        initialBlockDownload: notes.world.isDownloading,
        mockTime: 0,
        time: START / 1_000 - (notes.world.isDownloading ? 144 : 143) * 600
      })
    },
    network: { parameters: { work: { targetSpacing: 600 } } },
    peers: notes.peers,
    notify: { trace: (happening: TraceEvent) => void notes.said.push(...coreTexts(happening)) },
    ...notes.world.hasV2 ? { transportCrypto: {} } : {}
  }) as unknown as OutboundOptions["context"]

const bookOf = (notes: Notes) =>
  ({
    table: { list: notes.world.table },
    size: () => notes.world.chosen.length,
    choose: (wanted: unknown) => {
      notes.asked.push(wanted)
      return notes.world.chosen[Math.min(notes.asked.length, notes.world.chosen.length) - 1]
    },
    chooseRival: () => notes.world.rival,
    resolveCollisions: () => void notes.collisions++,
    servicesOf: () => notes.world.offered,
    lastSeenOf: () => undefined,
    attempted: (at: Endpoint, counts: boolean) => void notes.attempted.push([endpointText(at), counts])
  }) as unknown as OutboundOptions["book"]

const optionsOf = (notes: Notes): OutboundOptions => {
  const { world } = notes
  return {
    context: contextOf(notes),
    book: bookOf(notes),
    dialer: {
      dial: (attempt: Attempt, settle: Notes["done"]) => {
        notes.dialed.push(attempt)
        notes.done = settle
        return true
      }
    } as unknown as OutboundOptions["dialer"],
    census: {
      count: (kind: PeerKind) => notes.world.counts[kind] ?? 0,
      groups: () => notes.world.groups,
      reached: () => notes.world.reached,
      networks: () => notes.world.networks,
      isConnectedTo: () => false,
      isConnectedToAddress: isAt(world.connected)
    },
    reputation: {
      isBanned: isAt(world.banned),
      discouraged: { has: isAt(world.discouraged) }
    } as unknown as OutboundOptions["reputation"],
    slots: { fullRelay: 8, blockRelay: 2, feelers: 1, inbound: 114 },
    isAutomatic: true,
    reachable: new Set(["ipv4", "ipv6"]),
    anchors: [],
    manual: {
      list: () => notes.world.listed.map((at) => ({ text: "", endpoint: at, peer: undefined, failure: undefined }))
    },
    worthOf: () => ({ isProtected: false, isBusy: false, lastAnnouncement: 0 }),
    isForeign: isAt(world.foreign),
    ownAddresses: () => notes.world.own
  }
}

export const place = (more: Partial<World> = {}, options: Partial<OutboundOptions> = {}) => {
  const notes: Notes = {
    world: { ...ORDINARY, ...more },
    clock: { now: START },
    asked: [],
    attempted: [],
    peers: new Map(),
    dialed: [],
    said: [],
    done: () => undefined,
    collisions: 0
  }
  const { asked, attempted, clock, dialed, peers, said } = notes
  const made = outbound({ ...optionsOf(notes), ...options })
  return {
    ...made,
    asked,
    attempted,
    clock,
    collisions: () => notes.collisions,
    change: (changed: Partial<World>) => {
      notes.world = { ...notes.world, ...changed }
    },
    dialed,
    done: (error: DialError | undefined) => notes.done(error),
    peers,
    said,
    /** What is dialed after so many milliseconds. */
    after: (milliseconds: number): string => {
      dialed.length = 0
      clock.now = START + milliseconds
      made.tick(unixMilliseconds(clock.now))
      return dialed.map(({ endpoint: at, kind }) => `${kind} ${endpointText(at)}`).join()
    }
  }
}
