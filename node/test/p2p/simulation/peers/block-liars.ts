import type { Transaction } from "@lockstep/kernel/model"
import { type InventoryEntry, isBlockType } from "@lockstep/protocol/wire/inventory.ts"
import type { Message } from "@lockstep/protocol/wire/codecs.ts"
import { hashKey } from "../../../../src/p2p/basics/hash-key.ts"
import { testCrypto } from "../../../engine/test-engine.ts"
import type { MadeBlock } from "../made-block.ts"
import { spendOf } from "../wallet.ts"
import { blockMessage, serve } from "./honesty.ts"
import type { Link } from "./link.ts"
import type { Behaviour, ScriptedPeer } from "./behaviour.ts"
import { sometimes } from "./sometimes.ts"

const seconds = ({ world }: ScriptedPeer): number => Math.floor(world.time.clock.now() / 1_000)

const headersMessage = (blocks: ReadonlyArray<MadeBlock>): Message => ({
  command: "headers",
  headers: blocks.map(({ node }) => node.header)
})

/** Serves what it is asked for; `instead` may say something else of a block, and answers whether it did. */
const serving =
  (instead: (self: ScriptedPeer, link: Link, block: MadeBlock) => boolean): NonNullable<Behaviour["hear"]> =>
  (self, link, message) => {
    if (message.command !== "getdata") return false
    const rest: Array<InventoryEntry> = []
    for (const entry of message.inventory) {
      const block = isBlockType(entry.type) ? self.world.ledger.find(hashKey(entry.hash)) : undefined
      if (block === undefined || !instead(self, link, block)) rest.push(entry)
    }
    if (rest.length > 0) serve(self, link, rest)
    return true
  }

interface Contents {
  readonly fees?: bigint
  readonly transactions?: ReadonlyArray<Transaction>
}

const holding = (transaction: Transaction | undefined): Contents =>
  transaction === undefined ? { fees: 1n } : { transactions: [transaction] }

/** What makes a block invalid when it is connected, or already in its place. */
const INVALIDITIES: ReadonlyArray<(self: ScriptedPeer, parent: MadeBlock) => Contents> = [
  () => ({ fees: 1n }),
  ({ world: { wallet } }, parent) => holding(wallet.spend(parent, true)),
  ({ world: { wallet } }, parent) => holding(wallet.spendAgain(parent)),
  ({ random }) => ({ transactions: [spendOf({ txid: random.bytes(32), vout: 0 }, 100_000n)] }),
  // In force only in 2106.
  ({ random }) => ({ transactions: [spendOf({ txid: random.bytes(32), vout: 0 }, 100_000n, [], 0xffffffff)] })
]

const invalidOn = (self: ScriptedPeer, parent: MadeBlock): MadeBlock => {
  const contents = INVALIDITIES[self.random.below(INVALIDITIES.length)]!(self, parent)
  return self.world.ledger.make({ parent, time: seconds(self), isInvalid: true, ...contents })
}

/** Makes branches with an invalid block in them, shows their headers and serves them. */
export const invalidBlocks = (): Behaviour => {
  const own = new Set<MadeBlock>()
  return {
    act: sometimes(12, (self, link) => {
      const { view } = self.holdings
      const back = self.random.below(3)
      let at = view.at(view.best().node.height - back)!
      const branch: Array<MadeBlock> = []
      const wrongAt = self.random.below(back + 1)
      for (let i = 0; i <= back + self.random.below(3); i++) {
        at = i === wrongAt ? invalidOn(self, at) : self.world.ledger.make({ parent: at, time: seconds(self) })
        branch.push(at)
        own.add(at)
      }
      link.say(headersMessage(branch))
    }),
    hear: serving((self, link, block) => {
      if (!own.has(block)) return false
      link.say(blockMessage(block.bytes))
      // Again, while it may not have been judged yet.
      if (self.random.below(2) === 0) {
        self.world.time.clock.after(self.random.below(50), () => link.say(blockMessage(block.bytes)))
      }
      if (block.parent!.isValid && !block.isValid) self.offend(link, "an invalid block", { block })
      return true
    })
  }
}

/** Shows headers on top of an invalid block of its own, which it pushes first without being asked. */
export const onInvalid: Behaviour = {
  act: sometimes(12, (self, link) => {
    const block = self.world.ledger.make({
      parent: self.holdings.view.best(),
      time: seconds(self),
      isInvalid: true,
      fees: 5n
    })
    link.say(blockMessage(block.bytes))
    self.offend(link, "an invalid block that was not requested", { block })
  })
}

const tampered = (bytes: Uint8Array, place: number): Uint8Array => {
  const other = bytes.slice()
  other[place]! ^= 1
  return other
}

/** From the end of a block with a coinbase alone: its lock time, and the witness before that. */
const [LOCK_TIME, WITNESS] = [2, 10]

/**
 * Serves blocks in which a bit is another, in what the merkle root commits to or in a witness: some that it has, and
 * new ones that it makes itself.
 */
export const mutating = (): Behaviour => {
  const own = new Set<MadeBlock>()
  return {
    act: sometimes(15, (self, link) => {
      const block = self.world.ledger.make({ parent: self.holdings.view.best(), time: seconds(self) })
      own.add(block)
      link.say(headersMessage([block]))
    }),
    hear: serving((self, link, block) => {
      if (!own.has(block) && (!self.holdings.view.has(block) || self.random.below(4) > 0)) return false
      const from = block.spends.size === 0 && self.random.below(2) === 0 ? WITNESS : LOCK_TIME
      link.say(blockMessage(tampered(block.bytes, block.bytes.length - from)))
      self.offend(link, "a mutated block")
      return true
    })
  }
}

/** Sends blocks on top of others that are unknown. */
export const rootless: Behaviour = {
  act: sometimes(10, (self, link) => {
    const bytes = self.holdings.view.best().bytes.slice()
    const header = new DataView(bytes.buffer)
    bytes.set(self.random.bytes(32), 4)
    do header.setUint32(76, header.getUint32(76, true) + 1, true)
    while (testCrypto.sha256d(bytes.subarray(0, 80))[31]! >= 0x7f)
    link.say(blockMessage(bytes))
    self.offend(link, "a block without a parent")
  })
}

/** Sends other blocks than those it is asked for. */
export const confusing: Behaviour = {
  hear: serving((self, link, block) => {
    const { view } = self.holdings
    if (self.random.below(2) === 0 || !view.has(block)) return false
    link.say(blockMessage(view.at(self.random.below(view.best().node.height))!.bytes))
    return true
  })
}

/** Makes valid blocks and shows their headers; sends the blocks late, or never. */
export const withholding = (): Behaviour => {
  const own = new Map<MadeBlock, boolean>()
  return {
    act: sometimes(20, (self, link) => {
      const isLate = self.random.below(2) === 0
      let at = self.holdings.view.best()
      const branch: Array<MadeBlock> = []
      for (let i = 0; i <= self.random.below(3); i++) {
        at = self.world.ledger.make({ parent: at, time: seconds(self) })
        own.set(at, isLate)
        branch.push(at)
      }
      link.say(headersMessage(branch))
    }),
    hear: serving((self, link, block) => {
      const isLate = own.get(block)
      if (isLate === undefined) return false
      if (isLate) {
        self.world.time.clock.after(5_000 + self.random.below(60_000), () => link.say(blockMessage(block.bytes)))
      }
      return true
    })
  }
}
