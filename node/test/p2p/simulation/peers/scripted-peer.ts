import type { Message } from "@lockstep/protocol/wire/codecs.ts"
import { ServiceFlag } from "@lockstep/protocol/wire/services.ts"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { Endpoint } from "../../../../src/net/endpoint.ts"
import { addressKey } from "../../../../src/net/endpoint-text.ts"
import { peerPlace, type World } from "../world.ts"
import type { Behaviour, ScriptedPeer } from "./behaviour.ts"
import { acceptLinks, type Link } from "./link.ts"
import { answerHonestly, beginHonestly, keepFetching } from "./honesty.ts"
import { holdings } from "./holdings.ts"
import type { Offences } from "./offences.ts"

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
  const random = world.chanceFor(name)
  const { greets = true, services = SERVICES } = behaviour
  let isLeaving = false
  /** Whether it wants no more links. */
  let isClosed = false

  const begin = (link: Link): void => {
    beginHonestly(self, link)
    behaviour.begin?.(self, link)
  }

  const listener = {
    received: (link: Link, message: Message): void => {
      if (isLeaving || behaviour.hear?.(self, link, message) === true) return
      if (message.command === "verack" && link.isReady) begin(link)
      else if (link.isReady) answerHonestly(self, link, message)
    },
    closed: (link: Link): void => {
      links.delete(link)
      self.holdings.forget(link)
    },
    badFrame: (link: Link, what: string): void =>
      world.fault(`${link.node} sent ${name} a message that is none: ${what}`)
  }

  const opened = (link: Link): void => {
    links.add(link)
    if (isClosed) clock.after(1, link.hangUp)
    if (behaviour.staysFor !== undefined) clock.after(1 + random.below(behaviour.staysFor), link.hangUp)
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
    clock.after(RETRY + random.below(RETRY), keepDialing)
  }

  const act = (): void => {
    if (isLeaving) return
    keepFetching(self)
    for (const link of links) if (link.isReady && link.ended === undefined) behaviour.act?.(self, link)
    clock.after(SECOND / 2 + random.below(SECOND), act)
  }

  const self: ScriptedPeer = {
    name,
    kind,
    at,
    world,
    random,
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
  clock.after(random.below(RETRY), keepDialing)
  clock.after(random.below(SECOND), act)
  return self
})
