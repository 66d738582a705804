import { headerOf } from "@lockstep/kernel/model"
import { REGTEST } from "@lockstep/protocol/networks/regtest.ts"
import { AddressNetwork } from "@lockstep/protocol/wire/address/network-address.ts"
import { FRAME_HEADER_SIZE } from "@lockstep/protocol/wire/frame.ts"
import { InventoryType } from "@lockstep/protocol/wire/inventory.ts"
import { type Random } from "../../crash/random.ts"
import { framed, framedPayload, MAGIC, versionAs, wireCrypto } from "../sockets/regtest-wire.ts"
import type { Attack } from "./attack.ts"
import { packageFloods } from "./package-floods.ts"

const GENESIS = wireCrypto.sha256d(REGTEST.genesisBlock.subarray(0, 80))
const BITS = 0x207fffff

const many = <A>(count: number, make: (index: number) => A): ReadonlyArray<A> =>
  Array.from({ length: count }, (_, i) => make(i))

const bytesOf = (random: Random, length: number): Uint8Array => Uint8Array.from({ length }, () => random.below(256))

/** The header of a frame that promises more than ever comes. */
const promising = (command: string, length: number): Uint8Array => {
  const header = framedPayload(command, new Uint8Array(0)).slice(0, FRAME_HEADER_SIZE)
  new DataView(header.buffer).setUint32(16, length, true)
  return header
}

/** Headers one after another on something unknown; with the work that the network wants where `isWorked`. */
const headersOnNothing = (random: Random, count: number, isWorked: boolean) => {
  let previous = bytesOf(random, 32)
  return many(count, () => {
    const bytes = new Uint8Array(80)
    const view = new DataView(bytes.buffer)
    view.setInt32(0, 0x20000000, true)
    bytes.set(previous, 4)
    view.setUint32(68, 1_600_000_000, true)
    view.setUint32(72, BITS, true)
    for (let nonce = 0;; nonce++) {
      view.setUint32(76, nonce, true)
      previous = wireCrypto.sha256d(bytes)
      if ((previous[31]! < 0x7f) === isWorked) break
    }
    return headerOf(bytes)
  })
}

const addresses = (random: Random) =>
  many(1_000, () => ({
    time: Math.floor(Date.now() / 1_000),
    services: 9n,
    address: { network: AddressNetwork.IPV4, bytes: Uint8Array.of(1 + random.below(126), ...bytesOf(random, 3)) },
    port: 8333
  }))

const inventory = (random: Random, type: number, count: number) =>
  many(count, () => ({ type, hash: bytesOf(random, 32) }))

/** All there are. What is random in them depends on `random` alone. */
export const attacksOf = (random: Random): ReadonlyArray<Attack> => {
  const version = framed(versionAs("hostile", BigInt(random.below(2 ** 31) + 1)))
  const hello = [version, framed({ command: "verack" })]
  const deaf = framed({
    command: "getdata",
    inventory: many(1_000, () => ({ type: InventoryType.WITNESS_BLOCK, hash: GENESIS }))
  })
  const locator = many(101, () => bytesOf(random, 32))
  const damaged = framed({ command: "ping", nonce: 1n })
  damaged[20]! ^= 1
  return [
    { what: "half-open: says nothing", opening: [], flood: [] },
    { what: "slow: a handshake of five bytes a second", opening: [], flood: hello, pace: 5 },
    {
      what: "promises 4 GB before a handshake",
      opening: [promising("version", 0xffff_ffff)],
      flood: [new Uint8Array(256)]
    },
    {
      what: "promises the largest handshake message and takes its time",
      opening: [promising("version", 4_000_000)],
      flood: [new Uint8Array(8)],
      pace: 8
    },
    {
      what: "promises the largest block and takes its time",
      opening: [...hello, promising("block", 4_000_000)],
      flood: [new Uint8Array(1_000)]
    },
    {
      what: "promises 4 GB after a handshake",
      opening: [...hello, promising("tx", 0xffff_ffff)],
      flood: [new Uint8Array(256)]
    },
    { what: "half-open: the first bytes of a key", opening: [bytesOf(random, 20)], flood: [] },
    { what: "half-open: a key, and nothing behind it", opening: [bytesOf(random, 64)], flood: [] },
    {
      what: "slow: garbage that does not end, of the encrypted transport",
      opening: [bytesOf(random, 64)],
      flood: [bytesOf(random, 8)],
      pace: 64
    },
    { what: "keys again and again", opening: [bytesOf(random, 64)], flood: [], leaves: true },
    { what: "garbage instead of a handshake", opening: [bytesOf(random, 300)], flood: [bytesOf(random, 1_000)] },
    {
      what: "garbage after a handshake",
      opening: hello,
      flood: [framed({ command: "ping", nonce: 1n }), bytesOf(random, 500)]
    },
    {
      what: "floods of inv",
      opening: hello,
      flood: [
        framed({ command: "inv", inventory: inventory(random, InventoryType.TX, 50_000) }),
        ...many(20, () => framed({ command: "inv", inventory: inventory(random, InventoryType.BLOCK, 20) })),
        ...many(20, () => framed({ command: "inv", inventory: inventory(random, InventoryType.WTX, 500) }))
      ]
    },
    {
      what: "floods of addr",
      opening: hello,
      flood: many(4, () => framed({ command: "addr", addresses: addresses(random) }))
    },
    {
      what: "floods of getdata for what no node has",
      opening: hello,
      flood: [
        framed({ command: "getdata", inventory: inventory(random, InventoryType.WITNESS_TX, 50_000) }),
        ...many(
          20,
          () => framed({ command: "getdata", inventory: inventory(random, InventoryType.WITNESS_BLOCK, 500) })
        )
      ]
    },
    {
      what: "floods of filters: the largest there can be, elements, filtered blocks, the mempool, filters of blocks",
      opening: hello,
      flood: [
        framed({
          command: "filterload",
          filter: new Uint8Array(36_000).fill(255),
          hashFunctions: 50,
          tweak: 0,
          flags: 1
        }),
        ...many(20, () => framed({ command: "filteradd", data: bytesOf(random, 520) })),
        framed({
          command: "getdata",
          inventory: many(1_000, () => ({ type: InventoryType.FILTERED_BLOCK, hash: GENESIS }))
        }),
        framed({ command: "mempool" }),
        ...many(5, () => framed({ command: "getcfilters", filterType: 0, startHeight: 0, stop: GENESIS })),
        ...many(5, () => framed({ command: "getcfheaders", filterType: 0, startHeight: 0, stop: GENESIS })),
        framed({ command: "getcfcheckpt", filterType: 0, stop: GENESIS }),
        framed({ command: "filterclear" })
      ]
    },
    {
      what: "compact blocks without work, their transactions, and requests for those of others",
      opening: [...hello, framed({ command: "sendcmpct", announce: true, version: 2n })],
      flood: headersOnNothing(random, 4, true).flatMap((header) => [
        framed({
          command: "cmpctblock",
          header,
          nonce: BigInt(random.below(2 ** 31)),
          shortIds: many(2_000, () => random.below(2 ** 31)),
          prefilled: []
        }),
        framed({ command: "blocktxn", block: bytesOf(random, 32), transactions: [] }),
        framed({ command: "getblocktxn", block: GENESIS, indexes: many(1, (i) => i) })
      ])
    },
    {
      what: "a filter of another form than any",
      opening: hello,
      flood: [
        framed({ command: "filterload", filter: new Uint8Array(0), hashFunctions: 0xffff_ffff, tweak: 7, flags: 255 })
      ],
      leaves: true
    },
    { what: "asks for blocks and reads none", opening: hello, flood: [deaf], isDeaf: true },
    {
      what: "floods of headers that stand on nothing",
      opening: hello,
      flood: many(4, () => framed({ command: "headers", headers: headersOnNothing(random, 2_000, true) }))
    },
    {
      what: "headers without work",
      opening: hello,
      flood: [framed({ command: "headers", headers: headersOnNothing(random, 2_000, false) })]
    },
    {
      what: "floods of locators",
      opening: hello,
      flood: [
        framed({ command: "getheaders", version: 70_016, locator, stop: new Uint8Array(32) }),
        framed({ command: "getblocks", version: 70_016, locator: [GENESIS], stop: new Uint8Array(32) })
      ]
    },
    {
      what: "small messages: pings, unknown ones, wrong checksums, more handshakes",
      opening: hello,
      flood: [
        framed({ command: "ping", nonce: 7n }),
        framedPayload("nonsense", bytesOf(random, 10)),
        damaged,
        version,
        framed({ command: "getaddr" }),
        framed({ command: "mempool" }),
        framedPayload("tx", bytesOf(random, 100))
      ]
    },
    ...packageFloods(random),
    { what: "comes and goes", opening: [MAGIC], flood: [], leaves: true }
  ]
}
