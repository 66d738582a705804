import type { ModuleEventPayload } from "@lockstep/protocol/module-ipc/index.ts"
import type { NodeClient } from "../client/node-client.ts"
import { NetworkStream } from "./network-stream.ts"

/** A listener of a module. */
export interface NetworkListener {
  /** Address with the port, which may be chosen by the system. */
  readonly address: string
  readonly close: () => Promise<void>
}

/** Network of a module. The node holds the sockets, at addresses that the manifest or the operator names. */
export interface ModuleNetwork {
  /** Listens on `host:port`. Port 0 lets the system choose one. */
  readonly listen: (address: string, take: (stream: NetworkStream) => void) => Promise<NetworkListener>
  /** Connects over TCP to `host:port`. */
  readonly connect: (address: string) => Promise<NetworkStream>
}

type Accepted = Extract<ModuleEventPayload, { readonly _tag: "NetworkAccepted" }>

/** A network, with the receiver of the node's events about it. */
export interface OpenNetwork {
  readonly network: ModuleNetwork
  /** Handles an event about the network; returns false for any other event. */
  readonly take: (event: ModuleEventPayload) => boolean
  /** Ends all connections and listeners. */
  readonly end: () => void
}

/** A network without connections. */
export const openNetwork = (node: NodeClient): OpenNetwork => {
  const streams = new Map<number, NetworkStream>()
  const listeners = new Map<number, (stream: NetworkStream) => void>()
  /** Connections whose listener is not known yet, since the answer with its id arrived in the same chunk. */
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
    // The connection may have ended already.
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
