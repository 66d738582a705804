import type { Notifier } from "@lockstep/zmq"
import type { Milliseconds, Seconds } from "../quantities.ts"
import type { ProtocolLimits } from "@lockstep/protocol/wire/limits.ts"
import type { AddressKind } from "@lockstep/protocol/wire/address/address-kind.ts"
import type { NetworkChanges } from "@lockstep/protocol/networks/changed-network.ts"
import type { NetworkName } from "@lockstep/protocol/networks/network.ts"
import type { NetworkPlace, Pin } from "@lockstep/protocol/module-manifest/index.ts"
import type { Endpoint } from "../net/endpoint.ts"
import type { Grant } from "../net/peer-permissions.ts"
import type { UserAgentKind } from "./own-user-agent.ts"
import type { CoinEviction } from "../coins/eviction.ts"
import type { AssumedValid, Pruning } from "../engine/options/engine-options.ts"
import type { IndexSwitches } from "../engine/options/index-switches.ts"
import type { MiningOptions } from "../engine/options/mining-options.ts"
import type { MempoolSettings } from "../engine/options/settings.ts"
import type { DeprecatedAnswer } from "./deprecated-answers.ts"
import type { TestHooks } from "../engine/options/test-hooks.ts"

/** Source of a value, strongest last. */
export type Origin = "default" | "file" | "environment" | "command line"

export type LogLevel = "trace" | "debug" | "info" | "warn" | "error" | "none"

/** A host and a port to bind to or to call. */
export interface HostPort {
  readonly host: string
  readonly port: number
}

/** A SOCKS5 proxy: its address, or its Unix socket. */
export type ProxyPlace = HostPort | { readonly path: string }

/** The proxy for addresses of each kind, and for names that the proxy resolves; `undefined` for direct connections. */
export type Proxies = Readonly<Record<"ipv4" | "ipv6" | "onion" | "cjdns" | "names", ProxyPlace | undefined>>

/** A user whose password is known only as a salted hash: HMAC-SHA256 of the password with the salt as key. */
export interface SaltedPassword {
  readonly user: string
  readonly salt: string
  /** 64 hexadecimal digits. */
  readonly hash: string
}

/** Credentials of RPC callers, and their permissions. Secrets: never logged, never shown by `config explain`. */
export interface RpcCredentials {
  /** Bearer tokens with normal privilege. */
  readonly tokens: ReadonlyArray<string>
  readonly adminTokens: ReadonlyArray<string>
  /** HTTP Basic credentials with admin privilege. */
  readonly basic: { readonly username: string; readonly password: string } | undefined
  /** Further HTTP Basic credentials with admin privilege. */
  readonly salted: ReadonlyArray<SaltedPassword>
  /** The methods that a user may call, by user name. */
  readonly whitelist: Readonly<Record<string, ReadonlyArray<string>>>
  /** True if users without a list may call nothing. By default they may if no list exists. */
  readonly whitelistDefault: boolean | undefined
  /** True if a request without credentials is rejected. */
  readonly required: boolean
}

/** RPC over QUIC. */
export interface QuicRpcConfig {
  /** Address at a UDP port. */
  readonly bind: HostPort
  /** Identities of callers with normal privilege, from the keys that their certificates prove. */
  readonly identities: ReadonlyArray<string>
  readonly adminIdentities: ReadonlyArray<string>
}

/** Limits that protect the RPC server. */
export interface RpcLimits {
  readonly maxRequestBytes: number
  readonly workQueue: number
  readonly requestTimeoutSeconds: Seconds
  readonly rates: RateLimits
}

/** Rate limits of callers. 0 means no limit. */
export interface RateLimits {
  /** Limit of callers without credentials, by address: requests at once, and per second. */
  readonly address: { readonly burst: number; readonly rate: number }
  /** Limit of callers with credentials, by credentials. */
  readonly user: { readonly burst: number; readonly rate: number }
  /** New connections of one address within the window. */
  readonly connections: number
  readonly connectionWindowSeconds: Seconds
  /** The maximum number of requests that a batch counts as. */
  readonly batchCap: number
  /** Number of failed authentications after which all requests of an address are rejected, and for how long. */
  readonly failures: number
  readonly blockSeconds: Seconds
  /** True if limits also apply when no credentials are configured, to callers on this machine, and to administrators. */
  readonly whenAuthDisabled: boolean
  readonly ofLoopback: boolean
  readonly ofAdmins: boolean
}

/** Tor's control port. */
export interface TorControlConfig {
  readonly at: HostPort
  /** `undefined` if Tor needs no password, or provides its cookie in a file. */
  readonly password: string | undefined
}

/** Control port of an I2P router (SAM). */
export interface I2pConfig {
  readonly at: HostPort
  /** True if nodes in I2P may connect to this one. */
  readonly acceptsIncoming: boolean
}

/** QUIC or Iroh between nodes. */
export interface UdpConfig {
  /** Address that other nodes may connect to, at a UDP port. */
  readonly listen: HostPort
  /** True if no node is reached over another transport. */
  readonly isOnly: boolean
}

/** Settings for finding and reaching other nodes. */
export interface PeersConfig {
  /** Address that other nodes may connect to. */
  readonly listen: HostPort
  /** True if other nodes may connect at all. */
  readonly isListening: boolean
  /** True if the operator chose the address. Then the node fails if it cannot listen there. */
  readonly isListenGiven: boolean
  /** Further addresses to listen on. */
  readonly moreListen: ReadonlyArray<HostPort>
  /** Addresses to listen on that may fail. */
  readonly mayListen?: ReadonlyArray<HostPort>
  /** Targets of an onion service; other listening addresses may be among them. */
  readonly onionListen: ReadonlyArray<HostPort>
  /** Tor's control port, through which an onion service is created; `undefined` without Tor. */
  readonly torControl: TorControlConfig | undefined
  /** Addresses and subnets of trusted peers, as written. They are never disconnected for misbehavior. */
  readonly trusted: ReadonlyArray<string>
  /** Additional permissions of inbound peers, each `permissions@subnet`. */
  readonly permissions: ReadonlyArray<string>
  /** True if peers are served block filters (BIP157). */
  readonly servesBlockFilters: boolean
  /** True if peers may set Bloom filters (BIP37). */
  readonly servesBloomFilters: boolean
  /** True if packages of transactions are relayed (BIP331). */
  readonly relaysPackages: boolean
  /** True if the node's own transactions are sent through Tor and I2P alone, until they come back from the network. */
  readonly broadcastsPrivately: boolean
  /** `undefined` if Dandelion++ is off. In milliseconds. */
  readonly dandelion: { readonly meanEmbargo: number; readonly fluffProbability: number } | undefined
  /** Bytes to send in a day; 0 for no limit. */
  readonly uploadTarget: number
  /** Maximum number of connections. */
  readonly maximum: number
  /** Number of outbound connections to keep; `undefined` for Bitcoin Core's. */
  readonly target: number | undefined
  /** Persistent peers as written: a host, optionally with a port. */
  readonly persistent: ReadonlyArray<string>
  /** True if the node connects only to persistent peers. */
  readonly isOnlyPersistent: boolean
  /** True if the node also connects to QUIC and Iroh nodes that other nodes announce. */
  readonly choosesUdpPeers: boolean
  /** `undefined` if QUIC is off. */
  readonly quic: UdpConfig | undefined
  /** `undefined` if Iroh is off. */
  readonly iroh: UdpConfig | undefined
  /** True if the node announces its own address. */
  readonly isAdvertised: boolean
  /** The user agent that peers and RPC clients see. */
  readonly userAgent: UserAgentKind
  /** Seconds for a handshake. */
  readonly handshakeSeconds: Seconds
  /** Path of the asmap; `undefined` if addresses are grouped by their prefixes. */
  readonly asmap: string | undefined
  readonly proxy: ProxyPlace | undefined
  readonly onionProxy: ProxyPlace | undefined
  readonly isolateStreams: boolean
  /** The only networks in which the node chooses peers; `undefined` for all reachable ones. */
  readonly onlyNetworks: ReadonlyArray<AddressKind>
  /** The I2P router; `undefined` without I2P. */
  readonly i2p: I2pConfig | undefined
  /** True if fc00::/8 is CJDNS, and reached directly. */
  readonly hasCjdns: boolean
  /** True if connections are encrypted when both sides can. */
  readonly isV2: boolean
  /** True if the node requests no transactions from peers. */
  readonly isBlocksOnly: boolean
  readonly dnsSeeds: boolean
  readonly fixedSeeds: boolean
}

/** Settings of Bitcoin Core's options about addresses and connections that `node.toml` lacks. */
export interface StandInNetwork {
  readonly proxies: Proxies
  /** True if the proxy that Tor names becomes the proxy for onion services. */
  readonly learnsOnionProxy: boolean
  /** True if addrman uses the key and the random numbers of a test. */
  readonly isAddrmanDeterministic: boolean
  /** Addrman is checked once in so many operations; 0 for never. */
  readonly addrmanCheckRatio: number
  /** Nodes to fetch addresses from, once each. */
  readonly seedNodes: ReadonlyArray<string>
  /** Maximum buffered traffic of a peer, in bytes. */
  readonly buffers: { readonly received: number; readonly unsent: number }
  /** Timeout of a connection attempt. */
  readonly connectTimeout: Milliseconds
  /** True if names of nodes are resolved. */
  readonly looksUpNames: boolean
  /** True if the node offers peers to reconcile transactions (BIP330). */
  readonly reconciles: boolean
  /** True if DNS seeds are queried. */
  readonly asksSeeds: boolean
  /** True if DNS seeds are queried even if addresses are known. */
  readonly forcesSeeds: boolean
}

/** Settings of a node that runs as Bitcoin Core's `bitcoind`. */
export interface StandIn {
  /** Directory of block and undo files. */
  readonly blocksDirectory: string
  /** Directory of the store of coins, headers and indexes. */
  readonly storeDirectory: string
  /** Path and mode of the cookie file; `undefined` without a cookie. */
  readonly cookie: { readonly file: string; readonly mode: number } | undefined
  /** True if the RPC server is enabled. */
  readonly isServing: boolean
  /** True if Bitcoin Core's REST is served beside RPC. */
  readonly hasCoreRest: boolean
  /** True if results are checked against their descriptions; a mismatch is an internal error. */
  readonly checksAnswers: boolean
  /** Number of calls that run at once. */
  readonly rpcThreads: number
  /** Further addresses of the RPC server; the node continues without those that fail. */
  readonly moreRpcBinds: ReadonlyArray<HostPort>
  readonly userAgent: string
  /** Additional permissions of peers. */
  readonly grants: ReadonlyArray<Grant>
  /** Seconds that a peer may take for its first messages, and age of a connection from which its silence counts. */
  readonly peerTimeoutSeconds: Seconds
  /** The log file; `undefined` without one. */
  readonly logFile: string | undefined
  readonly changes: NetworkChanges
  /** Maximum age of the tip, in seconds, at which the initial block download ends. */
  readonly maxTipAge: Seconds
  /** Default duration of a ban in seconds. */
  readonly banSeconds: Seconds
  /** True if connections are made from the start. */
  readonly isNetworkActive: boolean
  /** Addresses at which the operator says other nodes can connect. */
  readonly externalAddresses: ReadonlyArray<Endpoint>
  /** Notifiers to publish through ZeroMQ. */
  readonly notifiers: ReadonlyArray<Notifier>
  /** Network settings that only these options have. */
  readonly network: StandInNetwork
  /** True if the log has a line for each transaction of a template. */
  readonly printsPriority: boolean
  /** Bytes for transactions whose scripts are known to be valid. */
  readonly scriptCacheBytes: number
  /** Directory for captured messages of peers; `undefined` if none are captured. */
  readonly captureDirectory: string | undefined
  /** The largest size of block files; `undefined` for the usual one. */
  readonly blockFileBytes: number | undefined
  /** True if block files may be XORed with a key. */
  readonly isXored: boolean
  /** True to rebuild the chain from the block files. */
  readonly rebuild: boolean
  /** True to rebuild the coins from the blocks. */
  readonly rebuildsCoins: boolean
}

/** The modules to run, and their settings. */
export interface ModulesConfig {
  readonly directory: string
  readonly socketDirectory: string
  /** URL of the index of modules that may be downloaded. */
  readonly registryUrl: string | undefined
  /** Requested versions, by the name of the module. */
  readonly pins: ReadonlyMap<string, Pin>
  /** Environment variables with a module's settings, by its name. */
  readonly settings: ReadonlyMap<string, Readonly<Record<string, string>>>
  /** Addresses on which a module may listen and to which it may connect, in place of those in its manifest. */
  readonly places: ReadonlyMap<string, {
    readonly listen: ReadonlyArray<NetworkPlace> | undefined
    readonly connect: ReadonlyArray<NetworkPlace> | undefined
  }>
  readonly requiresSignatures: boolean
  /** Public keys in hexadecimal. */
  readonly trustedKeys: ReadonlyArray<string>
  readonly restartsCrashed: boolean
  /** True to reload a module when its files change. */
  readonly watchesFiles: boolean
  readonly allowsUnconfined: boolean
  readonly allowsMissingHandshake: boolean
  readonly limits: {
    readonly memoryBytes: number
    readonly processorPercent: number
    readonly openFiles: number
    /** Maximum size of its data directory. */
    readonly diskBytes: number
  }
}

/**
 * The whole configuration, read once, every value in the unit that its name says. The rest of the node reads this,
 * never the file.
 */
export interface NodeConfig {
  readonly network: NetworkName
  /** Path of the file that was read; `undefined` without a file. */
  readonly file: string | undefined
  /** Warnings about the configuration, each a line for the log at start. */
  readonly warnings: ReadonlyArray<string>
  /** The data directory of this network, which contains everything that the node writes. */
  readonly dataDirectory: string
  /** The nodes to connect to, and those that may connect. */
  readonly peers: PeersConfig
  /** `[ibd]`: download of headers and blocks. */
  readonly download: {
    readonly blocksPerRequest: number
    readonly blocksPerPeer: number
    readonly timeoutSeconds: Seconds
    readonly headersTimeoutSeconds: Seconds
    readonly headersFailures: number
    /** Nodes to connect to for the download, as written. */
    readonly peers: ReadonlyArray<string>
    readonly fromOnePeer: boolean
  }
  readonly protocolLimits: ProtocolLimits
  readonly rpc: {
    readonly bind: HostPort
    readonly credentials: RpcCredentials
    /** Subnets that are served besides this machine, as written; `undefined` for all. */
    readonly allowed: ReadonlyArray<string>
    readonly limits: RpcLimits
    /** Deprecated answers that callers still get. */
    readonly deprecated: ReadonlyArray<DeprecatedAnswer>
    /** `undefined` if RPC is not served over QUIC. */
    readonly quic: QuicRpcConfig | undefined
  }
  /** `undefined` if REST is not served. */
  readonly rest: { readonly bind: HostPort } | undefined
  readonly storage: IndexSwitches & {
    readonly backend: "auto" | "heed3" | "leveldb"
    readonly dbcacheMegabytes: number
    /** The order in which a full cache evicts coins. */
    readonly coinEviction: CoinEviction
    readonly pruning: Pruning
    readonly minimumFreeMegabytes: number
    /** Seconds between periodic maintenance; 0 for never. */
    readonly maintenanceSeconds: Seconds
    /** Bitcoin Core's `blocks` directory, whose blocks are read in place or copied. */
    readonly coreBlocks: string | undefined
    readonly copyCoreBlocks: boolean
  }
  /** `[mempool]` and `[rbf]`. */
  readonly mempool: MempoolSettings
  /** `[mining]`. */
  readonly mining: MiningOptions
  readonly validation: {
    readonly assumedValid: AssumedValid
    /** Number of threads that verify scripts. */
    readonly scriptWorkers: number
    /** Regtest only. */
    readonly activationHeights: Readonly<Record<string, number>>
    /** Regtest only: Unix seconds that replace the machine's clock; 0 if none do. */
    readonly mockTime: number
  }
  readonly logging: {
    readonly level: LogLevel
    /** Levels of single categories. */
    readonly categories: Readonly<Record<string, LogLevel>>
    readonly format: "auto" | "human" | "json"
    /** `undefined` for standard output only. */
    readonly file: string | undefined
  }
  /** `[modules]`; `undefined` if no modules run. */
  readonly modules: ModulesConfig | undefined
  readonly shutdownTimeoutSeconds: Seconds
  /** Set if the node runs as Bitcoin Core's `bitcoind`. */
  readonly standIn?: StandIn
  /** The tables with at least one key that is set in any source; an empty name is the top level. */
  readonly sections?: ReadonlyArray<string>
  /** Changes that a test of a whole node makes to the engine. */
  readonly testHooks?: TestHooks
}
