import { AddressNetwork } from "@lockstep/protocol/wire/address/network-address.ts"
import { InventoryType } from "@lockstep/protocol/wire/inventory.ts"
import { DEFAULT_LIMITS } from "@lockstep/protocol/wire/limits.ts"
import { spendOf } from "../wallet.ts"
import type { Link } from "./link.ts"
import type { Behaviour, ScriptedPeer } from "./scripted-peer.ts"
import { sometimes } from "./sometimes.ts"

const many = <A>(count: number, make: (i: number) => A): ReadonlyArray<A> => Array.from({ length: count }, (_, i) => make(i))

/** Says that it has transactions which do not exist. */
export const inventoryFlood: Behaviour = {
  act: sometimes(3, ({ chance }, link) => {
    if (link.hello?.relay === 0) return
    const type = link.namesWitnesses ? InventoryType.WTX : InventoryType.TX
    const count = chance.below(20) === 0 ? 4_000 : 1 + chance.below(300)
    link.say({ command: "inv", inventory: many(count, () => ({ type, hash: chance.bytes(32) })) })
  })
}

/** Says that it has blocks which do not exist. */
export const blockInventoryFlood: Behaviour = {
  act: sometimes(3, ({ chance }, link) =>
    link.say({ command: "inv", inventory: many(1 + chance.below(500), () => ({ type: InventoryType.BLOCK, hash: chance.bytes(32) })) }))
}

/** Tells of nodes that do not exist. */
export const addressFlood: Behaviour = {
  act: sometimes(3, ({ chance, world }, link) =>
    link.say({
      command: "addr",
      addresses: many(1 + chance.below(200), () => ({
        time: Math.floor(world.time.clock.now() / 1_000) - chance.below(10_000),
        services: 9n,
        address: { network: AddressNetwork.IPV4, bytes: Uint8Array.of(60 + chance.below(100), chance.below(256), chance.below(256), 7) },
        port: 18_444
      }))
    }))
}

/** Asks for everything, again and again, and reads the answers. */
export const requestFlood: Behaviour = {
  act: ({ chance, holdings: { view } }, link) => {
    const any = () => view.at(chance.below(view.best().node.height + 1))!.node.hash
    const entries = many(1 + chance.below(40), () => ({
      type: [InventoryType.WITNESS_BLOCK, InventoryType.BLOCK, InventoryType.WTX, InventoryType.COMPACT_BLOCK, 77][chance.below(5)]!,
      hash: chance.below(3) === 0 ? chance.bytes(32) : any()
    }))
    link.say({ command: "getdata", inventory: entries })
    for (const command of ["getheaders", "getblocks"] as const) {
      link.say({ command, version: 70_016, locator: many(1 + chance.below(100), any), stop: new Uint8Array(32) })
    }
    link.say({ command: "getaddr" })
    for (let i = 0; i < 20; i++) link.say({ command: "ping", nonce: BigInt(i) })
    if (chance.below(100) === 0) link.say({ command: "mempool" })
  },
  // It asked for blocks in every form.
  hear: (_self, _link, { command }) => command === "block"
}

/** Sends transactions that spend what nobody has, some of them one after another. */
export const transactionFlood: Behaviour = {
  act: ({ chance }, link) => {
    if (link.hello?.relay === 0) return
    for (let i = 0; i < chance.below(20); i++) {
      link.say({ command: "tx", transaction: spendOf({ txid: chance.bytes(32), vout: 0 }, 100_000n) })
    }
  }
}

const entriesOf = (count: number) => many(count, () => ({ type: InventoryType.BLOCK, hash: new Uint8Array(32) }))

/** Each is more than one message may hold. */
const EXCESSES: ReadonlyArray<readonly [what: string, say: (self: ScriptedPeer, link: Link) => void]> = [
  ["too long an inventory", (_self, link) => link.say({ command: "inv", inventory: entriesOf(DEFAULT_LIMITS.inventory + 1) })],
  ["too long a request", (_self, link) => link.say({ command: "getdata", inventory: entriesOf(DEFAULT_LIMITS.inventory + 1) })],
  ["too many headers", ({ holdings: { view } }, link) => {
    const { header } = view.best().node
    link.say({ command: "headers", headers: many(DEFAULT_LIMITS.headers + 1, () => header) })
  }],
  ["too many addresses", (_self, link) => {
    const address = { network: AddressNetwork.IPV4, bytes: Uint8Array.of(60, 1, 1, 1) }
    link.say({ command: "addr", addresses: many(DEFAULT_LIMITS.addresses + 1, () => ({ time: 0, services: 0n, address, port: 1 })) })
  }]
]

/** Sends messages with more in them than is allowed. */
export const excessive: Behaviour = {
  act: sometimes(8, (self, link) => {
    const [what, say] = EXCESSES[self.chance.below(EXCESSES.length)]!
    say(self, link)
    self.offend(link, what)
  })
}
