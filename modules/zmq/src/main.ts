import { type ModuleNetwork, runModule } from "@lockstep/sdk"
import { type Notifications, type OpenPublisher, openNotifications, subscribersOf } from "@lockstep/zmq"
import { notifiersOf, placeOf, SETTINGS } from "./notifiers.ts"
import { publish } from "./publish.ts"

/** Sockets that the node holds for this module. */
const overNode = (network: ModuleNetwork): OpenPublisher => async (address, highWater) => {
  const { end, publish: send, serve } = subscribersOf(highWater)
  const listener = await network.listen(placeOf(address)!, serve)
  return {
    publish: send,
    close: async () => {
      await listener.close()
      end()
    }
  }
}

let notifications: Notifications | undefined

await runModule({
  version: "0.1.0",
  settings: SETTINGS,
  setup: async ({ network, node, settings }) => {
    notifications = await openNotifications(notifiersOf(settings), overNode(network))
    await node.ask("FollowNotifications")
  },
  events: {
    Notified: ({ notification }, { node }) => publish(node, notifications!, notification),
    EventsDropped: ({ dropped }) => notifications?.missed(dropped)
  },
  rpc: {
    getzmqnotifications: {
      description: "Lists what is published through ZeroMQ.",
      overrides: true,
      call: () =>
        (notifications?.notifiers ?? []).map(({ address, highWater, topic }) => ({
          type: `pub${topic}`,
          address,
          hwm: highWater
        }))
    }
  }
})
