import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { displayHash, hexOf } from "../hex.ts"
import type { Orphan } from "../p2p/relay/orphanage/orphanage.ts"
import { method } from "./definition/method.ts"
import { optionalWith, verbosity } from "./definition/parameter.ts"
import { described, Hex, LongHex, variant } from "../answers/result-schema.ts"
import { invalidParameter } from "../queries/call-error.ts"
import { runningNetwork } from "./network/running-network.ts"

const fields = {
  txid: described(Hex, "Its txid"),
  wtxid: described(Hex, "Its wtxid"),
  bytes: described(Schema.Number, "The bytes of its serialization with witness"),
  vsize: described(Schema.Number, "Its virtual size: a quarter of its weight, rounded up"),
  weight: described(Schema.Number, "Its weight"),
  from: described(Schema.Array(Schema.Number), "The numbers of the peers that sent or announced it")
}

const OrphanInfo = Schema.Struct(fields)
const OrphanWithBytes = Schema.Struct({ ...fields, hex: described(LongHex, "The transaction") })

const infoOf = ({ announcers, transaction }: Orphan): typeof OrphanInfo.Type => ({
  txid: displayHash(transaction.txid),
  wtxid: displayHash(transaction.wtxid),
  bytes: transaction.bytes.length,
  vsize: Math.ceil(transaction.weight / 4),
  weight: transaction.weight,
  from: [...announcers].toSorted((a, b) => a - b)
})

export const getorphantxs = method({
  name: "getorphantxs",
  category: "network",
  isHidden: true,
  privilege: "anyone",
  description: "Lists the orphanage: transactions of peers whose parents are missing.",
  parameters: {
    verbosity: optionalWith(
      verbosity({
        description: "How much to answer: txids (0), descriptions (1), their bytes as well (2)",
        onlyNumbers: true
      }),
      0
    )
  },
  result: Schema.Union([
    variant("verbosity=0", Schema.Array(Hex)),
    variant("verbosity=1", Schema.Array(OrphanInfo)),
    variant("verbosity=2", Schema.Array(OrphanWithBytes))
  ]),
  examples: [{ params: [] }, { params: [1] }],
  call: Effect.fnUntraced(function*({ verbosity: level }, node) {
    const orphans = (yield* runningNetwork(node)).orphans()
    switch (level) {
      case 0:
        return orphans.map(({ transaction }) => displayHash(transaction.txid))
      case 1:
        return orphans.map(infoOf)
      case 2:
        return orphans.map((orphan) => ({ ...infoOf(orphan), hex: hexOf(orphan.transaction.bytes) }))
      default:
        return yield* Effect.fail(invalidParameter(`Invalid verbosity value ${level}`))
    }
  })
})
