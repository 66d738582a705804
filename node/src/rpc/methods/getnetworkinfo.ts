import { serviceNames } from "@lockstep/protocol/wire/services.ts"
import * as Schema from "effect/Schema"
import { version } from "../../cli/node-version.ts"
import { MIN_RELAY_RATE, RATE_STEP } from "../../engine/pool/pool-limits.ts"
import { addressText } from "../../p2p/endpoint/endpoint-text.ts"
import { amount } from "../json/number-text.ts"
import { method } from "../method/method.ts"
import { Amount, Hex, told } from "../method/result-schema.ts"
import { fromNetwork } from "./running-network.ts"
import { servicesHex } from "./services-hex.ts"
import { warningsOf } from "./warnings.ts"

const Reach = Schema.Struct({
  name: told(Schema.String, "ipv4, ipv6, onion, i2p or cjdns"),
  limited: told(Schema.Boolean, "Whether no node of this network is connected to"),
  reachable: told(Schema.Boolean, "Whether nodes of this network can be reached"),
  proxy: told(Schema.String, "The proxy they are reached through, or empty"),
  proxy_randomize_credentials: told(Schema.Boolean, "Whether each connection has credentials of its own there")
})

const OwnAddress = Schema.Struct({
  address: told(Schema.String, "The address"),
  port: told(Schema.Number, "The port"),
  score: told(Schema.Number, "How many peers saw us there")
})

const Info = Schema.Struct({
  version: told(Schema.Number, "The version of this software as one number"),
  subversion: told(Schema.String, "How the node calls itself among others"),
  protocolversion: told(Schema.Number, "The version of the protocol that it speaks"),
  localservices: told(Hex, "What it offers"),
  localservicesnames: told(Schema.Array(Schema.String), "The same, by name"),
  localrelay: told(Schema.Boolean, "Whether it wants transactions of others"),
  timeoffset: told(Schema.Number, "The median of the seconds that clocks of peers are ahead"),
  networkactive: told(Schema.Boolean, "Whether there are to be connections"),
  connections: told(Schema.Number, "How many there are"),
  connections_in: told(Schema.Number, "Those that others opened"),
  connections_out: told(Schema.Number, "Those that the node opened"),
  networks: told(Schema.Array(Reach), "Networks that nodes can be in"),
  relayfee: told(Amount, "The lowest fee rate of transactions that are relayed, in BTC for a thousand virtual bytes"),
  incrementalfee: told(Amount, "How much more a replacement pays at least, in the same unit"),
  localaddresses: told(Schema.Array(OwnAddress), "Where others can reach the node, as far as it knows"),
  warnings: told(Schema.Array(Schema.String), "What an operator should know")
})

/** `major * 10000 + minor * 100 + patch`. */
const versionNumber = (text: string): number => {
  const [major = 0, minor = 0, patch = 0] = text.split(/[.-]/).map(Number)
  return major * 10_000 + minor * 100 + (Number.isNaN(patch) ? 0 : patch)
}

export const getnetworkinfo = method({
  name: "getnetworkinfo",
  category: "network",
  privilege: "anyone",
  description: "Answers the state of the node among others.",
  parameters: {},
  result: Info,
  examples: [{ params: [] }],
  call: (_, node) =>
    fromNetwork(node, (network) => {
      const inbound = [...network.peers.values()].filter((peer) => peer.inbound).length
      return {
        version: versionNumber(version()),
        subversion: network.userAgent,
        protocolversion: network.protocolVersion,
        localservices: servicesHex(network.services()),
        localservicesnames: serviceNames(network.services()),
        localrelay: network.relaysTransactions,
        timeoffset: network.clocks.median(),
        networkactive: network.connections.isActive(),
        connections: network.peers.size,
        connections_in: inbound,
        connections_out: network.peers.size - inbound,
        networks: network.reach.map(({ isIsolated, isReachable, name, proxy }) => ({
          name,
          limited: !isReachable,
          reachable: isReachable,
          proxy,
          proxy_randomize_credentials: isIsolated
        })),
        relayfee: amount(BigInt(MIN_RELAY_RATE)),
        incrementalfee: amount(BigInt(RATE_STEP)),
        localaddresses: network.ownAddresses().map(({ address, port, score }) => ({ address: addressText(address), port, score })),
        warnings: warningsOf(node)
      }
    })
})
