import { addressKind } from "@lockstep/protocol/wire/address/address-kind.ts"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { addressText } from "../net/endpoint-text.ts"
import { JsonNumber } from "../json/json-value.ts"
import { method } from "./definition/method.ts"
import { integer, optional, optionalWith, text } from "./definition/parameter.ts"
import { Time, described } from "../answers/result-schema.ts"
import { invalidParameter } from "../queries/call-error.ts"
import { addressNetworkCalled, AddressNetworkName } from "./network/address-networks.ts"
import { Services } from "./network/known-address.ts"
import { runningNetwork } from "./network/running-network.ts"

const Address = Schema.Struct({
  time: described(Time, "When the node was last seen"),
  services: described(Services, "What it offers"),
  address: described(Schema.String, "Its address"),
  port: described(Schema.Number, "Its port"),
  network: described(AddressNetworkName, "The network it is in")
})

export const getnodeaddresses = method({
  name: "getnodeaddresses",
  category: "network",
  privilege: "anyone",
  description:
    "Answers random addresses of the addrman, without those that seem gone. They may be worth connecting to.",
  parameters: {
    count: optionalWith(integer({ description: "How many at most; 0: all" }), 1),
    network: optional(text({ description: "Only of this network: ipv4, ipv6, onion, i2p or cjdns" }))
  },
  result: Schema.Array(Address),
  examples: [{ params: [8] }, { params: [4, "onion"] }],
  call: Effect.fnUntraced(function*({ count, network: name }, node) {
    const { book } = yield* runningNetwork(node)
    if (count < 0) return yield* Effect.fail(invalidParameter("Address count out of range"))
    const kind = name === undefined ? undefined : addressNetworkCalled(name)
    if (name !== undefined && kind === undefined) {
      return yield* Effect.fail(invalidParameter(`Network not recognized: ${name}`))
    }
    const found = book.sample(count, 0, kind === undefined ? undefined : new Set([kind]))
    return found.map(({ address, port, services, time }) => ({
      time,
      services: new JsonNumber(services.toString()),
      address: addressText(address),
      port,
      network: addressKind(address) ?? "ipv4"
    }))
  })
})
