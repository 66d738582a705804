import { headerOf, transactionOf } from "@lockstep/kernel/model"
import fc, { type Arbitrary } from "fast-check"
import type { KnownAddress } from "../../src/wire/messages/addr.ts"
import type { Message } from "../../src/wire/codecs.ts"
import type { NetworkAddress } from "../../src/wire/address/network-address.ts"

const bytes = (length: number): Arbitrary<Uint8Array> => fc.uint8Array({ minLength: length, maxLength: length })
const hash = bytes(32)
const uint8 = fc.nat(0xff)
const uint16 = fc.nat(0xffff)
const uint32 = fc.nat(0xffffffff)
const int32 = fc.integer({ min: -0x80000000, max: 0x7fffffff })
const uint64 = fc.oneof(
  fc.bigInt(0n, 0xffff_ffff_ffff_ffffn),
  fc.constantFrom(0n, 252n, 253n, 0xffffn, 0x10000n, 0xffff_ffffn, 0x1_0000_0000n)
)
const int64 = fc.bigInt(-(2n ** 63n), 2n ** 63n - 1n)
const list = <A>(arbitrary: Arbitrary<A>, maxLength: number = 6): Arbitrary<Array<A>> =>
  fc.array(arbitrary, { maxLength })

const transaction = fc
  .record({
    version: uint32,
    inputs: fc.array(
      fc.record({
        prevout: fc.record({ txid: hash, vout: uint32 }),
        script: fc.uint8Array({ maxLength: 300 }),
        sequence: uint32,
        witness: list(fc.uint8Array({ maxLength: 40 }), 3)
      }),
      { minLength: 1, maxLength: 3 }
    ),
    outputs: list(fc.record({ value: int64, script: fc.uint8Array({ maxLength: 40 }) }), 3),
    lockTime: uint32
  })
  .map(transactionOf)

const header = bytes(80).map(headerOf)

const ip: Arbitrary<NetworkAddress> = fc.oneof(
  bytes(4).map((each) => ({ network: 1, bytes: each })),
  bytes(16).map((each) => ({ network: 2, bytes: Uint8Array.of(0x20, ...each.subarray(1)) }))
)
const anyAddress: Arbitrary<NetworkAddress> = fc.oneof(
  ip,
  bytes(32).map((each) => ({ network: 4, bytes: each })),
  bytes(32).map((each) => ({ network: 5, bytes: each })),
  bytes(16).map((each) => ({ network: 6, bytes: each })),
  fc.record({ network: fc.constantFrom(0, 3, 7, 99, 255), bytes: fc.uint8Array({ maxLength: 512 }) })
)
const known = (address: Arbitrary<NetworkAddress>): Arbitrary<KnownAddress> =>
  fc.record({ time: uint32, services: uint64, address, port: uint16 })
const versionAddress = fc.record({ services: uint64, address: ip, port: uint16 })

const entry = fc.record({ type: fc.oneof(fc.constantFrom(1, 2, 4, 5, 0x40000001, 0x40000002), uint32), hash })
const ascending = fc.uniqueArray(uint16, { maxLength: 8 }).map((indexes) => indexes.sort((a, b) => a - b))

const versionMessage = fc
  .record({
    version: int32,
    services: uint64,
    time: int64,
    receiver: versionAddress,
    sender: fc.record({ from: versionAddress, nonce: uint64 }),
    userAgent: fc.uint8Array({ maxLength: 256 }),
    startHeight: int32,
    relay: uint8,
    fields: fc.nat(4)
  })
  .map(({ fields, relay, sender, startHeight, userAgent, ...always }) => ({
    command: "version" as const,
    ...always,
    sender: fields > 0 ? sender : undefined,
    userAgent: fields > 1 ? userAgent : undefined,
    startHeight: fields > 2 ? startHeight : undefined,
    relay: fields > 3 ? relay : undefined
  }))

const range = { filterType: uint8, startHeight: uint32, stop: hash }
const locating = { version: uint32, locator: fc.array(hash, { maxLength: 101 }), stop: hash }
const inventory = { inventory: list(entry, 40) }

/** A message of every command; its numbers and bytes are anything its type allows. */
export const MESSAGES: { readonly [C in Message["command"]]: Arbitrary<Extract<Message, { readonly command: C }>> } = {
  version: versionMessage,
  verack: fc.constant({ command: "verack" }),
  addr: fc.record({ command: fc.constant("addr"), addresses: list(known(ip)) }),
  addrv2: fc.record({ command: fc.constant("addrv2"), addresses: list(known(anyAddress)) }),
  getaddr: fc.constant({ command: "getaddr" }),
  sendaddrv2: fc.constant({ command: "sendaddrv2" }),
  inv: fc.record({ command: fc.constant("inv"), ...inventory }),
  getdata: fc.record({ command: fc.constant("getdata"), ...inventory }),
  notfound: fc.record({ command: fc.constant("notfound"), ...inventory }),
  block: fc
    .uint8Array({ minLength: 80, maxLength: 200 })
    .map((all) => ({ command: "block", header: headerOf(all.subarray(0, 80)), bytes: all })),
  tx: fc.record({ command: fc.constant("tx"), transaction }),
  dandeliontx: fc.record({ command: fc.constant("dandeliontx"), transaction }),
  wtxidrelay: fc.constant({ command: "wtxidrelay" }),
  getheaders: fc.record({ command: fc.constant("getheaders"), ...locating }),
  headers: fc.record({ command: fc.constant("headers"), headers: list(header) }),
  getblocks: fc.record({ command: fc.constant("getblocks"), ...locating }),
  sendheaders: fc.constant({ command: "sendheaders" }),
  ping: fc.record({ command: fc.constant("ping"), nonce: fc.option(uint64, { nil: undefined }) }),
  pong: fc.record({ command: fc.constant("pong"), nonce: uint64 }),
  mempool: fc.constant({ command: "mempool" }),
  feefilter: fc.record({ command: fc.constant("feefilter"), feerate: int64 }),
  feature: fc.record({
    command: fc.constant("feature"),
    id: fc.uint8Array({ minLength: 4, maxLength: 80 }),
    data: fc.uint8Array({ maxLength: 512 })
  }),
  sendcmpct: fc.record({ command: fc.constant("sendcmpct"), announce: fc.boolean(), version: uint64 }),
  cmpctblock: fc.record({
    command: fc.constant("cmpctblock"),
    header,
    nonce: uint64,
    shortIds: list(fc.nat(0xffff_ffff_ffff), 10),
    prefilled: ascending.chain((indexes) =>
      fc.tuple(...indexes.map((index) => fc.record({ index: fc.constant(index), transaction })))
    )
  }),
  getblocktxn: fc.record({ command: fc.constant("getblocktxn"), block: hash, indexes: ascending }),
  blocktxn: fc.record({ command: fc.constant("blocktxn"), block: hash, transactions: list(transaction, 3) }),
  getcfilters: fc.record({ command: fc.constant("getcfilters"), ...range }),
  cfilter: fc.record({
    command: fc.constant("cfilter"),
    filterType: uint8,
    block: hash,
    filter: fc.uint8Array({ maxLength: 300 })
  }),
  getcfheaders: fc.record({ command: fc.constant("getcfheaders"), ...range }),
  cfheaders: fc.record({
    command: fc.constant("cfheaders"),
    filterType: uint8,
    stop: hash,
    previous: hash,
    filterHashes: list(hash)
  }),
  getcfcheckpt: fc.record({ command: fc.constant("getcfcheckpt"), filterType: uint8, stop: hash }),
  cfcheckpt: fc.record({ command: fc.constant("cfcheckpt"), filterType: uint8, stop: hash, filterHeaders: list(hash) }),
  filterload: fc.record({
    command: fc.constant("filterload"),
    filter: fc.uint8Array({ maxLength: 300 }),
    hashFunctions: uint32,
    tweak: uint32,
    flags: uint8
  }),
  filteradd: fc.record({ command: fc.constant("filteradd"), data: fc.uint8Array({ maxLength: 600 }) }),
  filterclear: fc.constant({ command: "filterclear" }),
  merkleblock: fc.record({
    command: fc.constant("merkleblock"),
    header: bytes(80),
    transactions: uint32,
    hashes: list(hash),
    bits: fc.uint8Array({ maxLength: 40 })
  }),
  sendpackages: fc.record({ command: fc.constant("sendpackages"), versions: uint64 }),
  ancpkginfo: fc.record({ command: fc.constant("ancpkginfo"), wtxids: list(hash, 100) }),
  getpkgtxns: fc.record({ command: fc.constant("getpkgtxns"), wtxids: list(hash, 100) }),
  pkgtxns: fc.record({ command: fc.constant("pkgtxns"), transactions: list(transaction, 5) }),
  sendtxrcncl: fc.record({
    command: fc.constant("sendtxrcncl"),
    version: fc.nat({ max: 0xffff_ffff }),
    salt: uint64
  })
}

/** Any message. */
export const anyMessage: Arbitrary<Message> = fc.oneof(
  ...(Object.values(MESSAGES) as ReadonlyArray<Arbitrary<Message>>)
)
