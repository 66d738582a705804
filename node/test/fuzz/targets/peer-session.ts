import type { Target } from "@lockstep/property-tests/fuzz/target.ts"
import { anyConversation, type Conversation, type Happening } from "../any-conversation.ts"
import { type FuzzedNetwork, networkOfThisThread, prepareNetwork } from "../fuzzed-network.ts"
import { REGRESSIONS } from "../regressions-directory.ts"
import { type ScriptedPeer, usualVersion } from "../../p2p/peer/scripted-peer.ts"
import { patience } from "../../process/patience.ts"

/** How long a peer that behaves may wait for an answer. */
const LIMIT_MS = patience(4_000)

const breath = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

const eventually = async (holds: () => boolean): Promise<boolean> => {
  for (const end = Date.now() + LIMIT_MS; Date.now() < end;) {
    if (holds()) return true
    await breath()
  }
  return holds()
}

const happen = async (
  { node }: FuzzedNetwork,
  peers: ReadonlyArray<ScriptedPeer>,
  happening: Happening
): Promise<void> => {
  const { command, hangsUp, payload, peer: index, wait } = happening
  const peer = peers[index % peers.length]
  if (peer === undefined) return
  if (wait > 0) node.clock.now += Math.min(wait, 3_600_000)
  if (hangsUp) peer.hangUp()
  else if (command === undefined) peer.sayBytes(payload)
  else peer.sayPayload(command.slice(0, 12), payload)
  await breath()
}

/** Whether a peer that has done nothing wrong is answered. */
const isAlive = async ({ connect }: FuzzedNetwork): Promise<boolean> => {
  const peer = connect(200)
  peer.say(usualVersion, { command: "verack" }, { command: "ping", nonce: 77n })
  const answered = await eventually(() => peer.commands().includes("pong"))
  peer.hangUp()
  return answered
}

/**
 * That the peer of the chain has gone, and no other is there, is reported to the operator: nothing is wrong with the
 * node.
 */
const isLonely = (line: string): boolean => line.startsWith("sync: Error") && line.includes("there is no other node")

const tally = new Map<string, number>()

const count = (what: string): void => void tally.set(what, (tally.get(what) ?? 0) + 1)

const conclude = async (network: FuzzedNetwork, peers: ReadonlyArray<ScriptedPeer>): Promise<string | undefined> => {
  const { node } = network
  if (!(await isAlive(network))) return "hang: a peer that behaves is not answered"
  for (const peer of peers) {
    count(peer.is.closed ? "ended" : "kept")
    // Whether conversations come as far as a package that the node requests.
    if (peer.commands().includes("getpkgtxns")) count("asked for a package")
    peer.hangUp()
  }
  if (!(await eventually(() => node.p2p.service.peers.size === 0))) {
    return "leak: peers are kept whose connections have ended"
  }
  const line = node.lines.splice(0).find((each) => !isLonely(each))
  if (line !== undefined) return `logged: ${line}`
  const [defect] = node.defects.splice(0)
  return defect === undefined ? undefined : `a listener threw: ${String(defect)}`
}

/**
 * Messages in any order from several peers: the network layer stays, answers others, and keeps nothing of who has gone.
 */
export const peerSessionTarget: Target<Conversation> = {
  name: "peer-session",
  about: "what peers say, in any order and damaged, to a whole network layer",
  regressions: REGRESSIONS,
  prepare: prepareNetwork,
  generate: anyConversation,
  judge: async ({ happenings, peers: wanted }) => {
    const network = await networkOfThisThread()
    const peers = Array.from({ length: Math.max(1, Math.min(8, wanted)) }, (_, i) => network.connect(i))
    for (const happening of happenings) await happen(network, peers, happening)
    return conclude(network, peers)
  },
  notes: () => [`connections: ${[...tally].toSorted().map(([what, times]) => `${times} ${what}`).join(", ")}`]
}
