import type { ModuleEventType, NodeClient } from "@lockstep/sdk"
import type { EventData } from "../event-json.ts"
import { type Hook, isWantedBy } from "../hook.ts"
import { type Batch, type HookQueue, openHookQueue } from "./hook-queue.ts"
import { CHAIN_KEY, droppedKey, eventsOf, keysOf, nameIn, nextNumberKey } from "./keys.ts"

/** A hook and its queue. */
export interface QueuedHook {
  readonly hook: Hook
  readonly queue: HookQueue
}

/** Queues of the events that hooks select. Each event is on disk before the next one is handled. */
export interface Outbox {
  readonly hooks: ReadonlyArray<QueuedHook>
  /** Puts an event into the queue of each hook that selects it, together with the position in the chain. */
  readonly put: (type: ModuleEventType, data: EventData, position?: Uint8Array) => Promise<void>
  /** Puts a test event into the queue of one hook. */
  readonly putTest: (hook: QueuedHook) => Promise<number>
  /** Returns the position in the chain, or `undefined` if none was saved yet. */
  readonly position: () => Promise<Uint8Array | undefined>
  readonly savePosition: (position: Uint8Array) => Promise<void>
}

/** Entries that are removed together. */
const PAGE = 512

const TEXT = new TextEncoder()
const SECOND = 1_000

const bodyOf = (hook: string, event: string, data: EventData) => (id: number): Uint8Array =>
  TEXT.encode(JSON.stringify({ hook, id, event, time: Math.floor(Date.now() / SECOND), data }))

/** Removes the events and figures of a hook that is no longer configured. */
const removeHook = async (node: NodeClient, name: string): Promise<number> => {
  let removed = 0
  for (;;) {
    const { value } = await node.ask("ListStorage", { ...eventsOf(name), limit: PAGE, reverse: false })
    if (value.length === 0) break
    await node.ask("WriteStorage", { puts: [], removals: value.map(({ key }) => key) })
    removed += value.length
  }
  await node.ask("WriteStorage", { puts: [], removals: [nextNumberKey(name), droppedKey(name)] })
  return removed
}

const removeOthers = async (node: NodeClient, hooks: ReadonlyArray<Hook>): Promise<void> => {
  const { value } = await node.ask("ListStorage", { ...keysOf("n"), limit: PAGE, reverse: false })
  for (const name of value.map(({ key }) => nameIn(key))) {
    if (hooks.some((hook) => hook.name === name)) continue
    const removed = await removeHook(node, name)
    node.log("Info", `the hook ${name} is not configured: ${removed} events that waited for it are removed`)
  }
}

/** Opens the outbox in the database. */
export const openOutbox = async (
  node: NodeClient,
  hooks: ReadonlyArray<Hook>,
  mostWaiting: number
): Promise<Outbox> => {
  await removeOthers(node, hooks)
  const queued = await Promise.all(
    hooks.map(async (hook) => ({ hook, queue: await openHookQueue(node, hook.name, mostWaiting) }))
  )
  let last: Promise<unknown> = Promise.resolve()

  /** Runs work sequentially, since each append depends on the one before it. */
  const inOrder = <A>(work: () => Promise<A>): Promise<A> => {
    const done = last.then(work)
    last = done.catch(() => undefined)
    return done
  }

  const append = (to: ReadonlyArray<QueuedHook>, event: string, data: EventData, position: Uint8Array | undefined) =>
    inOrder(async () => {
      const batch: Batch = { puts: [], removals: [] }
      const appended = to.map(({ hook, queue }) => queue.append(batch, bodyOf(hook.name, event, data)))
      if (position !== undefined) batch.puts.push({ key: CHAIN_KEY, value: position })
      if (batch.puts.length > 0) await node.ask("WriteStorage", batch)
      for (const { commit } of appended) commit()
    })

  return {
    hooks: queued,
    put: (type, data, position) =>
      append(queued.filter(({ hook }) => isWantedBy(hook, type, data)), type, data, position),
    putTest: async (hook) => {
      await append([hook], "Test", {}, undefined)
      return hook.queue.waiting()
    },
    position: async () => {
      const { value } = await node.ask("ReadStorage", { keys: [CHAIN_KEY] })
      return value[0]
    },
    savePosition: (position) => append([], "", {}, position)
  }
}
