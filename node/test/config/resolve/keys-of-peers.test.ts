import { assert, describe, it } from "@effect/vitest"
import { changedBy, type KeyRow } from "./changed-by.ts"

describe("keys about the network and peers", () => {
  it.each<KeyRow>([
    ["transport_preference", "hybrid", {
      "peers.quic.listen.host": "0.0.0.0",
      "peers.quic.listen.port": 18444,
      "peers.quic.isOnly": false
    }, {}],
    ["transport_preference", "all", {
      "peers.quic.listen.host": "0.0.0.0",
      "peers.quic.listen.port": 18444,
      "peers.quic.isOnly": false,
      "peers.iroh.listen.host": "0.0.0.0",
      "peers.iroh.listen.port": 18445,
      "peers.iroh.isOnly": false
    }, {}],
    ["transport_preference", "quinnonly", {
      "peers.isOnlyPersistent": true,
      "peers.fixedSeeds": false,
      "peers.quic.listen.host": "0.0.0.0",
      "peers.quic.listen.port": 18444,
      "peers.quic.isOnly": true
    }, {}],
    ["transport_preference", "irohonly", {
      "peers.isOnlyPersistent": true,
      "peers.fixedSeeds": false,
      "peers.iroh.listen.host": "0.0.0.0",
      "peers.iroh.listen.port": 18445,
      "peers.iroh.isOnly": true
    }, {}],
    ["protocol_version", "BitcoinV1", {
      network: "mainnet",
      dataDirectory: "/h/.lockstep/mainnet",
      "peers.listen.port": 8333,
      "peers.dnsSeeds": true,
      "rpc.bind.port": 8332
    }, {}],
    ["protocol_version", "Testnet3", {
      network: "testnet3",
      dataDirectory: "/h/.lockstep/testnet",
      "peers.listen.port": 18333,
      "peers.dnsSeeds": true,
      "rpc.bind.port": 18332
    }, {}],
    ["protocol_version", "Testnet4", {
      network: "testnet4",
      dataDirectory: "/h/.lockstep/testnet4",
      "peers.listen.port": 48333,
      "peers.dnsSeeds": true,
      "rpc.bind.port": 48332
    }, {}],
    ["protocol_version", "Signet", {
      network: "signet",
      dataDirectory: "/h/.lockstep/signet",
      "peers.listen.port": 38333,
      "peers.dnsSeeds": true,
      "rpc.bind.port": 38332
    }, {}],
    ["listen_addr", "10.0.0.1:7", {
      "peers.listen.host": "10.0.0.1",
      "peers.listen.port": 7,
      "peers.isListenGiven": true
    }, {}],
    ["max_peers", 7, { "peers.maximum": 7 }, {}],
    ["enable_self_advertisement", true, { "peers.isAdvertised": true }, {}],
    ["persistent_peers", ["a:1"], { "peers.persistent": ["a:1"] }, {}],
    ["shutdown_timeout_secs", 7, { shutdownTimeoutSeconds: 7 }, {}],
    ["connections.listen", false, { "peers.isListening": false }, {}],
    ["connections.more_listen_addrs", ["10.0.0.1:7"], { "peers.moreListen": [{ host: "10.0.0.1", port: 7 }] }, {}],
    ["connections.onion_listen_addrs", ["10.0.0.1:7"], { "peers.onionListen": [{ host: "10.0.0.1", port: 7 }] }, {}],
    ["connections.tor_control", "10.0.0.1:7", {
      "peers.onionListen": [{ host: "127.0.0.1", port: 18445 }],
      "peers.torControl.at.host": "10.0.0.1",
      "peers.torControl.at.port": 7
    }, {}],
    ["connections.trusted_peers", ["10.0.0.1"], { "peers.trusted": ["10.0.0.1"] }, {}],
    ["connections.peer_permissions", ["relay@10.0.0.1"], { "peers.permissions": ["relay@10.0.0.1"] }, {}],
    ["connections.serve_block_filters", true, { "peers.servesBlockFilters": true }, {}],
    ["connections.serve_bloom_filters", true, { "peers.servesBloomFilters": true }, {}],
    ["connections.upload_target_mb", 7, { "peers.uploadTarget": 7340032 }, {}],
    ["connections.user_agent", "x", { "peers.userAgent": "x" }, {}],
    ["connections.handshake_timeout_secs", 7, { "peers.handshakeSeconds": 7 }, {}],
    ["connections.asmap", "map", { "peers.asmap": "/d/map" }, {}],
    ["connections.proxy", "10.0.0.1:7", { "peers.proxy.host": "10.0.0.1", "peers.proxy.port": 7 }, {}],
    ["connections.proxy", "unix:/s", { "peers.proxy.path": "/s" }, {}],
    ["connections.onion_proxy", "10.0.0.1:7", { "peers.onionProxy.host": "10.0.0.1", "peers.onionProxy.port": 7 }, {}],
    ["connections.isolate_streams", false, { "peers.isolateStreams": false }, {}],
    ["connections.i2p_sam", "10.0.0.1:7", {
      "peers.i2p.at.host": "10.0.0.1",
      "peers.i2p.at.port": 7,
      "peers.i2p.acceptsIncoming": true
    }, {}],
    ["connections.cjdns_reachable", true, { "peers.hasCjdns": true }, {}],
    ["connections.onlynet", ["ipv4"], { "peers.onlyNetworks": ["ipv4"] }, {}],
    ["connections.v2_transport", false, { "peers.isV2": false }, {}],
    ["connections.blocks_only", true, {
      "peers.isBlocksOnly": true,
      "mempool.maxBytes": 5000000,
      "mempool.estimatesFees": false
    }, {}],
    ["connections.fixed_seeds", false, { "peers.fixedSeeds": false }, {}],
    ["connections.only_persistent_peers", true, {
      "peers.isOnlyPersistent": true,
      "peers.choosesUdpPeers": false,
      "peers.fixedSeeds": false
    }, {}],
    [
      "relay.enable_dandelion",
      true,
      { "peers.dandelion.meanEmbargo": 10000, "peers.dandelion.fluffProbability": 0.1 },
      {}
    ],
    ["relay.enable_package_relay", true, { "peers.relaysPackages": true }, {}],
    ["relay.private_broadcast", true, { "peers.broadcastsPrivately": true }, {}],
    ["ibd.chunk_size", 7, { "download.blocksPerRequest": 7 }, {}],
    ["ibd.max_blocks_in_transit_per_peer", 7, { "download.blocksPerPeer": 7 }, {}],
    ["ibd.download_timeout_secs", 7, { "download.timeoutSeconds": 7 }, {}],
    ["ibd.eviction", "fifo", { "storage.coinEviction": "fifo" }, {}],
    ["ibd.headers_timeout_secs", 7, { "download.headersTimeoutSeconds": 7 }, {}],
    ["ibd.headers_max_failures", 7, { "download.headersFailures": 7 }, {}],
    ["protocol_limits.max_protocol_message_length", 70000, { "protocolLimits.messageLength": 70000 }, {}],
    ["protocol_limits.max_addr_to_send", 7, { "protocolLimits.addresses": 7 }, {}],
    ["protocol_limits.max_inv_sz", 7, { "protocolLimits.inventory": 7 }, {}],
    ["protocol_limits.max_headers_results", 7, { "protocolLimits.headers": 7 }, {}],
    ["connections.tor_password", "pw", { "peers.torControl.password": "pw" }, {
      "connections.tor_control": "10.0.0.1:7"
    }],
    ["connections.i2p_accept_incoming", false, { "peers.i2p.acceptsIncoming": false }, {
      "connections.i2p_sam": "10.0.0.1:7"
    }],
    ["connections.quic_listen_addr", "10.0.0.1:7", {
      "peers.quic.listen.host": "10.0.0.1",
      "peers.quic.listen.port": 7
    }, { transport_preference: "hybrid" }],
    ["connections.iroh_listen_addr", "10.0.0.1:7", {
      "peers.iroh.listen.host": "10.0.0.1",
      "peers.iroh.listen.port": 7
    }, { transport_preference: "all" }],
    ["connections.dns_seeds", false, { "peers.dnsSeeds": false }, { protocol_version: "BitcoinV1" }],
    ["dandelion.stem_timeout_seconds", 7, { "peers.dandelion.meanEmbargo": 7000 }, { "relay.enable_dandelion": true }],
    ["dandelion.fluff_probability", 0.7, { "peers.dandelion.fluffProbability": 0.7 }, {
      "relay.enable_dandelion": true
    }],
    ["listen_addr", "10.0.0.1:7", {
      "peers.listen.host": "10.0.0.1",
      "peers.listen.port": 7,
      "peers.quic.listen.host": "10.0.0.1",
      "peers.quic.listen.port": 7,
      "peers.iroh.listen.host": "10.0.0.1",
      "peers.iroh.listen.port": 8,
      "peers.isListenGiven": true
    }, { transport_preference: "all" }],
    ["connections.tor_control", "10.0.0.1:7", {
      "peers.onionListen": [{ host: "127.0.0.1", port: 0 }],
      "peers.torControl.at.host": "10.0.0.1",
      "peers.torControl.at.port": 7
    }, { listen_addr: "10.0.0.1:0" }]
  ])("%s = %j changes what it is for, and nothing else", (key, value, changes, beside) => {
    assert.deepStrictEqual(changedBy(key, value, beside), changes)
  })
})
