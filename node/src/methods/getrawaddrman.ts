import type { NetworkAddress } from "@lockstep/protocol/wire/address/network-address.ts"
import * as Schema from "effect/Schema"
import type { NetGroups } from "../net/net-groups.ts"
import { addressText, networkName } from "../net/endpoint-text.ts"
import { occupiedSlots } from "../p2p/addresses/table/occupied-slots.ts"
import type { KnownNode } from "../p2p/addresses/table/known-node.ts"
import { JsonNumber } from "../json/json-value.ts"
import { method } from "./definition/method.ts"
import { described, optionalDescribed, Time } from "../answers/result-schema.ts"
import { Services } from "./network/known-address.ts"
import { fromNetwork } from "./network/running-network.ts"

const Entry = Schema.Struct({
  address: described(Schema.String, "The address of the node"),
  mapped_as: optionalDescribed(Schema.Number, "The autonomous system that routes it, where there is a map"),
  port: described(Schema.Number, "Its port"),
  services: described(Services, "What it offers"),
  time: described(Time, "When the node was last seen"),
  network: described(Schema.String, "The network it is in"),
  source: described(Schema.String, "The node or name server that the address came from"),
  source_network: described(Schema.String, "The network that is in"),
  source_mapped_as: optionalDescribed(Schema.Number, "The autonomous system that routes that one")
})

const Table = Schema.Record(Schema.String, Entry)

const placeText = (address: NetworkAddress) => ({ text: addressText(address), network: networkName(address) })

const entryOf = (
  { address, port, services, source, time }: KnownNode,
  groups: NetGroups
): typeof Entry.Type => ({
  address: placeText(address).text,
  mapped_as: groups.asn(address),
  port,
  services: new JsonNumber(services.toString()),
  time,
  network: placeText(address).network,
  source: placeText(source).text,
  source_network: placeText(source).network,
  source_mapped_as: groups.asn(source)
})

export const getrawaddrman = method({
  name: "getrawaddrman",
  category: "network",
  isHidden: true,
  privilege: "anyone",
  description: "Answers the addresses of the addrman by bucket and place. An address may be in several new buckets.",
  parameters: {},
  result: Schema.Struct({
    new: described(Table, "Addresses that no connection was made to yet, by bucket/place"),
    tried: described(Table, "Those that one was made to")
  }),
  examples: [{ params: [] }],
  call: (_, node) =>
    fromNetwork(node, ({ book: { table }, groups }) => {
      const tableOf = (slots: typeof table.fresh) =>
        Object.fromEntries(
          occupiedSlots(slots).map(({ bucket, node: known, place }) => [`${bucket}/${place}`, entryOf(known, groups)])
        )
      return { new: tableOf(table.fresh), tried: tableOf(table.tried) }
    })
})
