import type { Trial } from "./trial.ts"

/** What must hold of a node under attack. */
const LEAST_SPEED = 0.8
const MOST_GROWTH = 100 * 1024 * 1024

/** Files that a node may have open more than before: the honest peer, and what storage opens as the chain grows. */
const MORE_HANDLES = 12

export interface Trials {
  /** Nothing is attacked. */
  readonly quiet: Trial | undefined
  /** The same attack goes to a program that does nothing, so that the machine is as busy. */
  readonly control: Trial
  readonly attacked: Trial
}

export interface Verdict {
  readonly text: string
  readonly holds: boolean
}

const mebibytes = (bytes: number): string => (bytes / 1024 / 1024).toFixed(0)
const seconds = (value: number): string => value.toFixed(1)

const worst = (values: ReadonlyArray<number>): number => Math.max(0, ...values)
const middle = (values: ReadonlyArray<number>): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0

const row = (name: string, trial: Trial | undefined): ReadonlyArray<string> => {
  if (trial === undefined) return []
  const { attacker, followed, honestSeconds, outside, sinkSeconds, syncSeconds } = trial
  return [
    `${name}: sync ${seconds(syncSeconds)} s; processors of the node ${
      seconds(outside.synced.processorSeconds - outside.before.processorSeconds)
    } s, ` +
    `of the honest one ${seconds(honestSeconds)} s, of the attacker in all ${
      seconds(attacker?.processorSeconds ?? 0)
    } s, ` +
    `of what was attacked instead ${seconds(sinkSeconds)} s`,
    `  memory at most ${mebibytes(outside.synced.mostMemory)} MiB when in sync, ${
      mebibytes(outside.attacked.mostMemory)
    } MiB in all; ` +
    `now ${mebibytes(outside.before.memory)}, ${mebibytes(outside.synced.memory)}, ${
      mebibytes(outside.attacked.memory)
    }, ` +
    `${mebibytes(outside.after.memory)} MiB (before, in sync, at the end of the attack, after it)`,
    `  ${followed.length} new blocks followed: ${middle(followed).toFixed(0)} ms in the middle, ${
      worst(followed).toFixed(0)
    } ms at most`
  ]
}

/** Everything that was seen. */
export const reportOf = ({ attacked, control, quiet }: Trials): string => {
  const { attacker, inside, outside } = attacked
  const lines = [
    ...row("nothing attacked", quiet),
    ...row("a sink attacked", control),
    ...row("the node attacked", attacked),
    `the attack: ${attacker?.attempts} connections tried, ${attacker?.established} made, ${inside.attacked.refused} refused by the node, ` +
    `${attacker?.messages} messages, ${mebibytes(attacker?.bytes ?? 0)} MiB sent, ${
      mebibytes(attacker?.received ?? 0)
    } MiB received`,
    ...Object.entries(attacker?.byKind ?? {}).map(([what, count]) => `  ${String(count).padStart(7)} ${what}`),
    `connections ${inside.before.connections}, ${inside.attacked.connections}, ${inside.after.connections}; their fibers ` +
    `${inside.before.fibers}, ${inside.attacked.fibers}, ${inside.after.fibers}; handles ${outside.before.handles}, ` +
    `${outside.attacked.handles}, ${outside.after.handles} (before, at the end of the attack, after it)`
  ]
  return lines.join("\n")
}

/** Whether it is enough. Speed and memory are compared with the run in which something else was attacked. */
export const verdictsOf = (control: Trial, attacked: Trial): ReadonlyArray<Verdict> => {
  const speed = control.syncSeconds / attacked.syncSeconds
  const growth = attacked.outside.attacked.mostMemory - control.outside.attacked.mostMemory
  const later = attacked.outside.after.memory - attacked.outside.synced.memory
  const { after, before } = attacked.outside
  const { connections, fibers } = attacked.inside.after
  return [
    { text: `sync at ${speed.toFixed(2)} of its speed (at least ${LEAST_SPEED})`, holds: speed >= LEAST_SPEED },
    {
      text: `most memory ${mebibytes(growth)} MiB above that without the attack (below 100)`,
      holds: growth < MOST_GROWTH
    },
    {
      text: `memory ${mebibytes(later)} MiB above that when the sync was over (below 100)`,
      holds: later < MOST_GROWTH
    },
    {
      text: `one connection and one fiber are left: ${connections} and ${fibers}`,
      holds: connections === 1 && fibers === 1
    },
    {
      text: `handles after it: ${after.handles}, before: ${before.handles}`,
      holds: after.handles <= before.handles + MORE_HANDLES
    },
    { text: "no defect in the log", holds: !attacked.log.includes("a defect in the network layer") }
  ]
}
