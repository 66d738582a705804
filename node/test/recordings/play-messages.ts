import { encodeMessage } from "@lockstep/protocol/wire/message.ts"
import { patience } from "../process/patience.ts"
import { usualVersion } from "../p2p/peer/scripted-peer.ts"
import type { Row } from "./conversation.ts"
import { announcedBlocks, bytesOf, entriesIn } from "./message-content.ts"
import { type RecordedNode, setClock } from "./recorded-node.ts"
import { inboundPeer, takeMessage, type TestPeer } from "./test-peer.ts"

/** Milliseconds that an answer may take, and those after some have not come: then more will not. */
const ANSWER_MS = 6_000
const LATER_ANSWER_MS = 1_500
const MISSES_BEFORE_LATER = 2

/** How often the clock is pushed while something that takes its time is waited for, and by how many seconds. */
const PUSH_EVERY_MS = 250
const PUSH_SECONDS = 1
const MOST_PUSHED_SECONDS = 30

/** A crowded machine gets more time, but what does not come must not hold up all that follows. */
const MOST_PATIENCE = 4

/** Waits of a conversation: the more was missed, the shorter they are. */
export interface Waits {
  readonly factor: number
  misses: number
}

export const waits = (): Waits => ({ factor: Math.min(MOST_PATIENCE, patience(1_000) / 1_000), misses: 0 })

export const longest = ({ factor, misses }: Waits): number =>
  factor * (misses > MISSES_BEFORE_LATER ? LATER_ANSWER_MS : ANSWER_MS)

/**
 * Waits until something holds. Announcements and requests have times of chance, so the clock, which stands, is pushed
 * a little meanwhile and set back in the end.
 */
export const untilHolds = async (
  node: RecordedNode,
  spent: Waits,
  attempt: (milliseconds: number) => Promise<boolean>
): Promise<boolean> => {
  const deadline = Date.now() + longest(spent)
  let pushed = 0
  let holds = await attempt(PUSH_EVERY_MS)
  while (!holds && Date.now() < deadline) {
    if (pushed < MOST_PUSHED_SECONDS) {
      pushed += PUSH_SECONDS
      await setClock(node, node.clock + pushed)
    }
    holds = await attempt(PUSH_EVERY_MS)
  }
  if (pushed > 0) await setClock(node, node.clock)
  if (!holds) spent.misses++
  return holds
}

/**
 * Blocks came. Those that came since the peer was notified of one, and was in step with the node, may be announced together.
 */
export const blocksCame = (node: RecordedNode, count: number): void => {
  for (const [name, peer] of node.peers) {
    const before = peer.wasTold && peer.isInStep ? 0 : node.sinceAnnounced.get(name) ?? 0
    peer.wasTold = false
    peer.isInStep = false
    node.sinceAnnounced.set(name, before + count)
  }
}

const frameOf = ({ p, t }: Row) => ({ command: t ?? "", payload: bytesOf(String(p ?? "")) })

/** Announcements of the same blocks may be grouped: the last of them counts. */
const lastOfBurst = (row: Row, following: ReadonlyArray<Row>): ReadonlyArray<string> => {
  const hashes = [announcedBlocks(frameOf(row)).at(-1)!]
  for (const each of following) {
    const isNext = each.op === "blocks" || (each.op === "send" && (each.t === "block" || each.t === "getheaders"))
    if (each.n === row.n && isNext) break
    if (each.op === "recv" && each.c === row.c) hashes.push(...announcedBlocks(frameOf(each)))
  }
  return hashes
}

const describe = (peer: TestPeer): string => {
  if (peer.isClosed()) return "the connection is closed"
  const messages = peer.received.map(({ command }) => command)
  const entries = [...peer.entries].flatMap(([command, all]) => (all.length === 0 ? [] : [`${command} ×${all.length}`]))
  return `received ${[...messages, ...entries].join(", ") || "nothing"}`
}

/** Waits for a recorded message of the node; answers how it is missing. */
export const receive = async (
  node: RecordedNode,
  spent: Waits,
  peer: TestPeer,
  row: Row,
  following: ReadonlyArray<Row>
): Promise<string | undefined> => {
  const frame = frameOf(row)
  const payload = String(row.p ?? "")
  const blocks = announcedBlocks(frame)
  const isAnnouncement = blocks.length > 0 && !peer.hasAsked
  const isBurst = isAnnouncement && (node.sinceAnnounced.get(String(row.c)) ?? 0) > 1
  const accepted = isBurst ? lastOfBurst(row, following) : []
  const isThere = (): boolean =>
    takeMessage(peer, frame.command, payload) || accepted.some((hash) => peer.announced.has(hash))
  let came = false
  await untilHolds(
    node,
    spent,
    (milliseconds) => peer.until(() => (came ||= isThere()) || peer.isClosed(), milliseconds)
  )
  if (frame.command === "headers") peer.hasAsked = false
  if (isAnnouncement) peer.wasTold = true
  if (frame.command === "pong") peer.isInStep = true
  if (came) return undefined
  const entries = entriesIn(frame)?.join(" ")
  return `expected ${frame.command} ${(entries ?? payload).slice(0, 200)}; ${describe(peer)}`
}

/** Messages that may come more often than recorded, or in other groups. */
const MAY_COME = new Set(["headers", "cmpctblock", "feefilter", "getheaders", "pong"])

/** What the node said beyond the recorded messages. */
export const leftover = (peer: TestPeer): ReadonlyArray<string> =>
  peer.received.splice(0).map(({ command }) => command).filter((command) => !MAY_COME.has(command))

/** An ordinary full node without blocks connects. */
export const linkedPeer = async (node: RecordedNode, spent: Waits): Promise<TestPeer> => {
  const peer = await inboundPeer(node.port)
  peer.send("version", encodeMessage(usualVersion))
  peer.send("wtxidrelay", new Uint8Array(0))
  peer.send("verack", new Uint8Array(0))
  await peer.until(() => peer.received.some(({ command }) => command === "verack"), longest(spent))
  return peer
}

/** What the other full node gave or asked for; it asks for what was announced. */
export const relay = async (
  node: RecordedNode,
  spent: Waits,
  peer: TestPeer,
  row: Row
): Promise<string | undefined> => {
  const frame = frameOf(row)
  const wanted = frame.command === "getdata" ? entriesIn(frame) ?? [] : []
  const hashes = wanted.map((entry) => entry.slice(entry.indexOf(":")))
  const isAnnounced = () => {
    const announced = (peer.entries.get("inv") ?? []).map((entry) => entry.slice(entry.indexOf(":")))
    return hashes.every((hash) => announced.includes(hash))
  }
  const came = await untilHolds(node, spent, (milliseconds) => peer.until(isAnnounced, milliseconds))
  peer.send(frame.command, frame.payload)
  return came ? undefined : `the node did not announce ${wanted.join(" ")}`
}
