import * as Effect from "effect/Effect"
import { randomBytes } from "node:crypto"
import { isIPv6 } from "node:net"
import { join } from "node:path"
import type { Duplex } from "node:stream"
import type { HostPort, NodeConfig } from "../../config/config.ts"
import { parseHostPort } from "../../config/host-port.ts"
import { splitNode } from "../../net/written-node.ts"
import { loadQuicBinding, type NativeConnection } from "../../quic/quic-binding.ts"
import { loadQuicKey } from "../../quic/quic-key.ts"
import { remoteOf } from "../../quic/quic-remote.ts"
import { quicSettings } from "../../quic/quic-settings.ts"
import { quicSocket } from "../../quic/quic-socket.ts"
import { commandFailed, type CommandFailure } from "../command-failure.ts"
import type { Via } from "./node-client.ts"

/** File in the data directory with the key that identifies this caller to nodes. */
const CALLER_KEY = "rpc_quic_caller_key"

const TIMEOUT_MS = 10_000
const WINDOW = 4_000_000
const FORM = "write quic://<identity>@<host>:<port>, as the log of the node has it (RPC listens over QUIC)"

const whereOf = (address: string): { readonly identity: string; readonly bind: HostPort } | undefined => {
  const written = splitNode(address)
  const bind = written && parseHostPort(written.place)
  const identity = written?.quic?.identity
  return bind === undefined || identity === undefined ? undefined : { bind, identity }
}

/** Opens a stream to the server with exactly that identity, because it gets the credentials. */
const streamTo = async (native: NativeConnection, wanted: string): Promise<Duplex> => {
  const identity = remoteOf(native)?.quic?.identity ?? "none"
  if (identity !== wanted) throw new Error(`another server answers there: its identity is ${identity}, not ${wanted}`)
  return quicSocket(await native.outboundStream(), { remoteAddress: "", remotePort: 0, identity })
}

/** Connects to a node over QUIC. The node identifies the caller by the key in its data directory. */
export const viaQuic = Effect.fnUntraced(function*(
  { dataDirectory }: Pick<NodeConfig, "dataDirectory">,
  address: string
): Effect.fn.Return<Via, CommandFailure> {
  const where = whereOf(address)
  if (where === undefined) return yield* commandFailed(`--quic: ${address} is no address of a node over QUIC`, FORM)
  const loaded = loadQuicBinding()
  if (loaded._tag === "Missing") {
    return yield* commandFailed(
      `--quic needs a binary for QUIC: install ${loaded.packages.join(" or ")}`,
      loaded.reason
    )
  }
  const path = join(dataDirectory, CALLER_KEY)
  const key = yield* Effect.catch(loadQuicKey(path, () => randomBytes(32)), ({ message }) => commandFailed(message))
  const { bind, identity } = where
  return {
    bind,
    called: `the certificate ${key.identity}`,
    open: async () => {
      const { Client, QuinnConfig } = loaded.binding
      const config = new QuinnConfig(
        quicSettings({ key, handshakeMs: TIMEOUT_MS, idleMs: TIMEOUT_MS, streams: 1, window: WINDOW })
      )
      const client = new Client(config, isIPv6(bind.host) ? 1 : 0)
      try {
        const native = await client.outboundConnection(bind.host === "localhost" ? "127.0.0.1" : bind.host, bind.port)
        const end = (): void => {
          native.abort()
          client.abort()
        }
        return await streamTo(native, identity).then((socket) => ({ socket, end }), (cause: unknown) => {
          native.abort()
          throw cause
        })
      } catch (cause) {
        client.abort()
        throw cause
      }
    }
  }
})
