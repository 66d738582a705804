import type { Command, JsonValue, RpcMethod } from "@lockstep/sdk"
import { shownUrl } from "./hook.ts"
import type { Outbox, QueuedHook } from "./queue/outbox.ts"
import type { DeliveryWorker } from "./send/deliver.ts"
import type { SETTINGS } from "./settings.ts"

/** A hook that is served. */
export interface ServedHook extends QueuedHook {
  readonly worker: DeliveryWorker
}

/** State that methods and commands work on. */
export interface Served {
  readonly outbox: Outbox
  readonly hooks: ReadonlyArray<ServedHook>
}

type Methods = Readonly<Record<string, RpcMethod<typeof SETTINGS>>>
type Commands = Readonly<Record<string, Command<typeof SETTINGS>>>

const SECOND = 1_000

const hookJson = ({ hook, queue, worker }: ServedHook) => {
  const { consecutiveFailures, failures, lastError, nextAttempt, sent, state } = worker.facts()
  return {
    name: hook.name,
    url: shownUrl(hook),
    events: [...hook.events],
    state,
    waiting: queue.waiting(),
    sent,
    failures,
    consecutive_failures: consecutiveFailures,
    dropped: queue.dropped(),
    ...lastError !== undefined && { last_error: lastError },
    ...nextAttempt !== undefined && { next_attempt: Math.ceil(nextAttempt / SECOND) }
  }
}

const named = ({ hooks }: Served, name: unknown): ServedHook => {
  const found = hooks.find(({ hook }) => hook.name === name)
  if (found !== undefined) return found
  throw new Error(`there is no hook ${String(name)}; there are ${hooks.map(({ hook }) => hook.name).join(", ")}`)
}

/** Returns the name given by position or by name. */
const nameIn = (params: JsonValue): unknown =>
  Array.isArray(params) ? params[0] : (params as { readonly name?: unknown } | null)?.name

const retry = (served: Served, name: unknown) => {
  const { queue, worker } = named(served, name)
  worker.retry()
  return { waiting: queue.waiting() }
}

const skip = async (served: Served, name: unknown) => ({ skipped: await named(served, name).worker.skip() ?? null })

const test = async (served: Served, name: unknown) => ({ waiting: await served.outbox.putTest(named(served, name)) })

/** RPC methods. */
export const methodsOf = (served: () => Served): Methods => ({
  getwebhooks: {
    description: "Lists the hooks, what waits for each, and how deliveries go.",
    call: () => served().hooks.map(hookJson)
  },
  retrywebhook: {
    description: "Ends the pause before the next attempt of a hook.",
    call: (params) => retry(served(), nameIn(params))
  },
  skipwebhook: {
    description: "Gives up the oldest event that waits for a hook, and answers its id.",
    call: (params) => skip(served(), nameIn(params))
  },
  testwebhook: {
    description: "Sends a test event to a hook, behind what waits for it.",
    call: (params) => test(served(), nameIn(params))
  }
})

const line = (hook: ReturnType<typeof hookJson>): string =>
  `${hook.name}: ${hook.state}, ${hook.waiting} waiting, ${hook.sent} sent, ${hook.failures} failed, ${hook.dropped} dropped${
    "last_error" in hook ? ` (${hook.last_error})` : ""
  }\n`

const NAME = [{ name: "name", about: "The hook", required: true }]

/** Commands below `webhooks`. */
export const commandsOf = (served: () => Served): Commands => ({
  list: {
    about: "Lists the hooks and how deliveries go.",
    run: () => ({ stdout: served().hooks.map((hook) => line(hookJson(hook))).join("") })
  },
  retry: {
    about: "Ends the pause before the next attempt of a hook.",
    arguments: NAME,
    run: ([name]) => ({ stdout: `${retry(served(), name).waiting} waiting\n` })
  },
  skip: {
    about: "Gives up the oldest event that waits for a hook.",
    arguments: NAME,
    run: async ([name]) => ({ stdout: `${(await skip(served(), name)).skipped ?? "nothing"} skipped\n` })
  },
  test: {
    about: "Sends a test event to a hook.",
    arguments: NAME,
    run: async ([name]) => ({ stdout: `${(await test(served(), name)).waiting} waiting\n` })
  }
})
