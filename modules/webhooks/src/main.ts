import { type ModuleContext, moduleEnvironment, type ModuleEventPayload, runModule } from "@lockstep/sdk"
import { readFileSync } from "node:fs"
import { join, normalize } from "node:path"
import { commandsOf, methodsOf, type Served } from "./control.ts"
import { eventData } from "./event-json.ts"
import type { Hook } from "./hook.ts"
import { type ChainFollower, chainFollower } from "./follow-chain.ts"
import { readHooks } from "./read-hooks.ts"
import { reportsOf } from "./report.ts"
import { openOutbox } from "./queue/outbox.ts"
import { deliver } from "./send/deliver.ts"
import { httpSender } from "./send/http-sender.ts"
import { natsSender } from "./send/nats-sender.ts"
import { rulesOf, SETTINGS } from "./settings.ts"

type Context = ModuleContext<typeof SETTINGS>

let hooks: ReadonlyArray<Hook> = []
let served: Served | undefined
let chain: ChainFollower | undefined

const readSecret = (name: string): string =>
  readFileSync(join(moduleEnvironment().dataDirectory, normalize(`/${name}`)), "utf8")

const serve = async ({ network, node, settings }: Context): Promise<void> => {
  const rules = rulesOf(settings)
  const outbox = await openOutbox(node, hooks, rules.mostWaiting)
  const workers = outbox.hooks.map((queued) => {
    const { hook } = queued
    const sender = hook.kind === "http"
      ? httpSender(hook, network, rules.timeoutMs)
      : natsSender(hook, network, rules.timeoutMs)
    return { ...queued, worker: deliver(queued, sender, rules, reportsOf(node, hook)) }
  })
  served = { outbox, hooks: workers }
  chain = chainFollower(node, outbox, rules.oldestBlockSeconds)
}

const stop = (): void => {
  chain?.stop()
  for (const { worker } of served?.hooks ?? []) worker.stop()
}

const put = (event: ModuleEventPayload): Promise<void> => served!.outbox.put(event._tag, eventData(event))

await runModule({
  version: "0.1.0",
  settings: SETTINGS,
  setup: serve,
  events: (settings) => {
    hooks = readHooks(settings.hooks, readSecret)
    return {
      ...Object.fromEntries(hooks.flatMap(({ events }) => events).map((type) => [type, put])),
      NewBlock: (step) => chain!.take(step),
      BlockDisconnected: (step) => chain!.take(step),
      EventsDropped: ({ dropped }, { node }) => {
        node.log("Warn", `${dropped} events were dropped; blocks are sent in full nevertheless`)
        return chain!.again()
      }
    }
  },
  ready: () => chain!.start(),
  rpc: methodsOf(() => served!),
  commands: { about: "Shows and controls webhooks.", subcommands: commandsOf(() => served!) },
  stopped: stop
})
