import {
  type IpcError,
  type ModuleEventType,
  RESERVED_EVENTS,
  type ReservedEvent
} from "@lockstep/protocol/module-ipc/index.ts"
import * as Effect from "effect/Effect"
import type { RequestHandlers, ModuleContext } from "./module-context.ts"
import { announceLoaded } from "./loaded.ts"

/** Events that modules may publish. All others belong to the node, which a module must not impersonate. */
export const PUBLISHABLE = {
  PaymentRequestCreated: true,
  PaymentSettled: true,
  PaymentFailed: true,
  PaymentVerified: true,
  PaymentRouteFound: true,
  PaymentRouteFailed: true,
  ChannelOpened: true,
  ChannelClosed: true,
  MiningJobCreated: true,
  ShareSubmitted: true,
  MergeMiningReward: true,
  MiningPoolConnected: true,
  MiningPoolDisconnected: true,
  GovernanceProposalCreated: true,
  GovernanceProposalVoted: true,
  GovernanceProposalMerged: true,
  GovernanceForkDetected: true,
  WebhookSent: true,
  WebhookFailed: true,
  MeshPacketReceived: true,
  StratumV2MessageReceived: true,
  StratumClientConnected: true,
  StratumClientDisconnected: true,
  FibreBlockEncoded: true,
  FibreBlockSent: true,
  CompanionUdpPeerRegistered: true,
  CompanionUdpPeerUnregistered: true,
  SelectiveSyncPolicyApplied: true,
  ActionExecuted: true,
  ModulePurchaseCompleted: true,
  IBDBlockFiltered: true,
  UtxoCommitmentReceived: true,
  UtxoCommitmentVerified: true,
  BanListShared: true,
  BanListReceived: true
} as const satisfies Partial<Readonly<Record<ModuleEventType, true>>>

const isReserved = (type: ModuleEventType): type is ReservedEvent => Object.hasOwn(RESERVED_EVENTS, type)

const neverSent = (type: ReservedEvent): IpcError => ({
  kind: undefined,
  text: `${type} is never sent: ${RESERVED_EVENTS[type]}`
})

/** Events that a module receives in full while it follows the chain, so that its channel does not repeat them. */
const CHAIN_STEPS: ReadonlyArray<ModuleEventType> = ["NewBlock", "BlockDisconnected"]

/** On the first subscription, notifies the module of those loaded before it, and announces it to the others. */
const subscribed = (context: ModuleContext): Effect.Effect<void> => {
  const { module, modules } = context
  if (module.isLoaded) return Effect.void
  if (module.channel.wants("ModuleLoaded")) {
    for (const { isLoaded, name: module_name, version } of modules.values()) {
      if (isLoaded) module.channel.offer({ _tag: "ModuleLoaded", module_name, version })
    }
  }
  return announceLoaded(module)
}

/** Handlers of requests about events. */
export const EVENT_REQUESTS: RequestHandlers<
  "SubscribeEvents" | "FollowChain" | "FollowNotifications" | "FollowMempool" | "PublishEvent"
> = {
  SubscribeEvents: (context, { event_types }) =>
    Effect.suspend(() => {
      const { channel, follower } = context.module
      const reserved = event_types.find(isReserved)
      if (reserved !== undefined) return Effect.fail(neverSent(reserved))
      const isNew = !channel.wants("ConfigLoaded")
      channel.subscribe(
        follower.isFollowing() ? event_types.filter((type) => !CHAIN_STEPS.includes(type)) : event_types
      )
      if (isNew && channel.wants("ConfigLoaded")) channel.offer(context.configLoaded)
      return Effect.as(subscribed(context), { _tag: "SubscribeAck" } as const)
    }),

  FollowChain: (context, { from_block }) =>
    Effect.gen(function*() {
      const { channel, follower } = context.module
      yield* follower.follow(from_block)
      channel.unsubscribe(CHAIN_STEPS)
      yield* subscribed(context)
      return { _tag: "SubscribeAck" } as const
    }),

  /** This is no subscription: the module may have more to register before it counts as loaded. */
  FollowNotifications: ({ module }) => Effect.as(module.followNotifications, { _tag: "SubscribeAck" }),

  FollowMempool: (context, { from_cursor }) =>
    Effect.gen(function*() {
      yield* context.module.mempoolFollower.follow(from_cursor)
      yield* subscribed(context)
      return { _tag: "SubscribeAck" } as const
    }),

  PublishEvent: ({ events, module }, { event_type, payload }) => {
    if (isReserved(event_type)) return Effect.fail(neverSent(event_type))
    if (!Object.hasOwn(PUBLISHABLE, event_type)) {
      return Effect.fail({ kind: "PermissionDenied", text: `${event_type} is an event of the node` })
    }
    return module.publishing.spend.pipe(Effect.andThen(events.publish(payload)), Effect.as({ _tag: "EventPublished" }))
  }
}
