import type { Message } from "@lockstep/protocol/wire/codecs.ts"
import type { Endpoint } from "../../../../src/net/endpoint.ts"
import type { Random } from "../../../../src/p2p/basics/environment.ts"
import type { World } from "../world.ts"
import type { Holdings } from "./holdings.ts"
import type { Link } from "./link.ts"
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
  readonly random: Random
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
