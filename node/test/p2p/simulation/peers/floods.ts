import { AddressNetwork } from "@lockstep/protocol/wire/address/network-address.ts"
import { InventoryType } from "@lockstep/protocol/wire/inventory.ts"
import { DEFAULT_LIMITS } from "@lockstep/protocol/wire/limits.ts"
import { spendOf } from "../wallet.ts"
import type { Link } from "./link.ts"
import type { Behaviour, ScriptedPeer } from "./behaviour.ts"
import { sometimes } from "./sometimes.ts"

const many = <A>(count: number, make: (i: number) => A): ReadonlyArray<A> =>
  Array.from({ length: count }, (_, i) => make(i))

/** Says that it has transactions which do not exist. */
export const inventoryFlood: Behaviour = {
  act: sometimes(3, ({ random }, link) => {
    if (link.hello?.relay === 0) return
    const type = link.namesWitnesses ? InventoryType.WTX : InventoryType.TX
    const count = random.below(20) === 0 ? 4_000 : 1 + random.below(300)
    link.say({ command: "inv", inventory: many(count, () => ({ type, hash: random.bytes(32) })) })
  })
}

/** Says that it has blocks which do not exist. */
export const blockInventoryFlood: Behaviour = {
  act: sometimes(
    3,
    ({ random }, link) =>
      link.say({
        command: "inv",
        inventory: many(1 + random.below(500), () => ({ type: InventoryType.BLOCK, hash: random.bytes(32) }))
      })
  )
}

/** Reports nodes that do not exist. */
export const addressFlood: Behaviour = {
  act: sometimes(3, ({ random, world }, link) =>
    link.say({
      command: "addr",
      addresses: many(1 + random.below(200), () => ({
        time: Math.floor(world.time.clock.now() / 1_000) - random.below(10_000),
        services: 9n,
        address: {
          network: AddressNetwork.IPV4,
          bytes: Uint8Array.of(60 + random.below(100), random.below(256), random.below(256), 7)
        },
        port: 18_444
      }))
    }))
}

/** Asks for everything, again and again, and reads the answers. */
export const requestFlood: Behaviour = {
  act: ({ random, holdings: { view } }, link) => {
    const any = () => view.at(random.below(view.best().node.height + 1))!.node.hash
    const entries = many(1 + random.below(40), () => ({
      type: [
        InventoryType.WITNESS_BLOCK,
        InventoryType.BLOCK,
        InventoryType.WTX,
        InventoryType.COMPACT_BLOCK,
        77
      ][random.below(5)]!,
      hash: random.below(3) === 0 ? random.bytes(32) : any()
    }))
    link.say({ command: "getdata", inventory: entries })
    for (const command of ["getheaders", "getblocks"] as const) {
      link.say({ command, version: 70_016, locator: many(1 + random.below(100), any), stop: new Uint8Array(32) })
    }
    link.say({ command: "getaddr" })
    for (let i = 0; i < 20; i++) link.say({ command: "ping", nonce: BigInt(i) })
    if (random.below(100) === 0) link.say({ command: "mempool" })
  },
  // It asked for blocks in every form.
  hear: (_self, _link, { command }) => command === "block"
}

/** Sends transactions that spend coins that do not exist, some of them one after another. */
export const transactionFlood: Behaviour = {
  act: ({ random }, link) => {
    if (link.hello?.relay === 0) return
    for (let i = 0; i < random.below(20); i++) {
      link.say({ command: "tx", transaction: spendOf({ txid: random.bytes(32), vout: 0 }, 100_000n) })
    }
  }
}

const entriesOf = (count: number) => many(count, () => ({ type: InventoryType.BLOCK, hash: new Uint8Array(32) }))

/** Each is more than one message may hold. */
const EXCESSES: ReadonlyArray<readonly [what: string, say: (self: ScriptedPeer, link: Link) => void]> = [
  [
    "too long an inventory",
    (_self, link) => link.say({ command: "inv", inventory: entriesOf(DEFAULT_LIMITS.inventory + 1) })
  ],
  [
    "too long a request",
    (_self, link) => link.say({ command: "getdata", inventory: entriesOf(DEFAULT_LIMITS.inventory + 1) })
  ],
  ["too many headers", ({ holdings: { view } }, link) => {
    const { header } = view.best().node
    link.say({ command: "headers", headers: many(DEFAULT_LIMITS.headers + 1, () => header) })
  }],
  ["too many addresses", (_self, link) => {
    const address = { network: AddressNetwork.IPV4, bytes: Uint8Array.of(60, 1, 1, 1) }
    link.say({
      command: "addr",
      addresses: many(DEFAULT_LIMITS.addresses + 1, () => ({ time: 0, services: 0n, address, port: 1 }))
    })
  }]
]

/** Sends messages with more in them than is allowed. */
export const excessive: Behaviour = {
  act: sometimes(8, (self, link) => {
    const [what, say] = EXCESSES[self.random.below(EXCESSES.length)]!
    say(self, link)
    self.offend(link, what)
  })
}
