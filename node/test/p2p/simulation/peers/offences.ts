import { HeaderStatus } from "../../../../src/engine/header-index/header-status.ts"
import { has, nodeOf } from "../../../../src/engine/header-index/header-index.ts"
import { addressKey, endpointText } from "../../../../src/net/endpoint-text.ts"
import type { Endpoint } from "../../../../src/net/endpoint.ts"
import type { MadeBlock } from "../made-block.ts"
import type { Running, SimulatedNode } from "../node.ts"
import type { World } from "../world.ts"
import type { Link } from "./link.ts"

/** What a node has to do about something that a peer did. */
export type Answer = "discourage" | "disconnect"

/** Something that no honest peer does. */
export interface Offence {
  readonly who: string
  readonly from: Endpoint
  readonly link: Link
  readonly what: string
  readonly answer: Answer
  /** It is noticed when this block is judged, if that ever happens. */
  readonly block?: MadeBlock
}

/** Sees to it that nodes notice what liars do. */
export interface Offences {
  readonly add: (offence: Offence) => void
  /** Looks at those whose time has come. */
  readonly judge: (now: number) => void
  /** How often each kind of offence was committed and noticed. */
  readonly noticed: ReadonlyMap<string, number>
}

/** Milliseconds that a node has from when it has the bytes. */
const PATIENCE = 30_000

const LOST: ReadonlySet<string> = new Set(["the connection was lost", "closed by this node"])

/** Why a node ends connections whatever comes over them. */
const UNRELATED: ReadonlySet<string> = new Set([
  "the network is switched off",
  "evicted for another peer",
  "one outbound peer too many",
  "one peer for blocks too many",
  "outbound peer headers chain has insufficient work",
  "stalls the block download",
  "does not send requested blocks",
  "block download timeout",
  "it left requests for headers unanswered",
  "it took too long to send headers",
  "chain sync timeout"
])

interface Pending extends Offence {
  readonly running: Running
  readonly node: SimulatedNode
  /** When the node had all of it. */
  arrivedAt: number | undefined
}

export const offences = (world: World, nodes: ReadonlyArray<SimulatedNode>): Offences => {
  let pending: Array<Pending> = []
  const noticed = new Map<string, number>()
  const nodeAt = (address: string): SimulatedNode | undefined =>
    nodes.find(({ at }) => addressKey(at.address) === address)

  const wasJudged = ({ block, running }: Pending): boolean => {
    if (block === undefined) return true
    const { tree } = running.engine.chain
    const entry = nodeOf(tree, block.node.hash)
    return entry !== undefined && has(tree, entry, HeaderStatus.INVALID)
  }

  const isAnswered = ({ answer, from, link, running }: Pending): boolean =>
    link.ended !== undefined && (answer === "disconnect" || running.p2p.reputation.discouraged.has(from.address))

  /** Whether the node need not have noticed: it never looked at what was said. */
  const isVoid = ({ link, node, running }: Pending): boolean => {
    // One without space judges nothing, and one that went down or was not reached knows of nothing.
    if (node.isLow() || node.running() !== running) return true
    if (link.ended === undefined) return false
    const reason = node.reasonFor(endpointText(link.connection.local!))
    return LOST.has(link.ended) || (reason !== undefined && UNRELATED.has(reason))
  }

  /** Whether it is settled, one way or the other. */
  const settle = (each: Pending, now: number): boolean => {
    const { answer, link, node, what, who } = each
    if (isVoid(each)) return true
    if (each.arrivedAt === undefined && (link.connection.unsent() === 0 || link.ended !== undefined)) {
      each.arrivedAt = now
    }
    if (isAnswered(each)) {
      noticed.set(what, (noticed.get(what) ?? 0) + 1)
      return true
    }
    if (each.arrivedAt === undefined || now < each.arrivedAt + PATIENCE) return false
    if (wasJudged(each)) world.fault(`${node.name} did not ${answer} ${who} for ${what}`)
    return true
  }

  return {
    noticed,
    add: (offence) => {
      const node = nodeAt(offence.link.node)
      const running = node?.running()
      world.trace.line(`${offence.who} to ${node?.name}: ${offence.what}`)
      if (node !== undefined && running !== undefined) pending.push({ ...offence, node, running, arrivedAt: undefined })
    },
    judge: (now) => {
      pending = pending.filter((each) => !settle(each, now))
    }
  }
}
