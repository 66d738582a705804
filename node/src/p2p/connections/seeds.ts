import * as Effect from "effect/Effect"
import * as FiberSet from "effect/FiberSet"
import type * as Scope from "effect/Scope"
import type { NetworkAddress } from "@lockstep/protocol/wire/address/network-address.ts"
import { ServiceFlag } from "@lockstep/protocol/wire/services.ts"
import type { AddressBook } from "../addresses/address-book.ts"
import type { P2pContext } from "../p2p-context.ts"
import type { Endpoint } from "../transport/transport.ts"
import { CONNECTION_LIMITS } from "./connection-limits.ts"
import type { Resolve } from "./manual.ts"

/** Where first addresses come from. */
export interface Seeding {
  /** Names whose servers tell addresses; none: nobody is asked. */
  readonly names: ReadonlyArray<string>
  /** Addresses that the release has built in. */
  readonly built: ReadonlyArray<Endpoint>
}

/** Asks for first addresses while there are none. */
export interface Seeds {
  readonly tick: (now: number) => void
}

export interface SeedsOptions {
  readonly context: P2pContext
  readonly book: AddressBook
  readonly resolve: Resolve
  readonly seeding: Seeding
  /** How many lasting connections of our own making there are. */
  readonly outboundCount: () => number
}

/** The reference implementation's own; seeds know whom to tell by it. */
const WANTED = ServiceFlag.NETWORK | ServiceFlag.WITNESS

const DAY = 86_400
const WEEK = 7 * DAY
const ENOUGH_PEERS = 2
const MOST_PER_SEED = 32

const { fixedSeedWait, seedWait } = CONNECTION_LIMITS

export const makeSeeds = Effect.fnUntraced(function*(
  { book, context, outboundCount, resolve, seeding }: SeedsOptions
): Effect.fn.Return<Seeds, never, Scope.Scope> {
  const { crypto, environment: { chance, now }, network, tell } = context
  const fork = yield* FiberSet.makeRuntime()
  const startedAt = now()
  let isAsked = seeding.names.length === 0
  let isBuiltUsed = seeding.built.length === 0

  const seconds = (): number => Math.floor(now() / 1_000)

  /** Addresses of one seed count as of one network group. */
  const sourceOf = (name: string): NetworkAddress => ({ network: 0, bytes: crypto.sha256(Buffer.from(name)).slice(0, 10) })

  const ask = (name: string): Effect.Effect<void> =>
    Effect.map(resolve(`x${WANTED.toString(16)}.${name}`), (addresses) => {
      const known = addresses.slice(0, MOST_PER_SEED).map((address) => ({
        address,
        port: network.port,
        services: WANTED,
        time: seconds() - 3 * DAY - chance.below(4 * DAY)
      }))
      const added = book.add(known, sourceOf(name))
      tell.log("info", "a name server told addresses of nodes", { seed: name, told: addresses.length, new: added })
    })

  const askAll = (): void => {
    isAsked = true
    fork(Effect.forEach(seeding.names, ask, { discard: true }))
  }

  const useBuilt = (): void => {
    isBuiltUsed = true
    for (const endpoint of seeding.built) {
      const time = seconds() - chance.below(WEEK) - WEEK
      book.add([{ ...endpoint, services: WANTED, time }], endpoint.address)
    }
    tell.log("info", "no other node is known: starting with the addresses of the release", { addresses: seeding.built.length })
  }

  return {
    tick: (at) => {
      const waited = at - startedAt
      const isWaitOver = book.size() === 0 || waited >= seedWait.most
      if (!isAsked && isWaitOver) {
        if (outboundCount() >= ENOUGH_PEERS) isAsked = true
        else askAll()
      }
      const hasNoNames = seeding.names.length === 0
      if (!isBuiltUsed && book.size() === 0 && (hasNoNames || waited >= fixedSeedWait.most)) useBuilt()
    }
  }
})
