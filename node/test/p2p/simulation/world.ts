import { ServiceFlag } from "@lockstep/protocol/wire/services.ts"
import type { KnownAddress } from "@lockstep/protocol/wire/messages/addr.ts"
import { parseEndpoint } from "../../../src/net/endpoint-text.ts"
import type { Random } from "../../../src/p2p/basics/environment.ts"
import { seededRandom } from "../../../src/p2p/basics/seeded-random.ts"
import { type VirtualNetwork, virtualNetwork } from "../../../src/p2p/transport/virtual/virtual-network.ts"
import type { Endpoint } from "../../../src/net/endpoint.ts"
import { START } from "./base-chain.ts"
import { heldBytes } from "./heap.ts"
import { type Ledger, ledger } from "./ledger.ts"
import type { Plan } from "./plan/plan.ts"
import { type Trace, trace } from "./trace.ts"
import { type VirtualTime, virtualTime } from "./virtual-time.ts"
import { type Wallet, wallet } from "./wallet.ts"

/** What nodes and scripted peers of a simulation share. */
export interface World {
  readonly plan: Plan
  readonly time: VirtualTime
  readonly network: VirtualNetwork
  readonly ledger: Ledger
  readonly wallet: Wallet
  readonly trace: Trace
  /** Where others may connect to: what a node answers to all that ask. */
  readonly publicAddresses: () => ReadonlyArray<KnownAddress>
  /** Something that must not be. */
  readonly fault: (text: string) => void
  readonly faults: ReadonlyArray<string>
  /** Bytes that were held before anything was there. */
  readonly heldAtStart: number
  /** Randomness of its own for each name, the same for the same name. */
  readonly chanceFor: (name: string) => Random
}

/** Faults that are kept: the first ones show the cause. */
const MOST_FAULTS = 20

const hashOf = (text: string): number => {
  let hash = 0x811c9dc5
  for (const char of text) hash = Math.imul(hash ^ char.charCodeAt(0), 0x01000193)
  return hash >>> 0
}

export const PORT = 18_444

/** An address in a network group of its own. */
export const placeOf = (group: number, number: number): Endpoint =>
  parseEndpoint(`${group}.${number}.0.1:${PORT}`, PORT)!

export const FULL = ServiceFlag.NETWORK | ServiceFlag.WITNESS

export const nodePlace = (i: number): Endpoint => placeOf(20 + i, 1)
export const peerPlace = (i: number): Endpoint => placeOf(40 + i, 1)

/** Where nodes and peers are listened at. */
export const publicPlaces = ({ nodes, peers }: Plan): ReadonlyArray<Endpoint> => [
  ...Array.from({ length: nodes }, (_, i) => nodePlace(i)),
  ...peers.flatMap(({ listens }, i) => listens ? [peerPlace(i)] : [])
]

export const makeWorld = (plan: Plan, eachLine?: (line: string) => void): World => {
  const chanceFor = (name: string): Random => seededRandom(hashOf(`${plan.seed} ${name}`))
  const heldAtStart = heldBytes()
  const time = virtualTime(START * 1_000 + 5_000, chanceFor("slowness"), plan.slowness)
  const rates = new Map(
    plan.peers.flatMap(({ rate }, i) =>
      rate === undefined ? [] : [[peerPlace(i).address.bytes.join("."), rate] as const]
    )
  )
  const book = ledger(plan.base)
  const lines = trace(time.clock.now, eachLine)
  const faults: Array<string> = []
  return {
    plan,
    time,
    network: virtualNetwork({
      clock: time.clock,
      random: chanceFor("network"),
      delay: plan.delay,
      rate: ({ bytes }) => rates.get(bytes.join("."))
    }),
    ledger: book,
    wallet: wallet(book),
    trace: lines,
    publicAddresses: () => {
      const seen = Math.floor(time.clock.now() / 1_000) - 600
      return publicPlaces(plan).map((place) => ({ ...place, time: seen, services: FULL }))
    },
    fault: (text) => {
      lines.line(`FAULT ${text}`)
      if (faults.length < MOST_FAULTS) faults.push(text)
    },
    faults,
    heldAtStart,
    chanceFor
  }
}
