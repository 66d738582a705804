import type { Header } from "@lockstep/kernel/model"
import type { Message, MessageOf } from "@lockstep/protocol/wire/codecs.ts"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { Peer, PeerKind } from "../../../src/p2p/peer/peer.ts"
import { makeSync, type Sync } from "../../../src/p2p/sync/sync-part.ts"
import type { SyncSettings } from "../../../src/p2p/sync/sync-state.ts"
import { type ChainModel, hashOf, type ScriptedPeer, scriptedPeer } from "./chain-model.ts"
import { unixMilliseconds } from "../../../src/quantities.ts"
import type { CompactOptions } from "../../../src/p2p/sync/compact-blocks/compact-state.ts"
import { plainPreferences } from "./plain-preferences.ts"

export const SETTINGS: SyncSettings = {
  blocksPerRequest: 128,
  fromOnePeer: false,
  blocksPerPeer: 128,
  downloadTimeout: 30_000,
  headersTimeout: 30_000,
  headersFailures: 10
}

/** A peer that has a chain and answers from it, as long as it does what it should. */
export interface ChainPeer {
  readonly peer: ScriptedPeer
  readonly chain: ReadonlyArray<Header>
  readonly byHash: ReadonlyMap<string, Header>
  sendsBlocks: boolean
  sendsHeaders: boolean
  answered: number
  /** Blocks that it sends in a tick, and how much of the next one is sent. */
  rate: number
  begun: number
  /** Blocks that it never sends. */
  pendingNotifications: ReadonlySet<string>
  readonly toSend: Array<string>
  /** Blocks it was asked for. */
  readonly asked: Array<string>
}

/** The sync among scripted peers. */
export interface Session {
  readonly model: ChainModel
  readonly sync: Sync
  /** `first`: the first byte of its address. */
  readonly add: (kind: PeerKind, chain: ReadonlyArray<Header>, services?: bigint, first?: number) => ChainPeer
  readonly give: (peer: Peer, message: Message) => Effect.Effect<void>
  /** Lets time pass in steps of a tick; peers answer in between. */
  readonly pass: (milliseconds: number) => Effect.Effect<void>
}

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex")

const byHashes = new Map<ReadonlyArray<Header>, ReadonlyMap<string, Header>>()

/** Made once for each chain. */
const byHashOf = (chain: ReadonlyArray<Header>): ReadonlyMap<string, Header> => {
  const made = byHashes.get(chain) ?? new Map(chain.map((header) => [hex(hashOf(header)), header]))
  byHashes.set(chain, made)
  return made
}

const headersFor = ({ byHash, chain }: ChainPeer, { locator }: MessageOf<"getheaders">): ReadonlyArray<Header> => {
  for (const hash of locator) {
    const header = byHash.get(hex(hash))
    const at = header === undefined ? -1 : chain.indexOf(header)
    if (at >= 0) return chain.slice(at + 1, at + 2_001)
  }
  return chain.slice(0, 2_000)
}

export const syncSession = (
  model: ChainModel,
  settings: Partial<SyncSettings> = {},
  preferences: CompactOptions = plainPreferences(() => true)
): Effect.Effect<Session, never, Scope.Scope> =>
  Effect.gen(function*() {
    const sync = yield* makeSync(model.context, { ...SETTINGS, ...settings }, preferences)
    const peers: Array<ChainPeer> = []
    const { handlers, gone, ready, tick, tickAll } = sync.part

    const give = (peer: Peer, message: Message): Effect.Effect<void> => {
      if (message.command === "headers") return handlers.headers!(peer, message)
      if (message.command === "block") return handlers.block!(peer, message)
      return Effect.void
    }

    const answer = Effect.fnUntraced(function*(each: ChainPeer) {
      while (each.answered < each.peer.sent.length && !each.peer.isGone) {
        const message = each.peer.sent[each.answered++]!
        if (message.command === "getheaders" && each.sendsHeaders) {
          yield* give(each.peer, { command: "headers", headers: headersFor(each, message) })
        }
        if (message.command !== "getdata") continue
        for (const { hash } of message.inventory) {
          each.asked.push(hex(hash))
          if (!each.pendingNotifications.has(hex(hash))) each.toSend.push(hex(hash))
        }
      }
      if (!each.sendsBlocks) return
      // One that sends slowly is received of all the while.
      if (each.toSend.length > 0) each.peer.traffic.lastReceive = unixMilliseconds(model.clock)
      each.begun = each.toSend.length === 0 ? 0 : each.begun + each.rate
      const done = Math.floor(each.begun)
      each.begun -= done
      for (const hash of each.toSend.splice(0, done)) {
        const header = each.byHash.get(hash)
        if (header !== undefined) yield* give(each.peer, { command: "block", header, bytes: header.bytes })
      }
    })

    const leave = (): void => {
      for (const { peer } of peers) {
        if (!peer.isGone || !model.peers.has(peer.id)) continue
        model.peers.delete(peer.id)
        gone?.(peer)
      }
    }

    return {
      model,
      sync,
      give,
      add: (kind, chain, services, first) => {
        const peer = scriptedPeer(peers.length, kind, services, model.clock, first)
        const each: ChainPeer = {
          peer,
          chain,
          byHash: byHashOf(chain),
          sendsBlocks: true,
          sendsHeaders: true,
          answered: 0,
          rate: 100,
          begun: 0,
          pendingNotifications: new Set(),
          toSend: [],
          asked: []
        }
        peers.push(each)
        model.peers.set(peer.id, peer)
        ready?.(peer)
        return each
      },
      pass: Effect.fnUntraced(function*(milliseconds) {
        for (let passed = 0; passed < milliseconds; passed += 100) {
          model.clock += 100
          tickAll?.(unixMilliseconds(model.clock))
          for (const { peer } of peers) if (!peer.isGone) tick?.(peer, unixMilliseconds(model.clock))
          for (const each of peers) yield* answer(each)
          leave()
        }
      })
    }
  })
