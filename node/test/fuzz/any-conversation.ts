import { mutateBytes } from "@lockstep/property-tests/fuzz/mutate/bytes.ts"
import type { Random } from "@lockstep/property-tests/fuzz/random.ts"
import type { Seeds } from "@lockstep/property-tests/fuzz/target.ts"
import { PackageVersion } from "@lockstep/protocol/wire/messages/packages.ts"
import { encodeMessage } from "@lockstep/protocol/wire/message.ts"
import { anyPackage } from "./any-package.ts"
import { usualVersion } from "../p2p/peer/scripted-peer.ts"

/** Something that happens: a peer says something, breaks off, or time passes. */
export interface Happening {
  readonly peer: number
  /** None: bytes that are no frame. */
  readonly command: string | undefined
  readonly payload: Uint8Array
  readonly hangsUp: boolean
  /** Milliseconds that pass before it. */
  readonly wait: number
}

/** What several peers do, in order. */
export interface Conversation {
  readonly peers: number
  readonly happenings: ReadonlyArray<Happening>
}

const saying = (peer: number, command: string, payload: Uint8Array = new Uint8Array(0)): Happening => ({
  peer,
  command,
  payload,
  hangsUp: false,
  wait: 0
})

const UNKNOWN = ["feature", "sendtxrcncl", "filterload", "alert", "reject", "merkleblock", ""]

const RELAYS_PACKAGES = encodeMessage({
  command: "sendpackages",
  versions: PackageVersion.TRANSACTIONS | PackageVersion.ANCESTORS
})

/** Mostly a handshake as it should be. */
const handshake = (peer: number, random: Random): ReadonlyArray<Happening> => {
  const version = random.pick([70_016, 70_016, 70_015, 70_012, 31_800])
  const opening = [
    saying(peer, "version", encodeMessage({ ...usualVersion, version, relay: random.oneIn(4) ? 0 : 1 })),
    saying(peer, "wtxidrelay"),
    ...(random.oneIn(3) ? [] : [saying(peer, "sendpackages", RELAYS_PACKAGES)]),
    saying(peer, "sendaddrv2"),
    saying(peer, "verack")
  ]
  if (!random.oneIn(6)) return opening
  const changed = opening.map((each) =>
    random.oneIn(3) ? { ...each, payload: mutateBytes(each.payload, random) } : each
  )
  return random.oneIn(2) ? changed.toReversed() : changed.filter(() => !random.oneIn(4))
}

const anyHappening = (peers: number, random: Random, { messages }: Seeds): Happening => {
  const peer = random.below(peers)
  const wait = random.oneIn(10) ? random.pick([100, 2_000, 60_000, 130_000, 1_300_000]) : 0
  if (random.oneIn(40)) return { ...saying(peer, "", new Uint8Array(0)), hangsUp: true, wait }
  if (random.oneIn(60)) {
    return { peer, command: undefined, payload: random.bytes(random.below(60)), hangsUp: false, wait }
  }
  const seed = random.pick(messages)
  const payload = random.oneIn(3) ? mutateBytes(seed.payload, random, random.pick(messages).payload) : seed.payload
  return { ...saying(peer, random.oneIn(25) ? random.pick(UNKNOWN) : seed.command, payload), wait }
}

/** Peers that say what peers say, in any order, some of it damaged. */
export const anyConversation = (random: Random, seeds: Seeds): Conversation => {
  const peers = 1 + random.below(3)
  const openings = Array.from({ length: peers }, (_, peer) => handshake(peer, random)).flat()
  const rest = Array.from({ length: random.below(40) }, (): ReadonlyArray<Happening> => {
    if (!random.oneIn(12)) return [anyHappening(peers, random, seeds)]
    const peer = random.below(peers)
    return anyPackage(random, seeds).map(({ command, payload }) => saying(peer, command, payload))
  }).flat()
  return { peers, happenings: [...openings, ...rest] }
}
