import { type Header, headerOf } from "@lockstep/kernel/model"
import { REGTEST } from "@lockstep/protocol/networks/regtest.ts"
import { assembleBlock } from "../../../../src/engine/mining/block-assembly.ts"
import { testCrypto } from "../../../engine/test-engine.ts"
import { OP_TRUE_SCRIPT } from "../base-chain.ts"
import { grind, type MadeBlock } from "../made-block.ts"
import type { Behaviour, ScriptedPeer } from "./behaviour.ts"
import { sometimes } from "./sometimes.ts"

const now = ({ world }: ScriptedPeer): number => Math.floor(world.time.clock.now() / 1_000)

/** A header on top of a block, with a time and with or without enough work. */
const headerOn = (
  parent: MadeBlock,
  time: number,
  isEnough = true,
  change: (bytes: Uint8Array) => void = () => {}
): Header => {
  const contents = { script: OP_TRUE_SCRIPT, transactions: [], fees: 0n, now: time, version: 0x20000000 }
  const block = assembleBlock(parent.node, contents, REGTEST.parameters, testCrypto)
  change(block.bytes)
  return grind({ ...block, header: headerOf(block.bytes.subarray(0, 80)) }, isEnough).header
}

/** So many headers one on another, whose blocks do not exist. */
const barren = (parent: Header, count: number, salt: number): ReadonlyArray<Header> => {
  const headers: Array<Header> = []
  for (let i = 0, before = parent; i < count; i++) {
    const bytes = new Uint8Array(80)
    const view = new DataView(bytes.buffer)
    view.setInt32(0, 0x20000000, true)
    bytes.set(testCrypto.sha256d(before.bytes), 4)
    view.setUint32(36, salt, true)
    view.setUint32(68, before.time + 1, true)
    view.setUint32(72, 0x207fffff, true)
    // Half of all hashes are enough.
    do view.setUint32(76, view.getUint32(76, true) + 1, true)
    while (testCrypto.sha256d(bytes)[31]! >= 0x7f)
    before = headerOf(bytes)
    headers.push(before)
  }
  return headers
}

/** Shows a header whose hash is too high. */
export const withoutWork: Behaviour = {
  act: sometimes(8, (self, link) => {
    link.say({ command: "headers", headers: [headerOn(self.holdings.view.best(), now(self), false)] })
    self.offend(link, "a header without work")
  })
}

/** Shows headers that do not stand on each other. */
export const unconnected: Behaviour = {
  act: sometimes(8, (self, link) => {
    const { view } = self.holdings
    const [one, other] = [view.best().node, view.at(view.best().node.height - 3)!.node]
    link.say({ command: "headers", headers: [one.header, other.header] })
    self.offend(link, "headers that do not hang together")
  })
}

/** Shows a header that is older than the median of those before it. */
export const tooOld: Behaviour = {
  act: sometimes(8, (self, link) => {
    const parent = self.holdings.view.best()
    const early = (bytes: Uint8Array): void => {
      new DataView(bytes.buffer, bytes.byteOffset).setUint32(68, parent.node.header.time - 86_400, true)
    }
    link.say({ command: "headers", headers: [headerOn(parent, now(self), true, early)] })
    self.offend(link, "a header from the past")
  })
}

/** Shows headers from tomorrow, which is no misbehavior. */
export const fromTheFuture: Behaviour = {
  act: sometimes(8, (self, link) => {
    link.say({ command: "headers", headers: [headerOn(self.holdings.view.best(), now(self) + 10_000)] })
  })
}

/** Shows chains without work, again and again. */
export const withLittleWork: Behaviour = {
  act: sometimes(3, (self, link) => {
    const genesis = self.world.ledger.base[0]!.node.header
    const isLong = self.world.plan.base > 2_000 && self.random.below(4) === 0
    const count = isLong ? 2_000 : 1 + self.random.below(Math.min(60, self.world.plan.base - 20))
    link.say({ command: "headers", headers: barren(genesis, count, self.random.below(2 ** 32)) })
  })
}

/** Says again what everybody knows. */
export const repeating: Behaviour = {
  act: sometimes(2, (self, link) => {
    const { view } = self.holdings
    const from = self.random.below(view.best().node.height)
    const headers = [...Array(Math.min(2_000, view.best().node.height - from)).keys()].map((i) =>
      view.at(from + 1 + i)!.node.header
    )
    for (let i = 0; i < 5; i++) link.say({ command: "headers", headers })
  })
}
