import type { ModuleEventPayload } from "@lockstep/protocol/module-ipc/index.ts"
import type { NodeClient } from "../client/node-client.ts"
import { NetworkStream } from "./network-stream.ts"

/** Where a module listens. */
export interface NetworkListener {
  /** With the port, also where the system chose it. */
  readonly address: string
  readonly close: () => Promise<void>
}

/** The network of a module: sockets that the node holds for it, at places that the manifest or the operator names. */
export interface ModuleNetwork {
  /** Listens at `host:port`; port 0 is one that the system chooses. */
  readonly listen: (address: string, take: (stream: NetworkStream) => void) => Promise<NetworkListener>
  /** Connects over TCP to `host:port`. */
  readonly connect: (address: string) => Promise<NetworkStream>
}

type Accepted = Extract<ModuleEventPayload, { readonly _tag: "NetworkAccepted" }>

/** A network, and where the node's events about it go. */
export interface OpenNetwork {
  readonly network: ModuleNetwork
  /** Takes an event about the network; whether it was one. */
  readonly take: (event: ModuleEventPayload) => boolean
  /** Everything is over. */
  readonly end: () => void
}

/** A network without connections. */
export const openNetwork = (node: NodeClient): OpenNetwork => {
  const streams = new Map<number, NetworkStream>()
  const listeners = new Map<number, (stream: NetworkStream) => void>()
  /** Connections whose listener is not known yet: its answer came in the same piece of data. */
  const early = new Set<Accepted>()
  let listening = 0

  const add = (id: number, address: string): NetworkStream => {
    const stream = new NetworkStream(node, id, address)
    streams.set(id, stream)
    stream.once("close", () => streams.delete(id))
    return stream
  }

  const accept = (event: Accepted): void => {
    const { address, connection_id, listener_id } = event
    const take = listeners.get(listener_id)
    if (take !== undefined) take(add(connection_id, address))
    else if (listening > 0) early.add(event)
    // It may be over by itself.
    else void node.ask("CloseNetwork", { connection_id, now: true }).catch(() => undefined)
  }

  return {
    network: {
      listen: async (address, take) => {
        listening++
        const answer = node.ask("ListenNetwork", { address }).finally(() => listening--)
        const { address: bound, listener_id } = await answer
        listeners.set(listener_id, take)
        const waiting = [...early]
        early.clear()
        waiting.forEach(accept)
        return {
          address: bound,
          close: async () => {
            listeners.delete(listener_id)
            await node.ask("CloseNetworkListener", { listener_id })
          }
        }
      },
      connect: async (address) => {
        const { address: remote, connection_id } = await node.ask("ConnectNetwork", { address })
        return add(connection_id, remote)
      }
    },

    take: (event) => {
      switch (event._tag) {
        case "NetworkAccepted":
          accept(event)
          return true
        case "NetworkReceived":
          streams.get(event.connection_id)?.receive(event.data)
          return true
        case "NetworkEnded":
          streams.get(event.connection_id)?.endInput()
          return true
        case "NetworkDrained":
          streams.get(event.connection_id)?.drain()
          return true
        case "NetworkClosed":
          streams.get(event.connection_id)?.close(event.error)
          return true
        default:
          return false
      }
    },

    end: () => {
      for (const stream of streams.values()) stream.destroy()
    }
  }
}
