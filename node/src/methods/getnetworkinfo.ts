import { serviceNames } from "@lockstep/protocol/wire/services.ts"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { CORE_CLIENT_VERSION } from "../version.ts"
import { transportNameOf } from "../net/endpoint.ts"
import { addressText, endpointText } from "../net/endpoint-text.ts"
import type { NetworkService } from "../p2p/layer/network.ts"
import { openConnections } from "../p2p/peer/open-connections.ts"
import { amount } from "../json/number-text.ts"
import { method } from "./definition/method.ts"
import { Amount, described, Hex, optionalDescribed } from "../answers/result-schema.ts"
import { runningNetwork } from "./network/running-network.ts"
import { servicesHex } from "./network/services-hex.ts"
import { Warnings, warningsOf } from "../answers/warnings.ts"

const Reach = Schema.Struct({
  name: described(Schema.String, "The network (ipv4, ipv6, onion, i2p, cjdns)"),
  limited: described(Schema.Boolean, "Whether no node of this network is connected to"),
  reachable: described(Schema.Boolean, "Whether nodes of this network can be reached"),
  proxy: described(Schema.String, "The proxy they are reached through, or empty"),
  proxy_randomize_credentials: described(Schema.Boolean, "Whether each connection has credentials of its own there")
})

const Way = Schema.Struct({
  name: described(Schema.String, "The transport (tcp, quic, iroh)"),
  listening: described(
    Schema.Array(Schema.String),
    "Where other nodes may connect to, as they name this node; over QUIC and Iroh with its identity"
  )
})

const OwnAddress = Schema.Struct({
  address: described(Schema.String, "The address"),
  port: described(Schema.Number, "The port"),
  score: described(Schema.Number, "How many peers saw the node there")
})

const Info = Schema.Struct({
  version: described(
    Schema.Number,
    "The release of Bitcoin Core that this node matches, as one number; its own version is in subversion"
  ),
  subversion: described(Schema.String, "The user agent that the node sends to peers"),
  protocolversion: described(Schema.Number, "The version of the protocol that it speaks"),
  localservices: described(Hex, "What it offers"),
  localservicesnames: described(Schema.Array(Schema.String), "The same, by name"),
  localrelay: described(Schema.Boolean, "Whether it requests transactions from peers"),
  timeoffset: described(Schema.Number, "The median of the seconds that peers' clocks are ahead"),
  networkactive: described(Schema.Boolean, "Whether networking is switched on"),
  connections: described(Schema.Number, "Connections in all"),
  connections_in: described(Schema.Number, "Inbound connections"),
  connections_out: described(Schema.Number, "Outbound connections"),
  networks: described(Schema.Array(Reach), "Networks that nodes can be in"),
  transports: optionalDescribed(Schema.Array(Way), "Ways to other nodes, where there are others than TCP"),
  relayfee: described(
    Amount,
    "The lowest fee rate of transactions that are relayed, in BTC for a thousand virtual bytes"
  ),
  incrementalfee: described(Amount, "How much more a replacement pays at least, in the same unit"),
  localaddresses: described(Schema.Array(OwnAddress), "Where other nodes can reach this one, as far as it knows"),
  warnings: Warnings
})

/** Returns the transports of a node, or nothing if it has only TCP: its answer then has only Bitcoin Core's members. */
const transportsOf = ({ listening, transportNames }: Pick<NetworkService, "listening" | "transportNames">) =>
  transportNames.every((name) => name === "tcp") ? {} : {
    transports: transportNames.map((name) => ({
      name,
      listening: listening.filter((place) => transportNameOf(place) === name).map(endpointText)
    }))
  }

export const getnetworkinfo = method({
  name: "getnetworkinfo",
  category: "network",
  privilege: "anyone",
  description: "Answers the state of the node's networking.",
  parameters: {},
  result: Info,
  examples: [{ params: [] }],
  call: Effect.fnUntraced(function*(_, node) {
    const network = yield* runningNetwork(node)
    const { incrementalRelayFee, minRelayFee } = yield* node.chain.call("relayFees", undefined)
    const open = openConnections(network.peers)
    const inbound = open.filter((peer) => peer.inbound).length
    return {
      version: CORE_CLIENT_VERSION,
      subversion: network.userAgent,
      protocolversion: network.protocolVersion,
      localservices: servicesHex(network.services()),
      localservicesnames: serviceNames(network.services()),
      localrelay: network.relaysTransactions,
      timeoffset: network.clocks.median(),
      networkactive: network.connections.isActive(),
      connections: open.length,
      connections_in: inbound,
      connections_out: open.length - inbound,
      networks: network.reach().map(({ isIsolated, isReachable, name, proxy }) => ({
        name,
        limited: !isReachable,
        reachable: isReachable,
        proxy,
        proxy_randomize_credentials: isIsolated
      })),
      ...transportsOf(network),
      relayfee: amount(minRelayFee),
      incrementalfee: amount(incrementalRelayFee),
      localaddresses: network.ownAddresses().map(({ address, port, score }) => ({
        address: addressText(address),
        port,
        score
      })),
      warnings: warningsOf(node)
    }
  })
})
