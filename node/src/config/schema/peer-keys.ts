import { asIs, choice, flag, hostPort, integer, listOf, nodeAddress, path } from "./shapes.ts"
import { key, requiredKey, table } from "./key.ts"

/** Removes separators, so that options and variables accept `tcp_only` and `TCP-only` for `tcponly`. */
const joined = (word: string): string => word.toLowerCase().replaceAll(/[_-]/g, "")

/** Other words that operators write for a transport. */
export const TRANSPORTS_MEANT = {
  tcp: "tcponly",
  quic: "quinnonly",
  quinn: "quinnonly",
  iroh: "irohonly"
} as const

/** Keys at top level: the network, and how to reach its nodes. */
export const PEER_KEYS = {
  transport_preference: requiredKey(
    choice(["tcponly", "irohonly", "quinnonly", "hybrid", "all"], joined, TRANSPORTS_MEANT),
    {
      about:
        "How to talk to other nodes: over TCP, over QUIC (quinnonly), over Iroh (irohonly), over TCP and QUIC (hybrid), or " +
        "over all three (all). The only key that every file must have.",
      fallback: "tcponly"
    }
  ),
  protocol_version: key(
    choice(["BitcoinV1", "Testnet3", "Testnet4", "Signet", "Regtest"], asIs, {
      bitcoin: "BitcoinV1",
      main: "BitcoinV1",
      mainnet: "BitcoinV1",
      test: "Testnet3"
    }),
    {
      about: "The network: BitcoinV1 is mainnet. --network and NODE_NETWORK are stronger.",
      fallback: "Regtest"
    }
  ),
  listen_addr: key(hostPort, {
    about: "Where other nodes may connect to.",
    fallbackText: "0.0.0.0 and the port of the network: 8333, 18333, 48333, 38333 or 18444",
    example: "0.0.0.0:18444"
  }),
  max_peers: key(integer(0, 100_000), { about: "The most connections to other nodes.", fallback: 100 }),
  enable_self_advertisement: key(flag, { about: "Announce the node's own address to peers.", fallback: false }),
  persistent_peers: key(listOf(nodeAddress), {
    about: "Nodes to stay connected to.",
    fallback: [],
    example: ["192.0.2.1:8333"]
  }),
  shutdown_timeout_secs: key(integer(1, 3_600), {
    about: "How long a clean stop may take before the node gives up waiting.",
    fallback: 30
  })
}

export const IBD_TABLE = table("Initial block download.", {
  mode: key(choice(["parallel"]), { about: "How blocks are downloaded.", fallback: "parallel" }),
  chunk_size: key(integer(1, 100_000), { about: "Blocks per download chunk.", fallback: 128 }),
  max_blocks_in_transit_per_peer: key(integer(1, 100_000), {
    about: "Blocks requested from one peer at a time.",
    fallback: 128
  }),
  download_timeout_secs: key(integer(1, 86_400), {
    about: "After this long a chunk is requested from another peer.",
    fallback: 30
  }),
  eviction: key(choice(["fifo", "dynamic"]), {
    about: "Which coins a full cache evicts first: with dynamic those not used lately, with fifo all in turn.",
    fallback: "dynamic"
  }),
  headers_timeout_secs: key(integer(1, 86_400), {
    about: "After this long headers are requested from another peer.",
    fallback: 30
  }),
  headers_max_failures: key(integer(1, 100_000), {
    about: "After this many failures a peer is disconnected.",
    fallback: 10
  }),
  dump_dir: key(path, {
    about: "Where the state of a download is written to.",
    fallbackText: "nowhere",
    example: "~/ibd-dump"
  })
})

export const PROTOCOL_LIMITS_TABLE = table(
  "Limits of messages between nodes. However low they are, what honest nodes send is taken; however high, no more is sent than all take.",
  {
    max_protocol_message_length: key(integer(1_000_000, 0xff_ff_ff_ff), {
      about: "Bytes of the longest message.",
      fallback: 33_554_432
    }),
    max_addr_to_send: key(integer(1, 1_000_000), { about: "Addresses in one message.", fallback: 1_000 }),
    max_inv_sz: key(integer(1, 10_000_000), { about: "Entries in one inventory.", fallback: 50_000 }),
    max_headers_results: key(integer(1, 1_000_000), { about: "Headers in one message.", fallback: 2_000 })
  }
)
