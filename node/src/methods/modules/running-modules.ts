import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { ModuleStatus } from "../../modules/lifecycle/module-status.ts"
import { healthText } from "../../modules/lifecycle/health-text.ts"
import type { Modules } from "../../modules/lifecycle/modules.ts"
import type { ModulesError } from "../../modules/lifecycle/modules-error.ts"
import type { ProcessFigures } from "../../modules/lifecycle/spawn.ts"
import { described, optionalDescribed } from "../../answers/result-schema.ts"
import { type CallError, callError, type CallErrorTag } from "../../queries/call-error.ts"
import type { MethodNode } from "../definition/method-node.ts"
import { byFront } from "../../front/front.ts"

const OFF = callError(
  "Misc",
  byFront({
    lockstep:
      "Error: The node runs no modules, or has not started them yet; [modules].enabled = true makes it run them",
    bitcoind: "Error: The node runs no modules"
  })
)

/** A module as callers see it. */
export const ModuleObject = Schema.Struct({
  name: described(Schema.String, "The name of the module; of a refused one, that of its directory"),
  version: optionalDescribed(Schema.String, "Its version, unless it was refused"),
  description: optionalDescribed(Schema.String, "What it is for, in its own words"),
  status: described(
    Schema.Literals([
      "starting",
      "connected",
      "loaded",
      "reconnecting",
      "stopping",
      "backing off",
      "crashed",
      "unloaded",
      "refused"
    ]),
    "What it does; \"connected\": it runs, and has not subscribed to events yet; \"reconnecting\": it runs, and has lost its connection"
  ),
  pid: optionalDescribed(Schema.Number, "Its process"),
  restarts: described(Schema.Number, "How often it was started again since it last ran for ten minutes"),
  memory_bytes: optionalDescribed(Schema.Number, "Memory of its process, in RAM or swapped out"),
  cpu_seconds: optionalDescribed(Schema.Number, "Processor time of its process"),
  requests: optionalDescribed(
    Schema.Struct({
      answered: described(Schema.Number, "Requests of its process that the node answered"),
      refused: described(Schema.Number, "Those that it refused")
    }),
    "What it asked of the node"
  ),
  events: optionalDescribed(
    Schema.Struct({
      delivered: described(Schema.Number, "Events that were sent to its process"),
      failed: described(Schema.Number, "Those that its connection did not take"),
      dropped: described(Schema.Number, "Those that were dropped, since it is too slow")
    }),
    "What the node sent it"
  ),
  health: optionalDescribed(Schema.String, "What it said of itself last"),
  capabilities: described(Schema.Array(Schema.String), "What it may ask of the node"),
  directory: described(Schema.String, "Where it is"),
  errors: described(Schema.Array(Schema.String), "Why it does not run")
})

const MILLISECOND = 1e-3

const figuresObject = ({ events, health, requests, usage }: ProcessFigures) => ({
  ...usage === undefined
    ? {}
    : { memory_bytes: usage.memoryBytes, cpu_seconds: usage.processorMs * MILLISECOND },
  requests: { ...requests },
  events: { delivered: events.delivered, failed: events.failed, dropped: events.channelFull },
  health: healthText(health)
})

/** Describes a module for callers. */
export const moduleObject = ({ capabilities, description, figures, pid, version, ...status }: ModuleStatus) => ({
  ...status,
  ...figures === undefined ? {} : figuresObject(figures),
  ...version === undefined ? {} : { version },
  ...description === undefined ? {} : { description },
  ...pid === undefined ? {} : { pid },
  capabilities: [...capabilities],
  errors: [...status.errors]
})

const TAGS: Readonly<Record<ModulesError["reason"], CallErrorTag>> = {
  unknown: "InvalidParameter",
  refused: "Verify",
  "in the way": "Misc",
  failed: "Misc"
}

/** Returns the modules' answer, or the error of a call that they cannot answer. */
export const fromModules = <A>(
  { modules }: MethodNode,
  answer: (modules: Modules) => Effect.Effect<A, ModulesError>
): Effect.Effect<A, CallError> => {
  const running = modules()
  if (running === undefined) return Effect.fail(OFF)
  return Effect.mapError(answer(running), ({ message, reason }) => callError(TAGS[reason], `Error: ${message}`))
}
