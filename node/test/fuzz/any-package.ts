import { nobleCrypto } from "@lockstep/kernel/noble"
import {
  decodeTransaction,
  type Transaction,
  transactionId,
  transactionOf,
  witnessTransactionId
} from "@lockstep/kernel/model"
import { packageHash } from "@lockstep/kernel/relay"
import { mutateBytes } from "@lockstep/property-tests/fuzz/mutate/bytes.ts"
import type { Random } from "@lockstep/property-tests/fuzz/random.ts"
import type { Seeds } from "@lockstep/property-tests/fuzz/target.ts"
import type { Message } from "@lockstep/protocol/wire/codecs.ts"
import { InventoryType } from "@lockstep/protocol/wire/inventory.ts"
import { encodeMessage } from "@lockstep/protocol/wire/message.ts"
import { PAY_TO_ANCHOR } from "../crash/mempool/families.ts"

/** A message of a peer. */
export interface Said {
  readonly command: string
  readonly payload: Uint8Array
}

const anyTransaction = (random: Random, { transactions }: Seeds): Transaction => {
  for (;;) {
    const decoded = decodeTransaction(random.pick(transactions))
    if (decoded._tag === "Success") return decoded.success
  }
}

const idOf = (each: Transaction): Uint8Array => witnessTransactionId(each, nobleCrypto)

/** A standard transaction that spends an output of each parent. */
const childOf = (parents: ReadonlyArray<Transaction>, random: Random): Transaction =>
  transactionOf({
    version: 2,
    inputs: parents.map((parent) => ({
      prevout: { txid: transactionId(parent, nobleCrypto), vout: random.below(3) },
      script: new Uint8Array(0),
      sequence: 0xffff_fffd,
      witness: [random.bytes(8)]
    })),
    outputs: [{ value: 1_000n, script: PAY_TO_ANCHOR }],
    lockTime: 0
  })

/**
 * What peers say about one package (BIP331): the orphan, its ancestors' ids and transactions, requests for the same, and
 * that it is not there. Mostly in that order, some of it left out or damaged.
 */
export const anyPackage = (random: Random, seeds: Seeds): ReadonlyArray<Said> => {
  const parents = Array.from({ length: 1 + random.below(3) }, () => anyTransaction(random, seeds))
  const transaction = random.oneIn(6) ? anyTransaction(random, seeds) : childOf(parents, random)
  const wtxids = parents.map(idOf)
  const orphan = idOf(transaction)
  const messages: ReadonlyArray<Message> = [
    { command: "inv", inventory: [{ type: InventoryType.WTX, hash: orphan }] },
    { command: "tx", transaction },
    { command: "ancpkginfo", wtxids: [...wtxids, orphan] },
    { command: "pkgtxns", transactions: parents },
    { command: "getdata", inventory: [{ type: InventoryType.ANCESTOR_PACKAGE, hash: orphan }] },
    { command: "getpkgtxns", wtxids: [...wtxids, orphan] },
    {
      command: "notfound",
      inventory: [
        { type: InventoryType.ANCESTOR_PACKAGE, hash: orphan },
        { type: InventoryType.PACKAGE_TRANSACTIONS, hash: packageHash(wtxids, nobleCrypto) }
      ]
    }
  ]
  const said = messages.filter(() => !random.oneIn(5)).map((message): Said => {
    const payload = encodeMessage(message)
    return { command: message.command, payload: random.oneIn(10) ? mutateBytes(payload, random) : payload }
  })
  return random.oneIn(5) ? said.toReversed() : said
}
