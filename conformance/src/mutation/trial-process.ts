import { type ChildProcess, fork } from "node:child_process"
import { join } from "node:path"
import type { Order, Survey, TrialAnswer, TrialRequest } from "./messages.ts"

/** Longest time without an answer: what no loop counter catches. */
const SILENCE = 120_000

const start = (order: Order): ChildProcess =>
  fork(join(import.meta.dirname, "laboratory.ts"), [JSON.stringify(order)], { serialization: "advanced" })

/** What the next message of `child` says; nothing when it ends, or falls silent and is ended, without one. */
const answerOf = <A>(child: ChildProcess, silence: number | undefined): Promise<A | undefined> =>
  new Promise((resolve) => {
    const timer = silence === undefined ? undefined : setTimeout(() => child.kill("SIGKILL"), silence)
    const settle = (answer: A | undefined) => {
      clearTimeout(timer)
      child.removeAllListeners()
      resolve(answer)
    }
    child.on("message", (message) => settle(message as A))
    child.on("exit", () => settle(undefined))
  })

/** Runs the survey in a process of its own. */
export const takeSurvey = async (order: Omit<Order, "task">): Promise<Survey> => {
  const survey = await answerOf<Survey>(start({ ...order, task: "survey" }), undefined)
  if (survey === undefined) throw new Error("the survey ended without a result")
  return survey
}

/** A process for trials that is started when it is needed, and anew after a mutant has brought it down. */
export interface TrialProcess {
  /** The answer to `request`, or nothing when the process did not survive it. */
  readonly ask: (request: TrialRequest) => Promise<TrialAnswer | undefined>
  readonly close: () => void
}

const send = (child: ChildProcess, request: TrialRequest): Promise<TrialAnswer | undefined> => {
  const answer = answerOf<TrialAnswer>(child, SILENCE)
  child.send(request)
  return answer
}

/** A trial process on the cases of `survey`. */
export const openTrialProcess = (order: Omit<Order, "task">, { cases, fingerprint }: Survey): TrialProcess => {
  const turns = Float64Array.from(cases, (each) => each.turns)
  let running: ChildProcess | undefined
  const started = async (): Promise<ChildProcess> => {
    const child = start({ ...order, task: "trial" })
    const answer = await send(child, { kind: "begin", turns })
    if (answer?.kind === "ready" && answer.fingerprint === fingerprint) return child
    child.kill()
    throw new Error(
      answer === undefined
        ? "a trial process did not start"
        : "the kernel or the vectors have been edited during the run; start again"
    )
  }
  return {
    ask: async (request) => {
      running ??= await started()
      const answer = await send(running, request)
      if (answer === undefined) running = undefined
      return answer
    },
    close: () => running?.disconnect()
  }
}
