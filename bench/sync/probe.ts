import { Agent, request } from "node:http"

/** A client that asks the same again and again, one request after another, and measures how long answers take. */
export interface Probe {
  /** Ends it; milliseconds of every answer. */
  readonly stop: () => Promise<ReadonlyArray<number>>
}

export interface ProbeOptions {
  readonly url: string
  /** None: a GET. */
  readonly body?: string
  readonly token?: string
  /** Milliseconds between an answer and the next request. */
  readonly pause: number
}

const pauseOf = (milliseconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, milliseconds))

export const probe = ({ body, pause, token, url }: ProbeOptions): Probe => {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const headers = {
    "content-type": "application/json",
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` })
  }
  const times: Array<number> = []
  const stopped = new AbortController()
  const once = (): Promise<void> =>
    new Promise((resolve, reject) => {
      const start = performance.now()
      const asked = request(url, { agent, method: body === undefined ? "GET" : "POST", headers }, (response) => {
        response.resume()
        response.on("end", () => {
          times.push(performance.now() - start)
          resolve()
        })
        response.on("error", reject)
      })
      asked.on("error", reject)
      asked.end(body)
    })
  const done = (async () => {
    while (!stopped.signal.aborted) {
      await once()
      await pauseOf(pause)
    }
  })()
  // `stop` throws what went wrong; until then the rejection is not unhandled.
  done.catch(() => {})
  return {
    stop: async () => {
      stopped.abort()
      await done
      agent.destroy()
      return times
    }
  }
}

/** The value that 99 of 100 are not above. */
export const p99 = (times: ReadonlyArray<number>): number => {
  const sorted = [...times].sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * 0.99))] ?? 0
}
