import { Count, inCategory, Satoshis, Text } from "./event-type.ts"

const payment = inCategory("Payment")

/** Events of payments and channels, which modules emit. */
export const PAYMENT_EVENTS = {
  PaymentRequestCreated: payment("a payment request was made", { payment_id: Text, amount: Satoshis }),
  PaymentSettled: payment("a payment is final", { payment_id: Text, amount: Satoshis }),
  PaymentFailed: payment("a payment failed", { payment_id: Text, reason: Text }),
  PaymentVerified: payment("a payment was verified", { payment_id: Text, confirmations: Count }),
  PaymentRouteFound: payment("a route for a payment was found", { payment_id: Text, hops: Count, fee: Satoshis }),
  PaymentRouteFailed: payment("no route for a payment was found", { payment_id: Text, reason: Text }),
  ChannelOpened: payment("a channel is open", { channel_id: Text, capacity: Satoshis }),
  ChannelClosed: payment("a channel is closed", { channel_id: Text, reason: Text })
} as const
