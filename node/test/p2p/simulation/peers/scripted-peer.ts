import type { Message } from "@lockstep/protocol/wire/codecs.ts"
import { ServiceFlag } from "@lockstep/protocol/wire/services.ts"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { Chance } from "../../../../src/p2p/environment.ts"
import type { Endpoint } from "../../../../src/p2p/transport/transport.ts"
import { addressKey } from "../../../../src/p2p/endpoint/endpoint-text.ts"
import { peerPlace, type World } from "../world.ts"
import { acceptLinks, type Link } from "./link.ts"
import { answerHonestly, beginHonestly, keepFetching } from "./honesty.ts"
import { type Holdings, holdings } from "./holdings.ts"
import type { Offences } from "./offences.ts"

/** What a scripted peer does that an ordinary one does not. */
export interface Behaviour {
  /** Whether it says who it is at all. */
  readonly greets?: boolean
  readonly services?: bigint
  /** Whether it has the base chain from the start. */
  readonly isEmpty?: boolean
  /** How long it stays on a link, in milliseconds at most. */
  readonly staysFor?: number
  /** Once a link is ready, or right away if it does not greet. */
  readonly begin?: (self: ScriptedPeer, link: Link) => void
  /** About once a second on each link that is ready. */
  readonly act?: (self: ScriptedPeer, link: Link) => void
  /** Answers whether that was all there is to do about the message. */
  readonly hear?: (self: ScriptedPeer, link: Link, message: Message) => boolean
}

/** A peer that plays a part. */
export interface ScriptedPeer {
  readonly name: string
  readonly kind: string
  readonly at: Endpoint
  readonly world: World
  readonly chance: Chance
  readonly behaviour: Behaviour
  readonly links: Set<Link>
  readonly holdings: Holdings
  /** Reports that it does what no honest peer does. */
  readonly offend: (link: Link, what: string, how?: Partial<Parameters<Offences["add"]>[0]>) => void
  /** Has this link and no other from now on. */
  readonly keepOnly: (link: Link) => void
  /** Stays on its own from now on. */
  readonly leave: () => void
}

export interface PeerOptions {
  readonly world: World
  readonly index: number
  readonly kind: string
  readonly behaviour: Behaviour
  /** Whom it connects to. */
  readonly dials: ReadonlyArray<Endpoint>
  /** Whether nodes may connect to it. */
  readonly listens: boolean
  readonly offences: Offences
}

const SECOND = 1_000
/** Between two attempts to reach a node. */
const RETRY = 10 * SECOND
const SERVICES = ServiceFlag.NETWORK | ServiceFlag.WITNESS

/** Puts a scripted peer into the world, until the scope ends. */
export const scriptedPeer = Effect.fnUntraced(function*(
  { behaviour, dials, index, kind, listens, offences, world }: PeerOptions
): Effect.fn.Return<ScriptedPeer, never, Scope.Scope> {
  const { network, time: { clock, effectClock } } = world
  const name = `${kind} ${index}`
  const at = peerPlace(index)
  const transport = network.transport(at.address)
  const links = new Set<Link>()
  const chance = world.chanceFor(name)
  const { greets = true, services = SERVICES } = behaviour
  let isLeaving = false
  /** Whether it wants no more links. */
  let isClosed = false

  const begin = (link: Link): void => {
    beginHonestly(self, link)
    behaviour.begin?.(self, link)
  }

  const listener = {
    heard: (link: Link, message: Message): void => {
      if (isLeaving || behaviour.hear?.(self, link, message) === true) return
      if (message.command === "verack" && link.isReady) begin(link)
      else if (link.isReady) answerHonestly(self, link, message)
    },
    closed: (link: Link): void => {
      links.delete(link)
      self.holdings.forget(link)
    },
    badFrame: (link: Link, what: string): void => world.fault(`${link.node} sent ${name} a message that is none: ${what}`)
  }

  const opened = (link: Link): void => {
    links.add(link)
    if (isClosed) clock.after(1, link.hangUp)
    if (behaviour.staysFor !== undefined) clock.after(1 + chance.below(behaviour.staysFor), link.hangUp)
    if (!greets) clock.after(1, () => behaviour.begin?.(self, link))
  }

  const accept = (isTheirs: boolean) =>
    acceptLinks({ isTheirs, greets, services, genesis: world.ledger.base[0]! }, listener, opened)

  const isLinked = (to: Endpoint): boolean => {
    const key = addressKey(to.address)
    for (const { ended, node } of links) if (node === key && ended === undefined) return true
    return false
  }

  const dialing = new Set<Endpoint>()
  const dial = (to: Endpoint): void => {
    if (isClosed || dialing.has(to) || isLinked(to)) return
    dialing.add(to)
    const attempt = transport.dial(to, accept(false)).pipe(
      Effect.ignore,
      Effect.ensuring(Effect.sync(() => void dialing.delete(to))),
      Effect.provideService(Clock.Clock, effectClock)
    )
    Effect.runFork(attempt)
  }

  const keepDialing = (): void => {
    if (isLeaving) return
    for (const to of dials) dial(to)
    clock.after(RETRY + chance.below(RETRY), keepDialing)
  }

  const act = (): void => {
    if (isLeaving) return
    keepFetching(self)
    for (const link of links) if (link.isReady && link.ended === undefined) behaviour.act?.(self, link)
    clock.after(SECOND / 2 + chance.below(SECOND), act)
  }

  const self: ScriptedPeer = {
    name,
    kind,
    at,
    world,
    chance,
    behaviour,
    links,
    holdings: holdings(behaviour.isEmpty === true ? world.ledger.base.slice(0, 1) : world.ledger.base),
    offend: (link, what, how = {}) => offences.add({ who: name, from: at, link, what, answer: "discourage", ...how }),
    keepOnly: (kept) => {
      isClosed = true
      for (const link of links) if (link !== kept) link.hangUp()
    },
    leave: () => {
      isLeaving = true
      isClosed = true
      for (const link of links) link.hangUp()
    }
  }
  if (listens) yield* Effect.orDie(transport.listen(at, accept(true)))
  clock.after(chance.below(RETRY), keepDialing)
  clock.after(chance.below(SECOND), act)
  return self
})
