import { runModule } from "@lockstep/sdk"
import { type Notifications, openNotifications } from "@lockstep/zmq"
import { notifiersOf, SETTINGS } from "./notifiers.ts"
import { overNode } from "./over-node.ts"
import { publish } from "./publish.ts"

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
