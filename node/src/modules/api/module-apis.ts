import type { IpcError, ModuleHealth } from "@lockstep/protocol/module-ipc/index.ts"
import * as Effect from "effect/Effect"
import * as Scope from "effect/Scope"
import { monotonicClock } from "../../clock.ts"
import type { DeliveryStatistics } from "../../events/event-bus.ts"
import { acquireRelease } from "../../finalizers/finalizers.ts"
import { notificationFollower } from "../events/notification-follower.ts"
import type { SendEvent } from "../events/module-channel.ts"
import type { ConnectionEnd } from "../ipc/connection.ts"
import type { AnswerTerms } from "../ipc/request-answers.ts"
import type { ModuleSession } from "../ipc/session.ts"
import { moduleNetwork } from "../network/module-network.ts"
import { chainFollower } from "./chain-follower.ts"
import { answerModuleRequest } from "./handlers.ts"
import { announceLoaded } from "./loaded.ts"
import type { NodeSide } from "./module-context.ts"
import { followedMempool, mempoolFollower } from "./mempool-follower.ts"
import { watchedCalls } from "./module-health.ts"
import { type ModuleMethods, moduleMethods } from "./module-methods.ts"
import type { ModuleFacts, ModuleState } from "./module-state.ts"
import { moduleStorage } from "./module-storage.ts"
import { moduleTimers } from "./module-timers.ts"
import { publishAllowance } from "./publish-allowance.ts"
import { receivedBlocks } from "./received-blocks.ts"
import { reportedMetrics } from "./reported-metrics.ts"
import { ownServePolicy } from "./own-serve-policy.ts"

/** The API of one connected module. */
export interface OpenApi extends AnswerTerms {
  /** Handles the module's requests and sends it events until its connection ends; fails with the reason. */
  readonly serve: (session: ModuleSession) => Effect.Effect<never, ConnectionEnd>
  /** Announces once that the module is loaded, for a module that may not subscribe. */
  readonly announceLoaded: Effect.Effect<void>
  readonly events: () => DeliveryStatistics
  /** Health that the module reported last, or unresponsive if it does not answer. */
  readonly health: () => ModuleHealth
}

/** The APIs of all modules. */
export interface ModuleApis extends ModuleMethods {
  /**
   * Opens the API for a module. Everything that the node holds for the module ends with the scope. `announce` publishes
   * that the module is loaded; it runs once, when the module has subscribed.
   */
  readonly open: (facts: ModuleFacts, announce: Effect.Effect<void>) => Effect.Effect<OpenApi, never, Scope.Scope>
}

const NOT_SERVED: IpcError = { kind: "ConnectionError", text: "the module is not connected" }

/** The API of a node without any module. */
export const openModuleApis = (node: NodeSide): ModuleApis => {
  const modules = new Map<string, ModuleState>()
  const mempool = followedMempool(node.chain)

  const open: ModuleApis["open"] = Effect.fnUntraced(function*(facts, announce) {
    const scope = yield* Scope.Scope
    const channel = yield* node.events.open(facts.name)
    let session: ModuleSession | undefined
    const sendEvent: SendEvent<ConnectionEnd> = (payload) =>
      session === undefined ? Effect.never : session.sendEvent(payload)
    const module: ModuleState = {
      ...facts,
      channel,
      follower: chainFollower(node, scope, sendEvent),
      mempoolFollower: mempoolFollower(node, mempool, scope, sendEvent),
      followNotifications: notificationFollower(node.chain, scope, sendEvent),
      network: yield* moduleNetwork(scope, facts.networkRules, sendEvent),
      storage: moduleStorage(scope, facts.storageDirectory),
      timers: moduleTimers(scope, (timer_id) => void channel.offer({ _tag: "TimerFired", timer_id })),
      metrics: reportedMetrics(),
      blocks: receivedBlocks(scope),
      servePolicy: yield* ownServePolicy,
      publishing: publishAllowance(yield* monotonicClock),
      methods: new Map(),
      invoke: watchedCalls(
        () => module,
        node.publish,
        (invocation) => session === undefined ? Effect.fail(NOT_SERVED) : session.invoke(invocation)
      ),
      announce,
      moduleApi: undefined,
      cliSpec: undefined,
      health: { _tag: "Healthy" },
      isLoaded: false
    }
    yield* acquireRelease(
      Effect.sync(() => void modules.set(facts.name, module)),
      () => Effect.sync(() => modules.get(facts.name) === module && modules.delete(facts.name))
    )
    const context = { ...node, module, modules }
    return {
      permissions: facts.permissions,
      handle: (request) => answerModuleRequest(context, request),
      serve: (served) =>
        Effect.suspend(() => {
          session = served
          return Effect.raceFirst(served.serve, channel.deliver(served.outlet))
        }),
      announceLoaded: announceLoaded(module),
      events: channel.statistics,
      health: () => module.health
    }
  })

  return { open, ...moduleMethods(modules) }
}
