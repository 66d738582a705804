import {
  type OutPoint,
  type Transaction,
  transactionId,
  transactionOf,
  witnessTransactionId
} from "@lockstep/kernel/model"
import { InventoryType } from "@lockstep/protocol/wire/inventory.ts"
import { PackageVersion } from "@lockstep/protocol/wire/messages/packages.ts"
import { PAY_TO_ANCHOR } from "../../crash/mempool/families.ts"
import type { Random } from "../../crash/random.ts"
import { framed, versionAs, wireCrypto } from "../sockets/regtest-wire.ts"
import type { Attack } from "./attack.ts"

/** Names of one message, and members of a package. */
const MOST_NAMES = 100
const MOST_MEMBERS = 25

/** Packages of a flood: an attacker may have ten under way at a time. */
const PACKAGES = 12

const many = <A>(count: number, make: (index: number) => A): ReadonlyArray<A> =>
  Array.from({ length: count }, (_, i) => make(i))

const hashes = (random: Random, count: number): ReadonlyArray<Uint8Array> =>
  many(count, () => Uint8Array.from({ length: 32 }, () => random.below(256)))

const spending = (inputs: ReadonlyArray<OutPoint>): Transaction =>
  transactionOf({
    version: 2,
    inputs: inputs.map((prevout) => ({ prevout, script: new Uint8Array(), sequence: 0xfffffffd, witness: [] })),
    outputs: [{ value: 1_000n, script: PAY_TO_ANCHOR }],
    lockTime: 0
  })

/** A child and its parents, of which none can be valid: the parents spend what does not exist. */
const invalidPackage = (random: Random): ReadonlyArray<Uint8Array> => {
  const parents = hashes(random, MOST_MEMBERS - 1).map((txid) => spending([{ txid, vout: 0 }]))
  const child = spending(parents.map((parent) => ({ txid: transactionId(parent, wireCrypto), vout: 0 })))
  const wtxids = [...parents, child].map((each) => witnessTransactionId(each, wireCrypto))
  return [
    framed({ command: "tx", transaction: child }),
    framed({ command: "ancpkginfo", wtxids }),
    framed({ command: "pkgtxns", transactions: parents })
  ]
}

/** Floods of the messages of BIP331, by peers that said that they relay packages. */
export const packageFloods = (random: Random): ReadonlyArray<Attack> => {
  const opening = [
    framed(versionAs("hostile", BigInt(random.below(2 ** 31) + 1))),
    framed({ command: "wtxidrelay" }),
    framed({ command: "sendpackages", versions: PackageVersion.TRANSACTIONS | PackageVersion.ANCESTORS }),
    framed({ command: "verack" })
  ]
  const [transaction] = hashes(random, 1).map((txid) => spending([{ txid, vout: 0 }]))
  const named = (count: number) => hashes(random, count).map((hash) => ({ type: InventoryType.ANCESTOR_PACKAGE, hash }))
  return [
    {
      what: "packages: floods of requests for what no node has",
      opening,
      flood: [
        ...many(20, () => framed({ command: "getpkgtxns", wtxids: hashes(random, MOST_NAMES) })),
        framed({ command: "getdata", inventory: named(1_000) })
      ]
    },
    {
      what: "packages: ancestors of a transaction that was not asked about",
      opening,
      flood: many(4, () => framed({ command: "ancpkginfo", wtxids: hashes(random, MOST_NAMES) }))
    },
    {
      what: "packages: transactions that were not requested",
      opening,
      flood: [framed({ command: "pkgtxns", transactions: many(MOST_NAMES, () => transaction!) })]
    },
    { what: "packages: such as never are valid", opening, flood: many(PACKAGES, () => invalidPackage(random)).flat() }
  ]
}
