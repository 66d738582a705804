import * as Effect from "effect/Effect"
import type { RequestHandlers } from "./module-context.ts"

/** Handlers of requests about sockets. The node holds them, since a module has no network of its own. */
export const SOCKET_REQUESTS: RequestHandlers<
  "ListenNetwork" | "CloseNetworkListener" | "ConnectNetwork" | "SendNetwork" | "GrantNetwork" | "CloseNetwork"
> = {
  ListenNetwork: ({ module: { network } }, { address }) =>
    Effect.map(network.listen(address), (opened) => ({
      _tag: "NetworkListening",
      listener_id: opened.id,
      address: opened.address
    })),
  CloseNetworkListener: ({ module: { network } }, { listener_id }) =>
    Effect.as(network.closeListener(listener_id), { _tag: "NetworkClosing" }),
  ConnectNetwork: ({ module: { network } }, { address }) =>
    Effect.map(network.connect(address), (opened) => ({
      _tag: "NetworkConnected",
      connection_id: opened.id,
      address: opened.address
    })),
  SendNetwork: ({ module: { network } }, { connection_id, data }) =>
    Effect.map(network.send(connection_id, data), (is_full) => ({ _tag: "NetworkSent", is_full })),
  GrantNetwork: ({ module: { network } }, { bytes, connection_id }) =>
    Effect.as(network.grant(connection_id, bytes), { _tag: "NetworkGranted" }),
  CloseNetwork: ({ module: { network } }, { connection_id, now }) =>
    Effect.as(network.close(connection_id, now), { _tag: "NetworkClosing" })
}
