import { createRequire } from "node:module"
import { type LoadedPackage, loadNativePackage, type LoadPackage } from "./native-package.ts"

/** A stream of a connection: bytes in order, in both directions. */
export interface NativeStream {
  /** Reads at most `most` bytes, as soon as some arrive. Returns null if the other side sends no more. */
  readonly read: (most: number) => Promise<Uint8Array | null>
  /** Resolves when the bytes fit into the receive window of the other side. One call at a time. */
  readonly write: (bytes: Uint8Array) => Promise<void>
  /** Ends the sending side. */
  readonly finishWrite: () => Promise<void>
  /** Drops bytes that were sent and not received. */
  readonly resetWrite: () => Promise<void>
  /** Requests that the other side send no more (`STOP_SENDING`). */
  readonly stopRead: () => Promise<void>
}

export interface NativeConnection {
  readonly inboundStream: () => Promise<NativeStream>
  readonly outboundStream: () => Promise<NativeStream>
  /** Closes at once. */
  readonly abort: () => void
  /** `/ip4/127.0.0.1/udp/8333/quic-v1/p2p/<identity>`. */
  readonly remoteMultiaddr: () => string
  /** Resolves when the connection ends, whichever side closed it. */
  readonly closed: () => Promise<void>
  readonly stats: () => { readonly frameRxConnectionClose: number }
}

export interface NativeServer {
  readonly port: () => number
  /** Returns the next connection whose handshake is complete. */
  readonly inboundConnection: () => Promise<NativeConnection>
  /** Closes all of its connections, then the socket. */
  readonly abort: () => Promise<void>
}

interface NativeClient {
  readonly outboundConnection: (ip: string, port: number) => Promise<NativeConnection>
  readonly abort: () => void
}

/** Times are in milliseconds, sizes in bytes. */
export interface NativeSettings {
  /** The private key in libp2p's encoding. */
  readonly privateKeyProto: Uint8Array
  readonly handshakeTimeout: number
  readonly shutdownTimeout: number
  readonly maxIdleTimeout: number
  readonly keepAliveInterval: number
  readonly maxConcurrentStreamLimit: number
  readonly maxStreamData: number
  readonly maxConnectionData: number
  readonly receiveBufferSize: number
  readonly sendBufferSize: number
}

/** A native configuration, which is opaque to JavaScript. */
export interface NativeConfig {
  readonly _: unique symbol
}

/** The binary of `@chainsafe/libp2p-quic`: QUIC by Quinn, with libp2p certificates. */
export interface QuicBinding {
  readonly QuinnConfig: new(settings: NativeSettings) => NativeConfig
  readonly Server: new(config: NativeConfig, ip: string, port: number) => NativeServer
  /** `family` is 0 for IPv4, 1 for IPv6. */
  readonly Client: new(config: NativeConfig, family: 0 | 1) => NativeClient
}

/** A binding, or the package that this machine lacks. */
export type LoadedBinding = LoadedPackage<QuicBinding>

const VERSION = "2.1.1"

const SUFFIXES: Readonly<Record<string, ReadonlyArray<string>>> = {
  linux: ["-gnu", "-musl"],
  win32: ["-msvc"],
  darwin: [""]
}

/** Returns the packages with a binary for a platform and a processor, by Node.js's names. */
export const bindingPackages = (platform: string, processor: string): ReadonlyArray<string> =>
  (SUFFIXES[platform] ?? [""]).map((suffix) => `@chainsafe/libp2p-quic-${platform}-${processor}${suffix}`)

/** Loads the binding that is installed for this machine. A test replaces `require` by `load`. */
export const loadQuicBinding = (
  load: LoadPackage = createRequire(import.meta.url),
  names: ReadonlyArray<string> = bindingPackages(process.platform, process.arch)
): LoadedBinding => loadNativePackage(load, names, VERSION)
