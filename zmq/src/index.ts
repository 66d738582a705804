/** Bitcoin Core's notifications through ZeroMQ. */
export {
  DEFAULT_HIGH_WATER,
  type Notifications,
  type Notifier,
  openNotifications,
  type OpenPublisher,
  type PublishedTransaction,
  type Topic,
  TOPICS
} from "./notifications.ts"
export { subscribersOf } from "./zmtp/publisher.ts"
