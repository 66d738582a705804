import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { displayHash } from "../hex.ts"
import type { QueuedTransaction } from "../p2p/private-broadcast/private-queue.ts"
import { secondsOf } from "../quantities.ts"
import { JsonBytes } from "../json/json-value.ts"
import { method } from "./definition/method.ts"
import { described, Hex, LongHex, optionalDescribed, Time } from "../answers/result-schema.ts"
import { runningPrivateBroadcast } from "./network/running-private-broadcast.ts"

const SentTo = Schema.Struct({
  address: described(Schema.String, "The address and port of the peer"),
  sent: described(Time, "When the transaction was chosen for it"),
  received: optionalDescribed(Time, "When it confirmed that it got the transaction; absent: it has not")
})

const PrivateTransactionInfo = Schema.Struct({
  txid: described(Hex, "Its txid"),
  wtxid: described(Hex, "Its wtxid"),
  hex: described(LongHex, "The transaction"),
  time_added: described(Time, "When it was added to the queue"),
  peers: described(Schema.Array(SentTo), "The peers that it was sent to")
})

const infoOf = (
  { addedAt, sends, transaction, txid, wtxid }: QueuedTransaction
): typeof PrivateTransactionInfo.Type => ({
  txid: displayHash(txid),
  wtxid: displayHash(wtxid),
  hex: new JsonBytes(transaction.bytes),
  time_added: secondsOf(addedAt),
  peers: sends.map(({ address, confirmedAt, sentAt }) => ({
    address,
    sent: secondsOf(sentAt),
    received: confirmedAt === undefined ? undefined : secondsOf(confirmedAt)
  }))
})

export const getprivatebroadcastinfo = method({
  name: "getprivatebroadcastinfo",
  category: "rawtransactions",
  privilege: "admin",
  description: "Lists the transactions that are broadcast privately and have not come back from the network.",
  parameters: {},
  result: Schema.Struct({
    transactions: described(Schema.Array(PrivateTransactionInfo), "The transactions, the oldest first")
  }),
  examples: [{ params: [] }],
  call: (_, node) => Effect.map(runningPrivateBroadcast(node), ({ all }) => ({ transactions: all().map(infoOf) }))
})
