import { createRequire } from "node:module"
import { type LoadedPackage, loadNativePackage, type LoadPackage } from "../../../quic/native-package.ts"

/** Bytes as the binding takes and gives them: each is a number of an array. */
export type Numbers = ReadonlyArray<number>

/** A public key. Only the binding looks into it. */
export interface IrohId {
  /** 64 hexadecimal digits. */
  readonly toString: () => string
}

/** A node: its key, and where it may be. */
export interface IrohPlace {
  readonly directAddresses: () => ReadonlyArray<string>
}

export interface IrohStream {
  readonly send: { readonly writeAll: (bytes: Numbers) => Promise<void> }
  /** Answers as soon as there are some, at most so many; none: the other side sends no more. */
  readonly recv: { readonly read: (most: number) => Promise<Numbers> }
}

export interface IrohConnection {
  /** The key that the other side has proved. */
  readonly remoteId: () => IrohId
  readonly openBi: () => Promise<IrohStream>
  readonly acceptBi: () => Promise<IrohStream>
  /** Ends with the connection, in words: `closed by peer: …`, `timed out`, `closed`. */
  readonly closed: () => Promise<string>
  /** Closes at once. */
  readonly close: (code: bigint, reason: Numbers) => void
  readonly setReceiveWindow: (bytes: bigint) => void
  readonly setMaxConcurrentBiStreams: (count: bigint) => void
  readonly setMaxConcurrentUniStreams: (count: bigint) => void
}

/** A connection of another node before its handshake. */
export interface IrohIncoming {
  readonly accept: () => Promise<{ readonly connect: () => Promise<IrohConnection> }>
  readonly refuse: () => Promise<void>
  /** `kind` is `ip` where no relay stands between; `addr` is then address and port. */
  readonly remoteAddr: () => Promise<{ readonly kind: string; readonly addr?: string }>
}

/** The sockets of a node, of both families, and its key. */
export interface IrohSockets {
  readonly id: () => IrohId
  readonly boundSockets: () => ReadonlyArray<string>
  readonly connect: (place: IrohPlace, protocol: Numbers) => Promise<IrohConnection>
  /** Null once all is closed. */
  readonly acceptNext: () => Promise<IrohIncoming | null>
  /** Closes all connections, then the sockets. */
  readonly close: () => Promise<void>
}

interface IrohBuilder {
  /** No relays, no look-up of addresses. */
  readonly applyMinimal: () => void
  readonly relayMode: (mode: IrohRelayMode) => void
  readonly secretKey: (bytes: Numbers) => void
  readonly alpns: (protocols: ReadonlyArray<Numbers>) => void
  /** At most once for each family of addresses. */
  readonly bindAddr: (place: string) => void
  readonly bind: () => Promise<IrohSockets>
}

/** Only the binding looks into it. */
interface IrohRelayMode {
  readonly _: unique symbol
}

/** What the binary of `@number0/iroh` offers, as far as the node uses it. */
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

/** Packages with a binary for a platform and a processor, by Node.js's names. */
export const irohPackages = (platform: string, processor: string): ReadonlyArray<string> =>
  (SUFFIXES[platform] ?? [""]).map((suffix) => `@number0/iroh-${platform}-${processor}${suffix}`)

/** Loads the binding that is installed for this machine. `load`: what a test puts in place of `require`. */
export const loadIrohBinding = (
  load: LoadPackage = createRequire(import.meta.url),
  names: ReadonlyArray<string> = irohPackages(process.platform, process.arch)
): LoadedIroh => loadNativePackage(load, names, VERSION)
