import { describeProvider, describeSelectionError, selectProvider } from "@lockstep/crypto"
import { createMachine, type Machine } from "@lockstep/kernel/machine"
import { type MessagePort, receiveMessageOnPort } from "node:worker_threads"
import { reportDefect } from "./job-failure.ts"
import { claimRange, finishRanges, type JobMemory, jobMemory, Word } from "./job-memory.ts"
import { type JobReader, jobReader } from "./job-reader.ts"
import { judgeRange } from "./judge-range.ts"
import { Control, type WorkerMessage, type WorkerStart } from "./worker-messages.ts"

/** One worker: its verifier and its memories. */
interface Worker {
  readonly port: MessagePort
  readonly control: Int32Array<SharedArrayBuffer>
  readonly machine: Machine
  readonly reader: JobReader
  memories: Array<JobMemory>
}

const send = ({ port }: Worker, message: WorkerMessage): void => port.postMessage(message)

const takeNewMemories = (worker: Worker): void => {
  for (
    let message = receiveMessageOnPort(worker.port);
    message !== undefined;
    message = receiveMessageOnPort(worker.port)
  ) {
    worker.memories.push(jobMemory(message.message as SharedArrayBuffer))
  }
  worker.memories = worker.memories.filter(({ words }) => Atomics.load(words, Word.RETIRED) === 0)
}

/** Returns the memory of the oldest block with unclaimed ranges. */
const oldestOpen = ({ memories }: Worker): JobMemory | undefined => {
  let oldest: JobMemory | undefined
  for (const memory of memories) {
    if (Atomics.load(memory.words, Word.TO_CLAIM) === 0) continue
    // Compares by difference, because order numbers wrap around.
    if (oldest === undefined || (memory.words[Word.ORDER]! - oldest.words[Word.ORDER]! | 0) < 0) oldest = memory
  }
  return oldest
}

const judge = (worker: Worker, memory: JobMemory, range: number): void => {
  try {
    judgeRange(worker.machine, worker.reader, memory, range)
  } catch (defect) {
    reportDefect(memory)
    const message = defect instanceof Error ? String(defect.stack) : String(defect)
    send(worker, { _tag: "Defect", order: memory.words[Word.ORDER]!, message })
  }
}

/** Verifies one range. Returns false if none was left. */
const judgeNext = (worker: Worker): boolean => {
  const memory = oldestOpen(worker)
  if (memory === undefined) return false
  const range = claimRange(memory)
  if (range < 0) return true
  judge(worker, memory, range)
  if (finishRanges(memory, 1) && Atomics.exchange(worker.control, Control.MESSAGES, 1) === 0) {
    send(worker, { _tag: "Finished" })
  }
  return true
}

const work = (worker: Worker): void => {
  const { control } = worker
  for (;;) {
    const signal = Atomics.load(control, Control.SIGNAL)
    takeNewMemories(worker)
    while (Atomics.load(control, Control.STOP) === 0 && judgeNext(worker)) { /* until nothing is left */ }
    if (Atomics.load(control, Control.STOP) !== 0) return
    Atomics.wait(control, Control.SIGNAL, signal)
  }
}

/** Runs a script worker from its start until it is stopped. It blocks its thread. */
export const runScriptWorker = (port: MessagePort, { control, provider }: WorkerStart): void => {
  const selection = selectProvider(provider)
  if (!selection.ok) {
    port.postMessage({ _tag: "Refused", message: describeSelectionError(selection.error) } satisfies WorkerMessage)
    return
  }
  const worker: Worker = {
    port,
    control,
    machine: createMachine(selection.provider.crypto),
    reader: jobReader(),
    memories: []
  }
  send(worker, { _tag: "Ready", provider: describeProvider(selection.provider) })
  work(worker)
}
