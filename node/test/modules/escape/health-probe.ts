import { Agent, get } from "node:http"

const PAUSE_MS = 10

/** Asks a node for its health all the time. */
export interface HealthProbe {
  /** Milliseconds of every answer since the last call, in ascending order. */
  readonly since: () => ReadonlyArray<number>
  readonly end: () => void
}

const asked = (port: number, agent: Agent): Promise<void> =>
  new Promise((resolve, reject) => {
    get({ agent, host: "127.0.0.1", port, path: "/health/live" }, (response) => {
      response.resume()
      response.on("end", () =>
        response.statusCode === 200 ? resolve() : reject(new Error(`/health/live answered ${response.statusCode}`)))
    }).on("error", reject)
  })

/** The value that 99 of 100 do not exceed. */
export const p99 = (ascending: ReadonlyArray<number>): number => ascending[Math.ceil(ascending.length * 0.99) - 1] ?? 0

export const healthProbe = (port: number): HealthProbe => {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const over = new AbortController()
  let spent: Array<number> = []
  const go = async (): Promise<void> => {
    while (!over.signal.aborted) {
      const start = performance.now()
      await asked(port, agent)
      spent.push(performance.now() - start)
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS))
    }
  }
  const going = go().catch((error: unknown) => {
    if (!over.signal.aborted) throw error
  })
  return {
    since: () => {
      const all = spent.toSorted((a, b) => a - b)
      spent = []
      return all
    },
    end: () => {
      over.abort()
      agent.destroy()
      void going
    }
  }
}
