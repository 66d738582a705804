import { key, table } from "./key.ts"
import { choice, flag, grant, hostPort, integer, listOf, path, proxyPlace, subnet, text } from "./shapes.ts"

export const CONNECTIONS_TABLE = table("How other nodes are found and reached.", {
  listen: key(flag, { about: "Let other nodes connect to this one, at listen_addr.", fallback: true }),
  more_listen_addrs: key(listOf(hostPort), {
    about: "Further addresses at which other nodes may connect to this one.",
    fallback: [],
    example: ["[::]:18444"]
  }),
  onion_listen_addrs: key(listOf(hostPort), {
    about:
      "Addresses at which Tor alone connects, for an onion service. Peers there count as peers in Tor's network, and their " +
      "addresses say nothing. listen_addr may be among them.",
    fallbackText: "with tor_control 127.0.0.1 and the port behind that of listen_addr, else none",
    example: ["127.0.0.1:18445"]
  }),
  tor_control: key(hostPort, {
    about:
      "The control port of Tor. Through it the node makes an onion service that leads to it, and announces its address to " +
      "peers in Tor's network. Where onion_proxy names no proxy into that network, the node asks for it there.",
    fallbackText: "none: no onion service is made",
    example: "127.0.0.1:9051"
  }),
  tor_password: key(text("the password"), {
    about: "The password of tor_control. Without it the node uses the cookie that Tor writes to a file.",
    fallbackText: "none",
    example: "correct horse",
    secret: true
  }),
  trusted_peers: key(listOf(subnet), {
    about: "Addresses and subnets of peers that are never banned or evicted, and get blocks beyond upload_target_mb.",
    fallback: [],
    example: ["192.168.1.0/24"]
  }),
  peer_permissions: key(listOf(grant), {
    about:
      "What inbound peers may do beyond others, by address or subnet. relay: send transactions although blocks_only is set, and " +
      "announce any number. forcerelay: relay, get no fee filter, and have known transactions announced again. mempool: " +
      "request the whole mempool. bloomfilter: set bloom filters.",
    fallback: [],
    example: ["relay,mempool@192.168.1.0/24"]
  }),
  serve_block_filters: key(flag, {
    about:
      "Serve the basic filter of each block (BIP157) to peers such as light clients. Needs [storage.indexing].blockfilterindex.",
    fallback: false
  }),
  serve_bloom_filters: key(flag, {
    about:
      "Let peers set bloom filters (BIP37), and get no other transactions and parts of blocks. It takes much work, and says " +
      "which transactions a peer looks for. Peers with the permission bloomfilter may do so anyway.",
    fallback: false
  }),
  upload_target_mb: key(integer(0, 1_000_000_000), {
    about: "Megabytes (of 1,048,576 bytes) to send in a day. Near it, blocks older than a week are not served. 0: any.",
    fallback: 0
  }),
  user_agent: key(choice(["lockstep", "satoshi"]), {
    about:
      "How peers and clients of RPC see this node named. satoshi puts the release of Bitcoin Core that it matches before its own " +
      "name, which clients such as LND look for; bitcoind always does.",
    fallback: "lockstep"
  }),
  handshake_timeout_secs: key(integer(1, 1_000_000_000), {
    about: "Seconds for a handshake. A peer that takes longer is disconnected.",
    fallback: 60
  }),
  asmap: key(path, {
    about:
      "A file that says which autonomous system routes an address (an asmap, as for asmap in Bitcoin Core). Addresses of one " +
      "system then count as one group in addrman and in eviction, instead of those with the same first bytes.",
    fallbackText: "none",
    example: "~/.lockstep/ip_asn.map"
  }),
  quic_listen_addr: key(hostPort, {
    about:
      "Where other nodes may connect to over QUIC, at a port of UDP. It needs transport_preference hybrid, quinnonly or all.",
    fallbackText: "host and port of listen_addr",
    example: "0.0.0.0:18444"
  }),
  iroh_listen_addr: key(hostPort, {
    about:
      "Where other nodes may connect to over Iroh, at a port of UDP. It needs transport_preference irohonly or all.",
    fallbackText: "host of listen_addr and the port after its port",
    example: "0.0.0.0:18445"
  }),
  proxy: key(proxyPlace, {
    about: "A SOCKS5 proxy for connections to nodes of the internet, or its Unix socket. It alone looks names up.",
    fallbackText: "none",
    example: "127.0.0.1:9050"
  }),
  onion_proxy: key(proxyPlace, {
    about: "A SOCKS5 proxy through which hidden services are reached, or its Unix socket.",
    fallbackText: "proxy",
    example: "unix:/run/tor/socks"
  }),
  isolate_streams: key(flag, {
    about: "Give each connection through a proxy its own credentials, so that Tor gives each its own path.",
    fallback: true
  }),
  i2p_sam: key(hostPort, {
    about:
      "Where an I2P router on this machine or in the local network speaks SAM 3.1. Through it the node reaches nodes in I2P, and " +
      "they reach it.",
    fallbackText: "none: no node in I2P is reached",
    example: "127.0.0.1:7656"
  }),
  i2p_accept_incoming: key(flag, {
    about:
      "Let nodes in I2P connect to this one, at an address that stays. Without it each connection into I2P has an address of " +
      "its own. It needs i2p_sam.",
    fallback: true
  }),
  cjdns_reachable: key(flag, {
    about: "Addresses in fc00::/8 are addresses of CJDNS, into which this machine has a way.",
    fallback: false
  }),
  onlynet: key(listOf(choice(["ipv4", "ipv6", "onion", "i2p", "cjdns"], (word) => word.toLowerCase())), {
    about:
      "The only networks in which the node chooses peers. Peers of the operator and inbound peers may be in any. Without ipv4 " +
      "and ipv6 no name server is asked. Empty: every network that can be reached.",
    fallback: [],
    example: ["onion"]
  }),
  v2_transport: key(flag, {
    about: "Encrypt connections to nodes that can do so too (v2 transport). Without it all are plain.",
    fallback: true
  }),
  blocks_only: key(flag, {
    about:
      "Relay no transactions of other nodes: the node requests none, and disconnects a peer that sends some. Transactions of " +
      "this node are still sent.",
    fallback: false
  }),
  dns_seeds: key(flag, {
    about: "Ask name servers for addresses of nodes while hardly any is known. Never on regtest.",
    fallback: true
  }),
  fixed_seeds: key(flag, {
    about: "Start with the addresses that the release has built in while no other is known. Never on regtest.",
    fallback: true
  }),
  only_persistent_peers: key(flag, {
    about: "Connect to persistent_peers alone, and to nodes that addnode names.",
    fallback: false
  })
})
