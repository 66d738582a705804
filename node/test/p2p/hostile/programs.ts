import { type ChildProcess, fork } from "node:child_process"
import { once } from "node:events"
import { fileURLToPath } from "node:url"
import type { AttackOptions } from "./attack-options.ts"
import type { AttackFigures } from "./attacker.ts"

const started = (program: string, ...args: ReadonlyArray<string>): ChildProcess =>
  fork(fileURLToPath(new URL(program, import.meta.url)), args, { stdio: ["ignore", "inherit", "inherit", "ipc"] })

const ended = async (child: ChildProcess): Promise<void> => {
  const over = once(child, "exit")
  child.kill("SIGKILL")
  await over
}

const asked = async <A>(child: ChildProcess, message: AttackOptions | "figures"): Promise<A> => {
  const answer = once(child, "message")
  child.send(message)
  return (await answer)[0] as A
}

/** The attacker, in a process of its own. */
export interface AttackerProcess {
  readonly figures: () => Promise<AttackFigures>
  readonly end: () => Promise<void>
}

export const startAttacker = async (options: AttackOptions): Promise<AttackerProcess> => {
  const child = started("attacker-program.ts")
  await asked(child, options)
  return { figures: () => asked(child, "figures"), end: () => ended(child) }
}

/** A program that takes connections and does nothing with them, in a process of its own. */
export interface SinkProcess {
  readonly pid: number
  readonly port: number
  readonly end: () => Promise<void>
}

export const startSink = async (places: number): Promise<SinkProcess> => {
  const child = started("sink-program.ts", String(places))
  const [port] = await once(child, "message") as [number]
  return { pid: child.pid!, port, end: () => ended(child) }
}
