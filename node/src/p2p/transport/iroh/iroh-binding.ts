import { createRequire } from "node:module"
import { type LoadedPackage, loadNativePackage, type LoadPackage } from "../../../quic/native-package.ts"

/** Bytes in the form of the binding: an array of numbers. */
export type Numbers = ReadonlyArray<number>

/** A public key, opaque to this node. */
export interface IrohId {
  /** Returns 64 hexadecimal digits. */
  readonly toString: () => string
}

/** A node: its key, and its possible addresses. */
export interface IrohPlace {
  readonly directAddresses: () => ReadonlyArray<string>
}

export interface IrohStream {
  readonly send: { readonly writeAll: (bytes: Numbers) => Promise<void> }
  /** Returns up to `most` bytes as soon as any arrive; an empty array at the end of the stream. */
  readonly recv: { readonly read: (most: number) => Promise<Numbers> }
}

export interface IrohConnection {
  /** Returns the key that the other side has proved. */
  readonly remoteId: () => IrohId
  readonly openBi: () => Promise<IrohStream>
  readonly acceptBi: () => Promise<IrohStream>
  /** Settles when the connection ends, with text such as `closed by peer: …`, `timed out` or `closed`. */
  readonly closed: () => Promise<string>
  /** Closes at once. */
  readonly close: (code: bigint, reason: Numbers) => void
  readonly setReceiveWindow: (bytes: bigint) => void
  readonly setMaxConcurrentBiStreams: (count: bigint) => void
  readonly setMaxConcurrentUniStreams: (count: bigint) => void
}

/** A connection of another node, before its handshake. */
export interface IrohIncoming {
  readonly accept: () => Promise<{ readonly connect: () => Promise<IrohConnection> }>
  readonly refuse: () => Promise<void>
  /** Returns the remote address. `kind` is `ip` without a relay; `addr` is then address and port. */
  readonly remoteAddr: () => Promise<{ readonly kind: string; readonly addr?: string }>
}

/** The sockets of a node, for both address families, with its key. */
export interface IrohSockets {
  readonly id: () => IrohId
  readonly boundSockets: () => ReadonlyArray<string>
  readonly connect: (place: IrohPlace, protocol: Numbers) => Promise<IrohConnection>
  /** Returns the next connection, or null once the sockets are closed. */
  readonly acceptNext: () => Promise<IrohIncoming | null>
  /** Closes all connections, then the sockets. */
  readonly close: () => Promise<void>
}

interface IrohBuilder {
  /** Disables relays and address lookup. */
  readonly applyMinimal: () => void
  readonly relayMode: (mode: IrohRelayMode) => void
  readonly secretKey: (bytes: Numbers) => void
  readonly alpns: (protocols: ReadonlyArray<Numbers>) => void
  /** Binds an address; at most once for each address family. */
  readonly bindAddr: (place: string) => void
  readonly bind: () => Promise<IrohSockets>
}

/** Opaque to this node. */
interface IrohRelayMode {
  readonly _: unique symbol
}

/** The part of the binary of `@number0/iroh` that this node uses. */
export interface IrohBinding {
  readonly Endpoint: { readonly builder: () => IrohBuilder }
  readonly EndpointAddr: new(id: IrohId, relay: null, addresses: ReadonlyArray<string>) => IrohPlace
  readonly EndpointId: { readonly fromString: (text: string) => IrohId }
  readonly RelayMode: { readonly disabled: () => IrohRelayMode }
}

export type LoadedIroh = LoadedPackage<IrohBinding>

const VERSION = "1.1.0"

const SUFFIXES: Readonly<Record<string, ReadonlyArray<string>>> = {
  linux: ["-gnu", "-musl"],
  win32: ["-msvc"],
  darwin: [""]
}

/** Returns the packages with a binary for a platform and a processor, by Node.js's names. */
export const irohPackages = (platform: string, processor: string): ReadonlyArray<string> =>
  (SUFFIXES[platform] ?? [""]).map((suffix) => `@number0/iroh-${platform}-${processor}${suffix}`)

/** Loads the binding that is installed for this machine. Tests replace `load`. */
export const loadIrohBinding = (
  load: LoadPackage = createRequire(import.meta.url),
  names: ReadonlyArray<string> = irohPackages(process.platform, process.arch)
): LoadedIroh => loadNativePackage(load, names, VERSION)
