import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import { endsWithTests } from "../process/ends-with-tests.ts"

const PROGRAM = fileURLToPath(new URL("programs/bcoin.cjs", import.meta.url))

/** A full node that others wrote, in a process of its own. */
export interface ForeignPeer {
  readonly port: number
  readonly call: <A>(method: string, ...params: ReadonlyArray<unknown>) => Promise<A>
  readonly stop: () => Promise<void>
}

interface Answer {
  readonly id: number
  readonly result?: unknown
  readonly error?: string
}

/** Starts one that, once it is asked to connect, listens on a port and stays connected to those at `only`. */
export const foreignPeer = async (port: number, only: ReadonlyArray<string> = []): Promise<ForeignPeer> => {
  const child: ChildProcess = endsWithTests(spawn(process.execPath, [PROGRAM, String(port), ...only], {
    stdio: ["pipe", "pipe", "pipe"]
  }))
  let said = ""
  child.stderr!.on("data", (chunk: Buffer) => void (said += chunk.toString()))
  const waiting = new Map<number, (answer: Answer) => void>()
  let last = 0
  const answered = (id: number): Promise<Answer> => new Promise((resolve) => void waiting.set(id, resolve))
  child.once("close", () => {
    for (const [id, resolve] of waiting) resolve({ id, error: `the foreign node ended:\n${said}` })
  })
  createInterface({ input: child.stdout! }).on("line", (line) => {
    const answer = JSON.parse(line) as Answer
    waiting.get(answer.id)?.(answer)
    waiting.delete(answer.id)
  })
  const { error: failure } = await answered(0)
  if (failure !== undefined) throw new Error(failure)
  return {
    port,
    call: async <A>(method: string, ...params: ReadonlyArray<unknown>) => {
      const id = ++last
      const coming = answered(id)
      child.stdin!.write(`${JSON.stringify({ id, method, params })}\n`)
      const { error, result } = await coming
      if (error !== undefined) throw new Error(error)
      return result as A
    },
    stop: async () => {
      if (child.exitCode !== null) return
      child.kill("SIGKILL")
      await once(child, "close")
    }
  }
}
