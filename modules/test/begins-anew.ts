import { assert, vi } from "vitest"
import { type Program, soon } from "./program.ts"

/** Cuts a mining module's connection to the node, and checks that it listens and waits for templates anew, once. */
export const beginsAnew = async (program: Program): Promise<void> => {
  const timers = vi.spyOn(globalThis, "setTimeout")
  const pauses = () => timers.mock.calls.filter(([, after]) => after === 5_000)
  const waits = program.asked("WaitForBlockTemplate").length
  try {
    program.cut()
    await soon(() => assert.lengthOf(program.asked("ListenNetwork"), 2))
    await soon(() => assert.isAbove(program.asked("WaitForBlockTemplate").length, waits))
    assert.lengthOf(pauses(), 1)
    // What asked over the lost connection asks no more when its pause is over.
    pauses()[0]![0]()
    for (let i = 0; i < 4; i++) await new Promise((resolve) => void setImmediate(resolve))
    assert.lengthOf(pauses(), 1)
  } finally {
    timers.mockRestore()
  }
}
