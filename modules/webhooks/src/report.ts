import type { NodeClient } from "@lockstep/sdk"
import { type Hook, shownUrl } from "./hook.ts"
import type { DeliveryReports } from "./send/deliver.ts"

const SECOND = 1_000

/** Reports deliveries of a hook in the log, as metrics, and as events for other modules. */
export const reportsOf = (node: NodeClient, hook: Hook): DeliveryReports => {
  const { name } = hook
  const webhook_url = shownUrl(hook)
  let [sent, failed] = [0, 0]

  const count = (metric: string, value: number): void =>
    void node.ask("ReportMetric", {
      metric: {
        name: metric,
        value: { _tag: "Counter", value },
        labels: new Map([["hook", name]]),
        timestamp: Math.floor(Date.now() / SECOND)
      }
    }).catch(() => undefined)

  // The node may refuse metrics and events beyond its rate; the log and the queue are complete.
  return {
    sent: (event_type) => {
      count(`webhooks_sent_${name}`, ++sent)
      // The node refuses more than a few of these per second; the counter includes them all.
      const payload = { _tag: "WebhookSent", webhook_url, event_type, success: true } as const
      void node.ask("PublishEvent", { event_type: "WebhookSent", payload }).catch(() => undefined)
    },
    failed: (event_type, error, { isDead, isFirst }) => {
      count(`webhooks_failed_${name}`, ++failed)
      if (isFirst) node.log("Warn", `the hook ${name} failed: ${error}; it is tried again`)
      if (isDead) node.log("Error", `the hook ${name} is dead: ${error}; its events wait`)
      const payload = { _tag: "WebhookFailed", webhook_url, event_type, error } as const
      void node.ask("PublishEvent", { event_type: "WebhookFailed", payload }).catch(() => undefined)
    },
    recovered: (failures) => node.log("Info", `the hook ${name} works again after ${failures} failed attempts`)
  }
}
