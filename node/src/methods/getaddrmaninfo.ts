import { addressKind } from "@lockstep/protocol/wire/address/address-kind.ts"
import * as Schema from "effect/Schema"
import type { AddressBook } from "../p2p/addresses/address-book.ts"
import { method } from "./definition/method.ts"
import { described } from "../answers/result-schema.ts"
import { ADDRESS_NETWORKS } from "./network/address-networks.ts"
import { fromNetwork } from "./network/running-network.ts"

const Counts = Schema.Struct({
  new: described(Schema.Number, "Addresses in the new buckets"),
  tried: described(Schema.Number, "Addresses in the tried buckets"),
  total: described(Schema.Number, "Both")
})

const countsOf = (nodes: AddressBook["table"]["list"]): typeof Counts.Type => {
  const tried = nodes.filter(({ isTried }) => isTried).length
  return { new: nodes.length - tried, tried, total: nodes.length }
}

export const getaddrmaninfo = method({
  name: "getaddrmaninfo",
  category: "network",
  privilege: "anyone",
  description: "Answers how many addresses the addrman holds, by network.",
  parameters: {},
  result: Schema.Record(Schema.String, Counts),
  examples: [{ params: [] }],
  call: (_, node) =>
    fromNetwork(node, ({ book: { table: { list } } }) => ({
      ...Object.fromEntries(
        ADDRESS_NETWORKS.map((name) => [name, countsOf(list.filter(({ address }) => addressKind(address) === name))])
      ),
      all_networks: countsOf(list)
    }))
})
