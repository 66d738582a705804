import { OPEN_ADDRESS } from "../../crash/open-wallet.ts"
import { loadQuicBinding } from "../../../src/quic/quic-binding.ts"
import { pause, tipOf, until, type WireNode, type WireNodes } from "../sockets/wire-node.ts"
import type { AttackOptions } from "./attack-options.ts"
import type { AttackFigures } from "./attacker.ts"
import { type Inside, insideOf, type Outside, outsideOf } from "./node-under-attack.ts"
import { type AttackerProcess, type SinkProcess, startAttacker, startSink } from "./programs.ts"

/**
 * Inbound places of a node as it is configured by default: 100 in all, 10 for its own connections, 1 to look around.
 * Here it makes none.
 */
const PLACES = 89

/** Whether this machine can speak QUIC: then it is attacked too. */
const isOverQuic = loadQuicBinding()._tag === "Loaded"

/** Switched on, so that floods of filters, packages and connections over QUIC cost the node what they can. */
export const ATTACKED: ReadonlyArray<string> = [
  "storage.indexing.blockfilterindex=true",
  "connections.serve_block_filters=true",
  "connections.serve_bloom_filters=true",
  "relay.enable_package_relay=true",
  ...(isOverQuic ? ["transport_preference=hybrid"] : [])
].flatMap((setting) => ["--set", setting])

/** What is attacked while a node syncs from an honest one: that node, a program that does nothing, or none. */
export type Target = "node" | "sink" | "none"

export interface TrialOptions {
  readonly nodes: WireNodes
  readonly honest: WireNode
  readonly target: Target
  readonly attack: Omit<AttackOptions, "port" | "quicPort">
  /** How long the attack goes on before the sync begins, and in all at least. */
  readonly warmUpSeconds: number
  readonly seconds: number
  readonly args: ReadonlyArray<string>
}

/** What a trial showed. */
export interface Trial {
  readonly syncSeconds: number
  /** From a new block of the honest node until the other had it, milliseconds. */
  readonly followed: ReadonlyArray<number>
  /** Before anything, when the sync was over, at the end of the attack, and when that was over. */
  readonly outside: {
    readonly before: Outside
    readonly synced: Outside
    readonly attacked: Outside
    readonly after: Outside
  }
  readonly inside: { readonly before: Inside; readonly attacked: Inside; readonly after: Inside }
  readonly attacker: AttackFigures | undefined
  readonly sinkSeconds: number
  readonly honestSeconds: number
  readonly log: string
}

interface PeerInfo {
  readonly id: number
  readonly addr: string
  readonly connection_type: string
  readonly inbound: boolean
}

/** The one connection that the node made itself; throws when it is not there any more, or another one. */
const honestPeer = async ({ call }: WireNode): Promise<number> => {
  const found = (await call<ReadonlyArray<PeerInfo>>("getpeerinfo")).filter(({ inbound }) => !inbound)
  if (found.length !== 1) {
    const kinds = found.map(({ addr, connection_type: kind }) => `${addr} (${kind})`).join(", ")
    throw new Error(`the node has ${found.length} connections of its own instead of one: ${kinds}`)
  }
  return found[0]!.id
}

/** Until the end of the attack the honest node finds blocks, and the other must have each. */
const follow = async (node: WireNode, honest: WireNode, end: number): Promise<ReadonlyArray<number>> => {
  const times: Array<number> = []
  do {
    await honest.call("generatetoaddress", 1, OPEN_ADDRESS)
    const tip = await tipOf(honest)
    const start = performance.now()
    await until("a new block is there", async () => await tipOf(node) === tip, 60_000)
    times.push(performance.now() - start)
    await pause(Math.min(1_000, Math.max(0, end - performance.now())))
  } while (performance.now() < end)
  return times
}

/** What runs beside the node, until it is ended. */
interface Around {
  readonly attacker: AttackerProcess | undefined
  readonly sink: SinkProcess | undefined
  /** As often as one likes. */
  readonly end: () => Promise<void>
}

const attackOn = async ({ attack, target }: TrialOptions, node: WireNode): Promise<Around> => {
  if (target === "none") return { attacker: undefined, sink: undefined, end: () => Promise.resolve() }
  const sink = target === "sink" ? await startSink(PLACES) : undefined
  const port = sink?.port ?? node.p2pPort
  const attacker = await startAttacker({ ...attack, port, ...(isOverQuic ? { quicPort: port } : {}) })
  let over: Promise<unknown> | undefined
  return { sink, attacker, end: async () => void await (over ??= Promise.all([attacker.end(), sink?.end()])) }
}

const watched = async (
  { honest, nodes, seconds, warmUpSeconds }: TrialOptions,
  node: WireNode,
  attackOnce: () => Promise<Around>
): Promise<Trial> => {
  const look = (): Outside => outsideOf(node.running.pid)
  // Asked once before: connections of the clients are not what grows.
  const height = await node.call<number>("getblockcount")
  if (height !== 0) throw new Error("the node is not empty")
  const [before, insideBefore] = [look(), await insideOf(node.running, node.token)]
  const served = outsideOf(honest.running.pid).processorSeconds
  const end = performance.now() + seconds * 1_000
  const around = await attackOnce()
  await pause(warmUpSeconds * 1_000)

  const tip = await tipOf(honest)
  const start = performance.now()
  await node.call("addnode", `127.0.0.1:${honest.p2pPort}`, "add")
  await until("the node is in sync", async () => await tipOf(node) === tip, 900_000)
  const syncSeconds = (performance.now() - start) / 1_000
  const synced = look()
  const honestSeconds = outsideOf(honest.running.pid).processorSeconds - served
  const peer = await honestPeer(node)
  const followed = await follow(node, honest, end)

  const [attacked, insideAttacked, attacker] = [
    look(),
    await insideOf(node.running, node.token),
    await around.attacker?.figures()
  ]
  const sinkSeconds = around.sink === undefined ? 0 : outsideOf(around.sink.pid).processorSeconds
  await around.end()
  // The honest peer is all that is left: a socket and a fiber.
  await until("everything of the attack is gone", async () => {
    const { connections, fibers } = await insideOf(node.running, node.token)
    return connections === 1 && fibers === 1
  })
  if (await honestPeer(node) !== peer) throw new Error("the honest peer was lost during the attack")
  const banned = await node.call<ReadonlyArray<unknown>>("listbanned")
  if (banned.length > 0) throw new Error(`a peer was banned: ${JSON.stringify(banned)}`)
  const [after, insideAfter] = [look(), await insideOf(node.running, node.token)]
  await nodes.stop(node)
  return {
    syncSeconds,
    followed,
    outside: { before, synced, attacked, after },
    inside: { before: insideBefore, attacked: insideAttacked, after: insideAfter },
    attacker,
    sinkSeconds,
    honestSeconds,
    log: node.running.stdout()
  }
}

/**
 * A new node syncs from the honest one and follows it while the target is attacked. Whatever happens, the attack ends
 * with it.
 */
export const trial = async (options: TrialOptions): Promise<Trial> => {
  const { args, nodes, target } = options
  const node = await nodes.start(`attacked-${target}-${performance.now()}`, ["--set", `max_peers=${PLACES}`, ...args])
  let around: Around | undefined
  try {
    return await watched(options, node, async () => around = await attackOn(options, node))
  } finally {
    await around?.end()
  }
}
