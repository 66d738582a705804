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

/** Where a value comes from, strongest last. */
export type Origin = "default" | "file" | "environment" | "command line"

export type LogLevel = "trace" | "debug" | "info" | "warn" | "error" | "none"

/** A host and a port to bind to or to call. */
export interface HostPort {
  readonly host: string
  readonly port: number
}

/** A SOCKS5 proxy: its address, or its Unix socket. */
export type ProxyPlace = HostPort | { readonly path: string }

/** The proxies through which addresses of each kind are reached, and names that the proxy looks up; none: directly. */
export type Proxies = Readonly<Record<"ipv4" | "ipv6" | "onion" | "cjdns" | "names", ProxyPlace | undefined>>

/** A user whose password only its salted hash is known of: HMAC-SHA256 of the password with the salt as key. */
export interface SaltedPassword {
  readonly user: string
  readonly salt: string
  /** 64 hexadecimal digits. */
  readonly hash: string
}

/** Credentials of RPC callers and what they may call. Secrets: never logged, never shown by `config explain`. */
export interface RpcCredentials {
  /** Bearer tokens with normal privilege. */
  readonly tokens: ReadonlyArray<string>
  readonly adminTokens: ReadonlyArray<string>
  /** HTTP Basic; grants admin. */
  readonly basic: { readonly username: string; readonly password: string } | undefined
  /** HTTP Basic as well; they grant admin. */
  readonly salted: ReadonlyArray<SaltedPassword>
  /** The methods that a user may call, by its name. */
  readonly whitelist: Readonly<Record<string, ReadonlyArray<string>>>
  /** Whether those without a list may call nothing; none: where there is a list. */
  readonly whitelistDefault: boolean | undefined
  /** Whether a request without credentials is refused. */
  readonly required: boolean
}

/** RPC over QUIC. */
export interface QuicRpcConfig {
  /** At a port of UDP. */
  readonly bind: HostPort
  /** Identities of callers with normal privilege: of the keys that their certificates prove. */
  readonly identities: ReadonlyArray<string>
  readonly adminIdentities: ReadonlyArray<string>
}

/** Numbers that protect the RPC server. */
export interface RpcLimits {
  readonly maxRequestBytes: number
  readonly workQueue: number
  readonly requestTimeoutSeconds: Seconds
  readonly rates: RateLimits
}

/** How often callers may ask. 0 stands for no limit. */
export interface RateLimits {
  /** Callers without credentials, by address: requests at once, and a second. */
  readonly address: { readonly burst: number; readonly rate: number }
  /** Callers with credentials, by these. */
  readonly user: { readonly burst: number; readonly rate: number }
  /** New connections of one address within the window. */
  readonly connections: number
  readonly connectionWindowSeconds: Seconds
  /** The most requests that a batch counts as. */
  readonly batchCap: number
  /** Wrong credentials after which all requests of an address are refused, and for how long. */
  readonly failures: number
  readonly blockSeconds: Seconds
  /** Whether limits hold where no credentials are configured, for callers on this machine, and for administrators. */
  readonly whenAuthDisabled: boolean
  readonly ofLoopback: boolean
  readonly ofAdmins: boolean
}

/** Where Tor takes commands. */
export interface TorControlConfig {
  readonly at: HostPort
  /** None: Tor takes no password, or shows its cookie in a file. */
  readonly password: string | undefined
}

/** Where an I2P router takes commands. */
export interface I2pConfig {
  readonly at: HostPort
  /** Whether nodes in I2P may connect to this one. */
  readonly acceptsIncoming: boolean
}

/** How nodes are reached over QUIC or Iroh. */
export interface UdpConfig {
  /** Where other nodes may connect to, at a port of UDP. */
  readonly listen: HostPort
  /** Whether no node is reached in another way. */
  readonly isOnly: boolean
}

/** How other nodes are found and reached. */
export interface PeersConfig {
  /** Where other nodes may connect to. */
  readonly listen: HostPort
  /** Whether they may at all. */
  readonly isListening: boolean
  /** Whether the operator chose the address: then the node fails when it cannot listen there. */
  readonly isListenGiven: boolean
  /** Further places. */
  readonly moreListen: ReadonlyArray<HostPort>
  /** Places that the node goes without where it cannot have them. */
  readonly mayListen?: ReadonlyArray<HostPort>
  /** Where an onion service leads; one of the others may be among them. */
  readonly onionListen: ReadonlyArray<HostPort>
  /** Tor's control port, through which an onion service is made; none: there is none. */
  readonly torControl: TorControlConfig | undefined
  /** Addresses and subnets of trusted peers, which are never disconnected for what they do, as they were written. */
  readonly trusted: ReadonlyArray<string>
  /** What inbound peers may do beyond others, each `permissions@subnet`. */
  readonly permissions: ReadonlyArray<string>
  /** Whether peers are served block filters, and may set bloom filters. */
  readonly servesBlockFilters: boolean
  readonly servesBloomFilters: boolean
  /** Whether packages of transactions are relayed (BIP331). */
  readonly relaysPackages: boolean
  /** Whether own transactions are sent through Tor and I2P alone, until they come back from the network. */
  readonly broadcastsPrivately: boolean
  /** None: Dandelion++ is off. Milliseconds. */
  readonly dandelion: { readonly meanEmbargo: number; readonly fluffProbability: number } | undefined
  /** Bytes to send in a day; 0: any. */
  readonly uploadTarget: number
  /** The most connections. */
  readonly maximum: number
  /** Outbound connections to have; none: as Bitcoin Core. */
  readonly target: number | undefined
  /** As they were written: a host, maybe with a port. */
  readonly persistent: ReadonlyArray<string>
  /** Whether the node connects to no other. */
  readonly isOnlyPersistent: boolean
  /** Whether the node connects to nodes over QUIC and Iroh that others name, where it reaches any. */
  readonly choosesUdpPeers: boolean
  /** None: no nodes are reached over QUIC. */
  readonly quic: UdpConfig | undefined
  /** None: no nodes are reached over Iroh. */
  readonly iroh: UdpConfig | undefined
  /** Whether the node announces its own address. */
  readonly isAdvertised: boolean
  /** What peers and RPC clients read as the name of this node. */
  readonly userAgent: UserAgentKind
  /** Seconds for a handshake. */
  readonly handshakeSeconds: Seconds
  /** The file by which addresses are grouped; none: they are grouped by their first bytes. */
  readonly asmap: string | undefined
  readonly proxy: ProxyPlace | undefined
  readonly onionProxy: ProxyPlace | undefined
  readonly isolateStreams: boolean
  /** The only networks in which the node chooses peers; none: all that can be reached. */
  readonly onlyNetworks: ReadonlyArray<AddressKind>
  /** The way into I2P; none: there is none. */
  readonly i2p: I2pConfig | undefined
  /** Whether fc00::/8 is CJDNS, and reached as it is. */
  readonly hasCjdns: boolean
  /** Whether connections are encrypted where both sides can. */
  readonly isV2: boolean
  /** Whether the node requests no transactions from peers. */
  readonly isBlocksOnly: boolean
  readonly dnsSeeds: boolean
  readonly fixedSeeds: boolean
}

/** What Bitcoin Core's options say about addresses and connections that `node.toml` does not. */
export interface StandInNetwork {
  readonly proxies: Proxies
  /** Whether the proxy that Tor names becomes the way to onion services. */
  readonly learnsOnionProxy: boolean
  /** Whether addrman has the key and the chance of a test. */
  readonly isAddrmanDeterministic: boolean
  /** One look at addrman in so many checks it; 0: none does. */
  readonly addrmanCheckRatio: number
  /** Nodes to fetch addresses from, each once. */
  readonly seedNodes: ReadonlyArray<string>
  /** How much of a peer's traffic may wait, in bytes. */
  readonly buffers: { readonly received: number; readonly unsent: number }
  /** How long a connection may take to be there. */
  readonly connectTimeout: Milliseconds
  /** Whether names of nodes are looked up. */
  readonly looksUpNames: boolean
  /** Whether the node offers peers to reconcile transactions (BIP330). */
  readonly reconciles: boolean
  /** Whether DNS seeds are asked. */
  readonly asksSeeds: boolean
  /** Whether DNS seeds are asked although addresses are there. */
  readonly forcesSeeds: boolean
}

/** What differs in a node that stands in for Bitcoin Core's `bitcoind`. */
export interface StandIn {
  /** Block and undo files. */
  readonly blocksDirectory: string
  /** The store of coins, headers and indexes. */
  readonly storeDirectory: string
  /** Where the cookie stands, and its mode; none: there is no cookie. */
  readonly cookie: { readonly file: string; readonly mode: number } | undefined
  /** Whether there is an RPC server. */
  readonly isServing: boolean
  /** Whether Bitcoin Core's REST is served beside RPC. */
  readonly hasCoreRest: boolean
  /** Whether answers are held to their descriptions; one that differs is an internal error. */
  readonly checksAnswers: boolean
  /** How many calls run at once. */
  readonly rpcThreads: number
  /** Where RPC is served beside the first place; the node goes on without one that it cannot have. */
  readonly moreRpcBinds: ReadonlyArray<HostPort>
  readonly userAgent: string
  /** What peers may do beyond others. */
  readonly grants: ReadonlyArray<Grant>
  /** How long a peer may take for its first messages, and how old a connection is before its silence counts. */
  readonly peerTimeoutSeconds: Seconds
  /** The log file; none: there is none. */
  readonly logFile: string | undefined
  readonly changes: NetworkChanges
  /** Seconds that the tip may be old when the initial download ends. */
  readonly maxTipAge: Seconds
  /** Seconds of a ban that says nothing else. */
  readonly banSeconds: Seconds
  /** Whether there are connections from the start on. */
  readonly isNetworkActive: boolean
  /** Where others are to connect to, as the operator says. */
  readonly externalAddresses: ReadonlyArray<Endpoint>
  /** What is published through ZeroMQ. */
  readonly notifiers: ReadonlyArray<Notifier>
  /** What of the network layer these options alone decide. */
  readonly network: StandInNetwork
  /** Whether the log has a line for each transaction of a template. */
  readonly printsPriority: boolean
  /** Bytes for transactions whose scripts are known to hold. */
  readonly scriptCacheBytes: number
  /** Where all messages of peers are kept; none: they are not. */
  readonly captureDirectory: string | undefined
  /** The largest size of block files; none: the usual. */
  readonly blockFileBytes: number | undefined
  /** Whether block files may be under a key. */
  readonly isXored: boolean
  /** Makes the chain anew from the block files. */
  readonly rebuild: boolean
  /** Makes the coins anew from the blocks. */
  readonly rebuildsCoins: boolean
}

/** Which modules are run, and how. */
export interface ModulesConfig {
  readonly directory: string
  readonly socketDirectory: string
  /** The index of modules that may be downloaded. */
  readonly registryUrl: string | undefined
  /** Versions that are asked for, by the name of the module. */
  readonly pins: ReadonlyMap<string, Pin>
  /** Variables of a module's environment with its settings, by its name. */
  readonly settings: ReadonlyMap<string, Readonly<Record<string, string>>>
  /** Where the operator lets a module listen and connect, in place of what its manifest names. */
  readonly places: ReadonlyMap<string, {
    readonly listen: ReadonlyArray<NetworkPlace> | undefined
    readonly connect: ReadonlyArray<NetworkPlace> | undefined
  }>
  readonly requiresSignatures: boolean
  /** Public keys in hexadecimal digits. */
  readonly trustedKeys: ReadonlyArray<string>
  readonly restartsCrashed: boolean
  /** Reload a module when its files change. */
  readonly watchesFiles: boolean
  readonly allowsUnconfined: boolean
  readonly allowsMissingHandshake: boolean
  readonly limits: {
    readonly memoryBytes: number
    readonly processorPercent: number
    readonly openFiles: number
    /** In its data directory. */
    readonly diskBytes: number
  }
}

/**
 * The whole configuration, read once, every value in the unit its name says. The rest of the node reads this, never the
 * file.
 */
export interface NodeConfig {
  readonly network: NetworkName
  /** The file that was read; none: there was none. */
  readonly file: string | undefined
  /** What an operator should know about the configuration: each a line for the log at start. */
  readonly warnings: ReadonlyArray<string>
  /** The data directory of this network: everything the node writes is in it. */
  readonly dataDirectory: string
  /** The nodes to connect to, and those that may connect. */
  readonly peers: PeersConfig
  /** How headers and blocks are downloaded: `[ibd]`. */
  readonly download: {
    readonly blocksPerRequest: number
    readonly blocksPerPeer: number
    readonly timeoutSeconds: Seconds
    readonly headersTimeoutSeconds: Seconds
    readonly headersFailures: number
    /** Nodes that are connected to for it, as they were written. */
    readonly peers: ReadonlyArray<string>
    readonly fromOnePeer: boolean
  }
  readonly protocolLimits: ProtocolLimits
  readonly rpc: {
    readonly bind: HostPort
    readonly credentials: RpcCredentials
    /** Subnets that are answered beside this machine, as they were written; none: all are. */
    readonly allowed: ReadonlyArray<string>
    readonly limits: RpcLimits
    /** Deprecated answers that callers still get. */
    readonly deprecated: ReadonlyArray<DeprecatedAnswer>
    /** None: it is not served over QUIC. */
    readonly quic: QuicRpcConfig | undefined
  }
  /** None: REST is not served. */
  readonly rest: { readonly bind: HostPort } | undefined
  readonly storage: IndexSwitches & {
    readonly backend: "auto" | "heed3" | "leveldb"
    readonly dbcacheMegabytes: number
    /** Which coins a full cache evicts first. */
    readonly coinEviction: CoinEviction
    readonly pruning: Pruning
    readonly minimumFreeMegabytes: number
    /** Seconds between periodic maintenance; 0: there is none. */
    readonly maintenanceSeconds: Seconds
    /** Bitcoin Core's `blocks` directory, whose blocks are read in place, or copied. */
    readonly coreBlocks: string | undefined
    readonly copyCoreBlocks: boolean
  }
  /** `[mempool]` and `[rbf]`. */
  readonly mempool: MempoolSettings
  /** `[mining]`. */
  readonly mining: MiningOptions
  readonly validation: {
    readonly assumedValid: AssumedValid
    /** Threads that judge scripts. */
    readonly scriptWorkers: number
    /** Regtest only. */
    readonly activationHeights: Readonly<Record<string, number>>
    /** Regtest only: Unix seconds that stand in for the machine's clock; 0: none do. */
    readonly mockTime: number
  }
  readonly logging: {
    readonly level: LogLevel
    /** Levels of single categories. */
    readonly categories: Readonly<Record<string, LogLevel>>
    readonly format: "auto" | "human" | "json"
    /** None: standard output only. */
    readonly file: string | undefined
  }
  /** `[modules]`; none: no modules are run. */
  readonly modules: ModulesConfig | undefined
  readonly shutdownTimeoutSeconds: Seconds
  /** Where the node stands in for Bitcoin Core; none: it is Lockstep's own program. */
  readonly standIn?: StandIn
  /** The tables of which a key is set anywhere; an empty name is the top level. */
  readonly sections?: ReadonlyArray<string>
  /** What a test of a whole node changes about the engine. */
  readonly testHooks?: TestHooks
}
