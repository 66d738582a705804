import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { fileURLToPath } from "node:url"

/** What the server answers with. */
export interface BareAnswers {
  /** Every POST to `/`. */
  readonly answer: string
  /** A POST to `/block`: these bytes of this file in hexadecimal digits, as the result of a call. */
  readonly block?: { readonly path: string; readonly offset: number; readonly size: number }
}

/** A server of `node:http` alone, in a process of its own. */
export interface BareServer {
  readonly url: string
  readonly pid: number
  readonly stop: () => Promise<void>
}

const PROGRAM = fileURLToPath(new URL("bare-program.ts", import.meta.url))

const portOf = async (child: ChildProcess): Promise<number> => {
  const [line] = await Promise.race([
    once(child.stdout!, "data"),
    once(child, "exit").then(() => Promise.reject(new Error("the bare server did not start")))
  ])
  return Number(String(line))
}

export const startBareServer = async (answers: BareAnswers): Promise<BareServer> => {
  const child = spawn(process.execPath, [PROGRAM, JSON.stringify(answers)], { stdio: ["ignore", "pipe", "inherit"] })
  const ended = once(child, "exit")
  const url = `http://127.0.0.1:${await portOf(child)}`
  return {
    url,
    pid: child.pid!,
    stop: async () => {
      child.kill()
      await ended
    }
  }
}
